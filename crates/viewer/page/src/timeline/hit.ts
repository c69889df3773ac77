// What is at a point of the timeline.
import { STATES } from "../api/runs";
import { stateTitle } from "./state";
import { firstAtLeast, firstEndAfter } from "./tile";
import type { ShownRow } from "./row_layout";

export interface HitInterval {
  kind: "interval";
  index: number;
  state: number;
  label: number;
  begin: number;
  end: number;
}

export interface HitMix {
  kind: "mix";
  from: number;
  to: number;
  count: number;
  longest: number;
  longestState: number;
  /** Each state with its share of the time, the largest first. */
  shares: { state: number; share: number }[];
}

/** What a row has at a time; `slack` is how far beside a short interval one may point. */
export function hit({ pieces }: ShownRow, at: number, slack: number): HitInterval | HitMix | null {
  const piece = pieces.find(({ from, to }) => at >= from && at < to);
  if (piece === undefined) return null;
  const { tile } = piece;
  const place = firstEndAfter(tile.end, at);
  if (place < tile.begin.length && tile.begin[place]! <= at) return interval(tile, place);
  const bucket = Math.floor((at - tile.from) / tile.bucketNs);
  const mix = firstAtLeast(tile.bucket, bucket);
  if (tile.bucket[mix] === bucket) {
    const from = tile.from + bucket * tile.bucketNs;
    const shares = Array.from(tile.share.subarray(mix * STATES, (mix + 1) * STATES), (share, state) => ({
      state,
      share: share / 255,
    }));
    return {
      kind: "mix",
      from,
      to: from + tile.bucketNs,
      count: tile.count[mix]!,
      longest: tile.longest[mix]!,
      longestState: tile.longestState[mix]!,
      shares: shares.filter(({ share }) => share > 0).sort((a, b) => b.share - a.share),
    };
  }
  const near = [place, place - 1].find(
    (beside) => beside >= 0 && tile.begin[beside]! - slack <= at && tile.end[beside]! + slack >= at,
  );
  return near === undefined ? null : interval(tile, near);
}

export function titleOfMix({ shares }: HitMix): string {
  return shares.map(({ state, share }) => `${stateTitle(state)} ${Math.round(share * 100)} %`).join(", ");
}

function interval(tile: ShownRow["pieces"][number]["tile"], place: number): HitInterval {
  return {
    kind: "interval",
    index: tile.index[place]!,
    state: tile.state[place]!,
    label: tile.label[place]!,
    begin: tile.begin[place]!,
    end: tile.end[place]!,
  };
}
