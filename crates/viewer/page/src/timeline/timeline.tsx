// The timeline: rows of tracks, names on the left, a canvas on the right that scrolls with them.
import { useEffect, useRef, useState } from "preact/hooks";
import { silence, trace, words } from "../api/trace";
import { shownTime } from "../clock";
import { duration } from "../duration";
import { Name, plainName } from "../name";
import { TaskLink } from "../parts/task_link";
import { deselect, select, selectAt, selected } from "../selection";
import { type Store, useStore } from "../store";
import { glide, liveSpan } from "../time_window";
import { go, view } from "../view";
import { whyAnswer } from "../why";
import { gapAt, wordsOfGap } from "./gaps";
import { followGestures, zoom, type Gestured } from "./gestures";
import { hit, titleOfMix } from "./hit";
import { Legend } from "./legend";
import { Painter } from "./painter";
import { headPx, pinnedRows } from "./pinned";
import { LANE_PX, ROW_PX, SAMPLE_PX } from "./row_layout";
import type { Log, Sample } from "./samples";
import { choose, isOfMany, toggle, useRows, type Row } from "./rows";
import { stateTitle } from "./state";
import { loadingError } from "./tile_loader";
import { VisibleTable } from "./visible_table";

export function Timeline() {
  const { rows, left, error, where } = useRows();
  const scroller = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [painter, setPainter] = useState<Painter | null>(null);
  const [scrolled, setScrolled] = useState({ top: 0, height: 0 });
  const [pointed, setPointed] = useState("");
  useEffect(() => {
    const made = new Painter(canvas.current!);
    setPainter(made);
    return connect(made, scroller.current!, setScrolled, setPointed);
  }, []);
  useEffect(() => {
    if (painter === null) return;
    painter.rows = rows;
    painter.filter(where);
    painter.schedule();
  }, [painter, rows, where]);
  useStore(selected);
  useStore(whyAnswer);
  const head = headPx();
  const first = Math.floor(scrolled.top / ROW_PX);
  const seen = rows.slice(first, first + Math.ceil(scrolled.height / ROW_PX) + 1);
  return (
    <section class="timeline" aria-label="Timeline">
      <div class="scroller" ref={scroller} tabIndex={0} role="group" aria-label="Tracks. Press ? for the keys.">
        <div class="sheet" style={{ height: `${rows.length * ROW_PX + head}px` }}>
          <div class="pane">
            <div class="names" style={{ top: `${head - (scrolled.top % ROW_PX)}px` }}>
              {seen.map((row) => (
                <TrackName key={row.path} row={row} />
              ))}
            </div>
            <PinnedNames />
            <canvas ref={canvas} role="img" aria-label="Tracks over time; the visible intervals follow as a table." />
          </div>
        </div>
      </div>
      <p class="pointed">{pointed || <Legend />}</p>
      <Notes left={left} error={error} isEmpty={rows.length === 0} />
      <VisibleTable painter={painter} />
    </section>
  );
}

/** The head of the names: the task of what is selected, and those that it waited for. */
function PinnedNames() {
  const { task } = words(useStore(trace));
  const rows = pinnedRows();
  return (
    <div class="pinned">
      {rows.length === 0 && <div class="faint">selected {task}</div>}
      {rows.map(({ id, name }) => (
        <div key={id}>
          <TaskLink id={id} name={name} />
        </div>
      ))}
    </div>
  );
}

function TrackName({ row }: { row: Row }) {
  const isSelected = useStore(selected).interval?.track === row.id;
  const name = <TrackTitle row={row} />;
  return (
    <div class={`track depth-${row.depth}${isSelected ? " selected" : ""}`} title={plainName(row.detail)}>
      {row.has_children ? (
        <button type="button" aria-expanded={row.isOpen} onClick={() => toggle(row.id)}>
          {row.isOpen ? "▾" : "▸"} {name} <span class="members">{row.members}</span>
        </button>
      ) : (
        name
      )}
    </div>
  );
}

/** What is said of a group without a name. */
const EMPTY_NAMES: Record<string, string> = { group: "(no function is told)", users: "(began before the trace)" };

/** What a track is called: members of a group all run the same, and are told by their ids. */
function TrackTitle({ row }: { row: Row }) {
  if (isOfMany(row)) return <Name of={row.name} empty={EMPTY_NAMES[row.id.slice(0, row.id.indexOf(":"))]} most={60} />;
  if (row.depth > 0) {
    return (
      <>
        {row.id} {row.detail !== "" && <Name of={row.detail} most={60} />}
      </>
    );
  }
  if (!row.id.includes(":")) return <>{row.name}</>;
  return (
    <>
      {row.id} {row.name !== row.id && <Name of={row.name} empty="" most={60} />}
    </>
  );
}

function Notes({ left, error, isEmpty }: { left: number; error: string | null; isEmpty: boolean }) {
  const loading = useStore(loadingError);
  const isSilent = useStore(silence) !== null;
  const told = error ?? (isSilent ? null : loading);
  if (told !== null) return <p class="note error">{told}</p>;
  if (left > 0) return <p class="note">{left} more tracks: search narrows them.</p>;
  return isEmpty && trace.value?.state === "ready" ? <p class="note">There are no such tracks in this trace.</p> : null;
}

