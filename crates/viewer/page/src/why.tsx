// Why the task that is asked about took so long: the server goes through the whole trace for it, so it is asked once, on demand, for
// all that shows it. What is asked stands in the URL, as `why=task:7@1200000`.
import { useEffect } from "preact/hooks";
import type { Answer } from "./api/answer";
import { useReport } from "./api/report";
import type { WhyReport } from "./api/reports";
import { selected } from "./selection";
import { Store, useStore } from "./store";
import { go, view } from "./view";

/** One of those who waited for one another, the one that is asked about first. */
export type ChainLink = WhyReport["chain"][number];

interface Question {
  task: string;
  at: number;
}

const NONE: Answer<WhyReport> = { told: null, isStale: false, error: null };

export const whyAnswer = new Store<Answer<WhyReport>>(NONE);

/** Asks as long as it is mounted. */
export function FollowWhy() {
  const asked = questionOf(useStore(view).why);
  const answer = useReport<WhyReport>(asked === null ? null : "why", { id: asked?.task, at: asked?.at, most: 8 });
  useEffect(() => whyAnswer.set(asked === null ? NONE : answer), [asked === null, answer]);
  useEffect(() => () => whyAnswer.set(NONE), []);
  return null;
}

/** Whether it is this task that is asked about. */
export function isAskedAbout(task: string, why: string | undefined): boolean {
  return questionOf(why)?.task === task;
}

export function ask(task: string, at: number): void {
  go({ why: `${task}@${Math.floor(at)}` });
}

/** Asks about the task of the selection, or no longer. */
export function toggleWhy(): void {
  const { interval } = selected.value;
  if (interval === null || interval.task === null) return;
  if (isAskedAbout(interval.task, view.value.why)) go({ why: undefined });
  else ask(interval.task, interval.from_ns);
}

/** Who waited for whom, as far as it is told. */
export function chain(): readonly ChainLink[] {
  const { told, isStale } = whyAnswer.value;
  return isStale ? [] : (told?.chain ?? []);
}

function questionOf(why: string | undefined): Question | null {
  const [, task, at] = /^(task:\d+)@(\d+)$/.exec(why ?? "") ?? [];
  return task === undefined || at === undefined ? null : { task, at: Number(at) };
}
