// The strip on top: which trace this is, and whether it can be trusted.
import { progress, silence, type Gap, type Trace } from "../api/trace";
import { count, duration, percent, size, timeOfDay } from "../duration";
import { Name, plainName } from "../name";
import { useStore } from "../store";
import { around, asParameters } from "../time_window";
import { linkTo, view } from "../view";

export function Trust() {
  const told = useStore(progress);
  const isSilent = useStore(silence);
  if (told === null) return <header class="trust">{isSilent ?? "Asking the server …"}</header>;
  return (
    <header class="trust">
      <strong class="file" title={plainName(told.name, 1000)}>
        <Name of={told.name.slice(told.name.lastIndexOf("/") + 1)} most={80} />
      </strong>
      <span>{duration(told.end_ns)}</span>
      <span>{count(told.events)} events</span>
      <span>{kindOf(told)}</span>
      {told.wall_clock_ns !== null && <Clock at={told.wall_clock_ns} />}
      <Verdict told={told} />
      {isSilent !== null && <strong class="verdict refused">{isSilent}</strong>}
    </header>
  );
}

function kindOf(told: Trace): string {
  const header = plainName(told.header, 20);
  return told.is_of_go ? `Go ${header}` : `exectrace, format ${told.format}`;
}

/** When the trace began; switches what times are told as. */
function Clock({ at }: { at: number }) {
  const isWall = useStore(view).clock === "wall";
  return (
    <a class="clock" href={linkTo({ clock: isWall ? undefined : "wall" })} title="Times of day, or since the first event">
      {isWall ? "times of day, UTC" : `from ${timeOfDay(at, 1e8)} UTC`}
    </a>
  );
}

function Verdict({ told }: { told: Trace }) {
  if (told.state === "reading") {
    const share = told.bytes > 0 ? told.bytes_read / told.bytes : 0;
    return (
      <span class="reading">
        <progress aria-label="Reading the trace" value={share} max={1} /> {percent(share)} of {size(told.bytes)} read
      </span>
    );
  }
  const isRefused = told.state === "failed" || told.verdict === "refused";
  const nothing = told.events === 0 && told.state === "ready" ? ["nothing of this trace could be read"] : [];
  const sentences = [...nothing, ...(told.fault === null ? [] : [told.fault]), ...told.trust].map((text) => plainName(text, 400));
  if (told.verdict === "whole" && !isRefused && sentences.length === 0) {
    return (
      <strong class="verdict whole" role="status">
        ✓ whole
      </strong>
    );
  }
  const [first = "", ...others] = sentences;
  return (
    <span class="partly" role="status">
      <strong class={`verdict ${isRefused ? "refused" : told.verdict}`}>
        {isRefused ? "✗ not readable" : told.verdict === "whole" ? "✓ whole" : "⚠ in part"}
      </strong>{" "}
      <span>{first}</span>{" "}
      {told.gaps.length > 0 && <Where gaps={told.gaps} />}
      {others.length > 0 && (
        <details>
          <summary>{others.length} more</summary>
          <ul>
            {others.slice(0, 50).map((sentence, place) => (
              <li key={place}>{sentence}</li>
            ))}
          </ul>
        </details>
      )}
    </span>
  );
}

/** The way to the gaps, all of them at once. */
function Where({ gaps }: { gaps: readonly Gap[] }) {
  useStore(view);
  const span = { from: gaps[0]!.from_ns, to: gaps.at(-1)!.to_ns };
  return <a href={linkTo({ page: undefined, ...asParameters(around(span, 0.5)) })}>where</a>;
}