/** Connects a painter to its element and to all that it draws, until what it returns is called. */
function connect(
  painter: Painter,
  scroller: HTMLElement,
  setScrolled: (scrolled: { top: number; height: number }) => void,
  setPointed: (text: string) => void,
): () => void {
  const draw = () => painter.schedule();
  const scroll = () => {
    painter.scrollTop = scroller.scrollTop;
    setScrolled({ top: scroller.scrollTop, height: scroller.clientHeight });
    draw();
  };
  const resize = new ResizeObserver(() => {
    const pane = painter.canvas.parentElement!;
    painter.resize(pane.clientWidth - painter.canvas.offsetLeft, scroller.clientHeight);
    scroll();
  });
  resize.observe(scroller);
  scroller.addEventListener("scroll", scroll);
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const repaint = () => painter.repaint();
  dark.addEventListener("change", repaint);
  const ends = [
    ...[liveSpan, trace, selected, view, whyAnswer].map((store) => (store as Store<unknown>).subscribe(draw)),
    followGestures(scroller, painter.canvas, gestured(painter, scroller, setPointed)),
    () => resize.disconnect(),
    () => scroller.removeEventListener("scroll", scroll),
    () => dark.removeEventListener("change", repaint),
    () => painter.stop(),
  ];
  return () => ends.forEach((end) => end());
}

function gestured(painter: Painter, scroller: HTMLElement, setPointed: (text: string) => void): Gestured {
  const at = (x: number) => painter.scale.from + x * painter.scale.nsPerPixel;
  const under = (x: number, y: number) => {
    const shown = painter.rowAt(y);
    const found = shown && hit(shown, at(x), 3 * painter.scale.nsPerPixel);
    return shown && found ? { shown, found } : null;
  };
  return {
    width: () => painter.width,
    scrollBy: (pixels) => scroller.scrollBy(0, pixels),
    canScroll: () => scroller.scrollHeight > scroller.clientHeight,
    hover(x, y) {
      painter.pointer = { x, y };
      const sample = sampleAt(painter, x, y);
      const log = logAt(painter, x, y);
      if (log !== undefined) setPointed(wordsOfLog(log));
      else setPointed(sample === undefined ? wordsFor(painter, at(x), under(x, y)) : wordsOf(sample));
      painter.schedule();
    },
    leave() {
      painter.pointer = null;
      setPointed("");
      painter.schedule();
    },
    click(x, y) {
      scroller.focus({ preventScroll: true });
      const sample = sampleAt(painter, x, y);
      if (sample !== undefined) {
        go({ sample: `${sample.track}@${sample.at_ns}`, log: undefined });
        return;
      }
      const log = logAt(painter, x, y);
      if (log !== undefined) {
        go({ log: `${log.track}@${log.at_ns}`, sample: undefined });
        return;
      }
      const target = under(x, y);
      if (target !== null) choose(target.shown.row);
      if (target === null) {
        if (view.value.sel !== undefined) deselect();
      } else if (target.found.kind === "interval") select(target.shown.row.id, target.found.index);
      else if (isOfMany(target.shown.row)) toggle(target.shown.row.id);
      else selectAt(target.shown.row.id, at(x));
    },
    doubleClick(x, y) {
      const target = under(x, y)?.found;
      if (target?.kind === "interval") glide({ from: target.begin, to: target.end });
      else zoom(1 / 8, x / painter.width);
    },
    measure(range, isDone) {
      painter.range = isDone ? null : range;
      painter.schedule();
      if (isDone) go({ range: `${Math.floor(range.from)}-${Math.ceil(range.to)}` });
    },
  };
}

/** The sample whose tick is pointed at. */
function sampleAt(painter: Painter, x: number, y: number): Sample | undefined {
  const shown = painter.rowAt(y);
  if (shown === undefined || y < shown.top + ROW_PX - SAMPLE_PX - 2) return undefined;
  const { from, nsPerPixel } = painter.scale;
  const near = { from: from + (x - 3) * nsPerPixel, to: from + (x + 4) * nsPerPixel };
  return painter.samples.of(shown.row.id, near)[0];
}

/** The log whose tick is pointed at. */
function logAt(painter: Painter, x: number, y: number): Log | undefined {
  const shown = painter.rowAt(y);
  if (shown === undefined || y > shown.top + (ROW_PX - LANE_PX) / 2 + SAMPLE_PX) return undefined;
  const { from, nsPerPixel } = painter.scale;
  const near = { from: from + (x - 3) * nsPerPixel, to: from + (x + 4) * nsPerPixel };
  return painter.samples.logsOf(shown.row.id, near)[0];
}

function wordsOfLog({ at_ns, count, text }: Log): string {
  const others = count === 1 ? "" : `, and ${count - 1} more`;
  return `${shownTime(at_ns)}: logged “${plainName(text, 100)}”${others}`;
}

function wordsOf({ at_ns, count, stack }: Sample): string {
  return `${shownTime(at_ns)}: ${count} CPU sample${count === 1 ? "" : "s"} in ${plainName(stack[0]?.function ?? "") || "code without a name"}`;
}

type Under = { shown: { row: Row }; found: NonNullable<ReturnType<typeof hit>> } | null;

function wordsFor(painter: Painter, at: number, under: Under): string {
  const time = shownTime(at, painter.scale.nsPerPixel);
  const gap = gapAt(at, 2 * painter.scale.nsPerPixel);
  if (gap !== undefined) return `${time}: ${wordsOfGap(gap)}`;
  if (under === null) return time;
  const { shown, found } = under;
  if (found.kind === "mix") {
    return `${time}: ${found.count} intervals, ${titleOfMix(found)}; the longest ${duration(found.longest)}, ${stateTitle(found.longestState)}`;
  }
  const label = painter.labels.of(shown.row.id, found.label);
  return `${time}: ${stateTitle(found.state)} for ${duration(found.end - found.begin)}${label === "" ? "" : `, ${label}`}`;
}
