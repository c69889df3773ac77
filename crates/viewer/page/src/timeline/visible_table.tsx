// What the canvas shows, as a table that is not seen: for screen readers and for tests.
import { useEffect, useState } from "preact/hooks";
import { shownTime } from "../clock";
import { duration } from "../duration";
import { plainName } from "../name";
import { liveSpan } from "../time_window";
import { framesDone, type Painter } from "./painter";
import { stateTitle } from "./state";
import { firstEndAfter } from "./tile";

const MOST = 200;

/** The table follows when no frame was drawn for so long. */
const REST_MS = 80;

interface VisibleInterval {
  track: string;
  name: string;
  index: number;
  state: number;
  label: string;
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
          <tr key={`${interval.track}/${interval.index}`} data-id={`${interval.track}/${interval.index}`}>
            <td>{plainName(interval.name, 60)}</td>
            <td>
              {stateTitle(interval.state)}
              {interval.label === "" ? "" : `: ${interval.label}`}
            </td>
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
  for (const { row, pieces } of painter.shown) {
    for (const { tile, from: first } of pieces) {
      for (let place = firstEndAfter(tile.end, Math.max(first, from)); place < tile.begin.length; place++) {
        if (tile.begin[place]! >= to) break;
        if (found.size >= MOST) return [...found.values()];
        const index = tile.index[place]!;
        found.set(`${row.id}/${index}`, {
          track: row.id,
          name: row.name,
          index,
          state: tile.state[place]!,
          label: painter.labels.of(row.id, tile.label[place]!),
          begin: tile.begin[place]!,
          end: tile.end[place]!,
        });
      }
    }
  }
  return [...found.values()];
}
