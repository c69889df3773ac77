// Runs of tracks: what `api/runs` sends, laid over its bytes without a copy.
const MAGIC = 0x31525458;

/** How many states a mix tells of. */
export const STATES = 8;

/** How a track's intervals and mixes stand in a stretch of time. */
export interface Runs {
  /** What a full share means, in ns of time in a bucket: more than the bucket has where tasks add up. */
  full: number;
  /** Intervals of at least a bucket, in order, with their true ends. */
  begin: Float64Array;
  end: Float64Array;
  index: Uint32Array;
  label: Uint32Array;
  state: Uint8Array;
  /** Buckets that hold time of shorter ones, in order. */
  bucket: Uint32Array;
  count: Uint32Array;
  longest: Float32Array;
  longestState: Uint8Array;
  /** `STATES` for each bucket: the share of its time, of 255. */
  share: Uint8Array;
}

/** The same, and what its buckets are. */
export interface TrackRuns extends Runs {
  /** Where its first bucket begins, and how long each is. */
  from: number;
  bucketNs: number;
  /** Up to when it tells of the track. */
  to: number;
}

export interface RunsAnswer {
  revision: number;
  /** A track's stretch may be told in pieces, one after another. */
  tracks: TrackRuns[][];
}

export function decodeRuns(buffer: ArrayBuffer): RunsAnswer {
  const head = new DataView(buffer);
  if (head.getUint32(0, true) !== MAGIC) throw new Error("The server's runs are of another version than this page.");
  const trackCount = head.getUint32(4, true);
  const from = head.getFloat64(8, true);
  const bucketNs = head.getFloat64(16, true);
  const to = from + bucketNs * head.getUint32(24, true);
  const cursor = new Cursor(buffer, 32);
  const tracks = Array.from({ length: trackCount }, () => [{ ...decodeTrack(cursor), from, bucketNs, to }]);
  return { revision: head.getUint32(28, true), tracks };
}

function decodeTrack(cursor: Cursor): Runs {
  const [intervals = 0, mixes = 0] = cursor.uint32(2);
  const [full = 1] = cursor.float64(1);
  return {
    full,
    begin: cursor.float64(intervals),
    end: cursor.float64(intervals),
    index: cursor.uint32(intervals),
    label: cursor.uint32(intervals),
    state: cursor.uint8(intervals),
    bucket: cursor.uint32(mixes),
    count: cursor.uint32(mixes),
    longest: cursor.float32(mixes),
    longestState: cursor.uint8(mixes),
    share: cursor.uint8(mixes * STATES),
  };
}

/** Reads arrays, each padded to eight bytes. */
class Cursor {
  constructor(
    readonly buffer: ArrayBuffer,
    public at: number,
  ) {}

  float64(length: number): Float64Array {
    return new Float64Array(this.buffer, this.#take(length * 8), length);
  }

  float32(length: number): Float32Array {
    return new Float32Array(this.buffer, this.#take(length * 4), length);
  }

  uint32(length: number): Uint32Array {
    return new Uint32Array(this.buffer, this.#take(length * 4), length);
  }

  uint8(length: number): Uint8Array {
    return new Uint8Array(this.buffer, this.#take(length), length);
  }

  #take(length: number): number {
    const start = this.at;
    this.at += (length + 7) & ~7;
    return start;
  }
}
