// Sheets of an exported page have differences where numbers rise, since these pack better: turns them back where they lie.

const HEADER = 32;

/** Turns the answer about tracks back into what the server says. */
export function undo(buffer: ArrayBuffer): ArrayBuffer {
  let at = HEADER;
  for (let left = new DataView(buffer).getUint32(4, true); left > 0; left--) at = undoTrack(buffer, at);
  return buffer;
}

/** Turns the track that begins at a place back, and gives the place behind it. */
function undoTrack(buffer: ArrayBuffer, at: number): number {
  const [intervals = 0, mixes = 0] = new Uint32Array(buffer, at, 2);
  const begins = at + 16;
  const ends = begins + 8 * intervals;
  const indexes = ends + 8 * intervals;
  const labels = indexes + padded(4 * intervals);
  const states = labels + padded(4 * intervals);
  const buckets = states + padded(intervals);
  const begin = new Float64Array(buffer, begins, intervals);
  const end = new Float64Array(buffer, ends, intervals);
  let before = 0;
  for (let place = 0; place < intervals; place++) {
    begin[place]! += before;
    end[place]! += begin[place]!;
    before = end[place]!;
  }
  rise(new Uint32Array(buffer, indexes, intervals));
  rise(new Uint32Array(buffer, buckets, mixes));
  return buckets + 3 * padded(4 * mixes) + padded(mixes) + 8 * mixes;
}

function rise(numbers: Uint32Array): void {
  for (let place = 1; place < numbers.length; place++) numbers[place]! += numbers[place - 1]!;
}

/** Each array begins at a multiple of eight. */
function padded(bytes: number): number {
  return (bytes + 7) & ~7;
}
