// The pages, a row each: the keys 1, 2, 3 … open them in this order.
import type { ComponentType } from "preact";
import type { Trace, Words } from "../api/trace";
import { Blockers } from "./blockers";
import { Diff } from "./diff";
import { Gc } from "./gc";
import { Latency } from "./latency";
import { Overview } from "./overview";
import { Profile } from "./profile";
import { Task } from "./task";
import { Tasks } from "./tasks";
import { Workers } from "./workers";

export interface Page {
  /** As it stands in the URL. */
  name: string;
  title: (words: Words) => string;
  content: ComponentType;
  /** Whether it stands in the navigation: others are reached by links. */
  isListed?: (told: Trace) => boolean;
}

export const PAGES: readonly Page[] = [
  { name: "overview", title: () => "overview", content: Overview },
  { name: "tasks", title: ({ tasks }) => tasks, content: Tasks },
  { name: "latency", title: () => "user tasks and regions", content: Latency },
  { name: "profile", title: () => "profile", content: Profile },
  { name: "blockers", title: () => "blockers", content: Blockers },
  { name: "workers", title: ({ workers }) => workers, content: Workers },
  { name: "gc", title: () => "GC", content: Gc },
  // Of two traces.
  { name: "diff", title: () => "what changed", content: Diff, isListed: ({ other }) => typeof other === "string" },
  { name: "task", title: ({ task }) => `one ${task}`, content: Task, isListed: () => false },
];

/** Those that the trace has something for, in their order. */
export function listedPages(told: Trace | null): readonly Page[] {
  return PAGES.filter(({ isListed }) => isListed === undefined || (told !== null && isListed(told)));
}
