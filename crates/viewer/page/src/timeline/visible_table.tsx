// What the canvas shows, as a table that is not seen: for screen readers and for tests.
import { useEffect, useState } from "preact/hooks";
import { shownTime } from "../clock";
import { STATES } from "../api/runs";
import { duration, percent } from "../duration";
import { plainName } from "../name";
import type { Gap } from "../api/trace";
import { liveSpan } from "../time_window";
import { seenGaps } from "./gaps";
import { framesDone, type Painter } from "./painter";
import { meantPieces } from "./row_layout";
import { isOfMany, type Row } from "./rows";
import { stateTitle } from "./state";
import { firstEndAfter } from "./tile";
import type { Piece } from "./tile_cache";

const MOST = 200;

/** The table follows when no frame was drawn for so long. */
const REST_MS = 80;

interface VisibleInterval {
  /** `worker:0/17`; of a row of many its own id. */
  id: string;
  name: string;
  state: string;
  begin: number;
  end: number;
}

/** What a frame shows. */
interface Seen {
  frame: number;
  from: number;
  to: number;
  intervals: VisibleInterval[];
}

export function VisibleTable({ painter }: { painter: Painter | null }) {
  const [seen, setSeen] = useState<Seen>({ frame: 0, from: 0, to: 0, intervals: [] });
  useEffect(() => {
    if (painter === null) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const follow = () => {
      clearTimeout(timer);
      timer = setTimeout(() => setSeen(seenNow(painter)), REST_MS);
    };
    return framesDone.subscribe(follow);
  }, [painter]);
  return (
    <table class="unseen" id="visible-intervals" data-from={seen.from} data-to={seen.to} data-frame={seen.frame}>
      <caption>Visible intervals, at most {MOST}</caption>
      <thead>
        <tr>
          <th>Track</th>
          <th>State</th>
          <th>Since</th>
          <th>For</th>
        </tr>
      </thead>
      <tbody>
        {seen.intervals.map((interval) => (
          <tr key={interval.id} data-id={interval.id}>
            <td>{plainName(interval.name, 60)}</td>
            <td>{interval.state}</td>
            <td data-ns={interval.begin}>{shownTime(interval.begin)}</td>
            <td data-ns={interval.end - interval.begin}>{duration(interval.end - interval.begin)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function seenNow(painter: Painter): Seen {
  return { frame: framesDone.value, ...liveSpan.value, intervals: visibleIntervals(painter) };
}

function visibleIntervals(painter: Painter): VisibleInterval[] {
  const found = new Map<string, VisibleInterval>();
  const { from, to } = liveSpan.value;
  for (const [place, gap] of seenGaps({ from, to }).entries()) found.set(`gap/${place}`, rowOf(gap, place));
  for (const shown of painter.shown) {
    const { row } = shown;
    const pieces = meantPieces(shown);
    // A row of many has no intervals of its own.
    if (isOfMany(row)) found.set(row.id, summaryOf(row, pieces));
    for (const { tile, from: first } of pieces) {
      for (let place = firstEndAfter(tile.end, Math.max(first, from)); place < tile.begin.length; place++) {
        if (tile.begin[place]! >= to) break;
        if (found.size >= MOST) return [...found.values()];
        const index = tile.index[place]!;
        const label = painter.labels.of(row.id, tile.label[place]!);
        found.set(`${row.id}/${index}`, {
          id: `${row.id}/${index}`,
          name: row.name,
          state: label === "" ? stateTitle(tile.state[place]!) : `${stateTitle(tile.state[place]!)}: ${label}`,
          begin: tile.begin[place]!,
          end: tile.end[place]!,
        });
      }
    }
  }
  return [...found.values()];
}

function rowOf({ from_ns, to_ns }: Gap, place: number): VisibleInterval {
  return { id: `gap/${place}`, name: "all tracks", state: "data is lost", begin: from_ns, end: to_ns };
}

/** What the members of a row did in what is seen, as shares of their time. */
function summaryOf(row: Row, pieces: readonly Piece[]): VisibleInterval {
  const { from, to } = liveSpan.value;
  const sums = new Float64Array(STATES);
  for (const { tile, from: first, to: last } of pieces) {
    for (let mix = 0; mix < tile.bucket.length; mix++) {
      const at = tile.from + tile.bucket[mix]! * tile.bucketNs;
      if (at < Math.max(first, from) || at >= Math.min(last, to)) continue;
      for (let state = 1; state < STATES; state++) sums[state]! += tile.share[mix * STATES + state]! * tile.full * tile.bucketNs;
    }
  }
  const all = sums.reduce((sum, time) => sum + time, 0);
  const shares = Array.from(sums, (time, state) => ({ state, time })).filter(({ time }) => time > 0);
  const words = shares.sort((a, b) => b.time - a.time).map(({ state, time }) => `${stateTitle(state)} ${percent(time / all)}`);
  return { id: row.id, name: row.name, state: words.join(", ") || "not there", begin: from, end: to };
}
