// Search over all names and texts of the trace.
import { useEffect, useState } from "preact/hooks";
import { useAnswer } from "../api/answer";
import { shownTime } from "../clock";
import { duration } from "../duration";
import { SEARCH_ID } from "../keys";
import { Name } from "../name";
import { useStore } from "../store";
import { around, asParameters, liveSpan } from "../time_window";
import { go, linkTo, view, type Change } from "../view";

interface Hit {
  kind: "time" | "task" | "group" | "worker" | "thread" | "log" | "region" | "user_task" | "function";
  id: string;
  name: string;
  from_ns: number | null;
  to_ns: number | null;
  /** Of a time that was typed. */
  at_ns?: number;
}

interface Hits {
  hits: Hit[];
  truncated: boolean;
}

/** Typing rests so long before it is searched. */
const REST_MS = 200;

const MOST = 30;

export function Search() {
  const { q = "" } = useStore(view);
  const [text, setText] = useState(q);
  const [asked, setAsked] = useState("");
  useEffect(() => setText(q), [q]);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(text.trim()), REST_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const answer = useAnswer<Hits>(asked === "" || asked === q ? null : "search", { q: asked, most: MOST });
  const hits = [...timeHits(asked), ...(answer.told?.hits ?? [])];
  const close = () => {
    setText(q);
    setAsked("");
  };
  const leave = (change: Change) => {
    close();
    go(change);
  };
  return (
    <search class="search">
      <input
        id={SEARCH_ID}
        type="search"
        placeholder="search, or a time: worker:2 1.2s"
        aria-label="Search names, logs and functions"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && hits[0] !== undefined) leave(changeFor(hits[0]));
          if (event.key === "Escape") {
            close();
            event.currentTarget.blur();
          }
        }}
      />
      {q !== "" && (
        <button type="button" onClick={() => go({ q: undefined })}>
          all tracks
        </button>
      )}
      {asked !== "" && asked !== q && (
        <div class="hits">
          {answer.error !== null && <p class="note error">{answer.error}</p>}
          {answer.told !== null && hits.length === 0 && <p class="note">Nothing is called so.</p>}
          <ul>
            {hits.map((hit, place) => (
              <li key={place}>
                <a href={linkTo(changeFor(hit))} onClick={close}>
                  <span class="kind">{hit.kind.replace("_", " ")}</span> {hit.id} <Name of={hit.name} most={100} />
                  {hit.from_ns !== null && hit.to_ns !== null && hit.to_ns > hit.from_ns && (
                    <span class="faint"> {duration(hit.to_ns - hit.from_ns)}</span>
                  )}
                </a>
              </li>
            ))}
          </ul>
          <button type="button" onClick={() => leave({ q: asked })}>
            only tracks with this
          </button>
          {answer.told?.truncated && <p class="note">There are more.</p>}
        </div>
      )}
    </search>
  );
}

/** A time is found without the server: `1.2s`, or what was on a track then: `worker:2 1.2s`. */
function timeHits(asked: string): Hit[] {
  const [, track = "", number, unit = ""] =
    /^([a-z_]+:\d+)?(?:\s+at|\s*@)?\s*(\d+(?:\.\d+)?)\s*(ns|us|µs|ms|s)$/.exec(asked) ?? [];
  const size = NS[unit];
  if (number === undefined || size === undefined) return [];
  const at = Math.floor(Number(number) * size);
  const half = halfOfMoment();
  return [{ kind: "time", id: track, name: shownTime(at), from_ns: at - half, to_ns: at + half, at_ns: at }];
}

/** What is shown of a moment: no more than is seen, and some milliseconds. */
function halfOfMoment(): number {
  const { from, to } = liveSpan.value;
  return Math.min((to - from) / 2, 5 * NS.ms!);
}

function momentOf(at: number): Change {
  const half = halfOfMoment();
  return asParameters({ from: at - half, to: at + half });
}

const NS: Readonly<Record<string, number>> = { ns: 1, us: 1e3, µs: 1e3, ms: 1e6, s: 1e9 };

/** What shows a hit. */
function changeFor(hit: Hit): Change {
  const span = hit.from_ns === null || hit.to_ns === null ? {} : asParameters(around({ from: hit.from_ns, to: hit.to_ns }, 0.3));
  switch (hit.kind) {
    case "time":
      return { page: undefined, ...span, sel: hit.id === "" ? undefined : `${hit.id}@${hit.at_ns ?? 0}` };
    case "task":
    case "user_task":
      // A name of many, or one of them.
      return hit.id.startsWith("users:")
        ? { page: "latency", name: hit.name, kind: "user_task" }
        : { page: "task", id: hit.id, at: undefined };
    case "region":
      return { page: "latency", name: hit.name, kind: "region" };
    case "log":
      return { page: undefined, ...momentOf(hit.from_ns ?? 0), sel: `${hit.id}@${hit.from_ns ?? 0}`, log: `${hit.id}@${hit.from_ns ?? 0}` };
    case "group":
      return { page: "tasks", group: hit.name };
    case "worker":
    case "thread":
      return { page: undefined, by: hit.kind, q: undefined, ...span };
    case "function":
      return { page: "profile", q: hit.name };
  }
}
