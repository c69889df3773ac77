// What an exported page knows about itself.
import type { Archive } from "./archive";

/** A stretch of time. */
export interface Stretch {
  from_ns: number;
  to_ns: number;
}

/** Some tracks at a level of detail, in a stretch of time. */
export interface Sheet extends Stretch {
  tracks: string[];
  /** Buckets are 2^shift ns long. */
  shift: number;
}

/** The CPU samples of some tracks. */
export interface SamplesPart extends Stretch {
  tracks: string[];
}

/** Some intervals of a track, one after another: their numbers, and from when to when they are. */
export interface IntervalsPart extends Stretch {
  track: string;
  first: number;
  end: number;
}

export interface About {
  made_at_ms: number;
  /** The trace as arguments of a command. */
  arguments: string;
  /** The older one that it is compared with, likewise. */
  older_arguments: string | null;
  /** Where the trace ends. */
  end_ns: number;
  /** The stretch that was asked for; null for the whole trace. */
  window: Stretch | null;
  /** The longest bucket in it of which not all is told, in ns; 0 if all is. */
  window_step_ns: number;
  /** The same of the whole trace. */
  step_ns: number;
  /** Where curves stand in short buckets. */
  curves: Stretch[];
  sheets: Sheet[];
  samples: SamplesPart[];
  /** Tracks that something was logged on. */
  logged: string[];
  intervals: IntervalsPart[];
}

export async function readAbout(archive: Archive): Promise<About> {
  const about = await archive.json<About>("export");
  if (about === null) throw new Error("This page is damaged: it does not say what it has.");
  return about;
}

/** The stretches that pages are told of: the one that was asked for, and the whole trace. */
export function stretches({ window, end_ns }: About): Stretch[] {
  const whole = { from_ns: 0, to_ns: end_ns };
  return window === null ? [whole] : [window, whole];
}

/** The shortest that has all of another one. */
export function least<T extends Stretch>(all: readonly T[], from: number, to: number): T | null {
  const covering = all.filter(({ from_ns, to_ns }) => from_ns <= from && to <= to_ns);
  return covering.reduce<T | null>((best, it) => (best === null || length(it) < length(best) ? it : best), null);
}

function length({ from_ns, to_ns }: Stretch): number {
  return to_ns - from_ns;
}
