// What stands in an interval: on tracks of workers and threads the task that ran, on those of tasks what it waited for, on
// those of regions what they are called.
import { json } from "../api/request";
import { plainName } from "../name";

interface Names {
  tasks: Record<string, { id: string; name: string }>;
  causes: Record<string, string>;
}

/** So many names are asked for at once. */
const MOST_AT_ONCE = 200;

/** So many are kept. */
const MOST_KEPT = 20_000;

/** What is asked for: labels of tracks of workers and threads are tasks, those of tracks of tasks and regions are causes. */
type Kind = "tasks" | "causes";

export class Labels {
  readonly #known = new Map<string, string>();
  readonly #wanted = new Set<string>();
  #isAsking = false;

  constructor(readonly loaded: () => void) {}

  /** The label of an interval; empty until it is there. */
  of(track: string, label: number): string {
    const kind = kindOf(track);
    if (kind === null || (label === 0 && kind === "causes")) return "";
    const key = `${kind} ${label}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (this.#wanted.size < MOST_AT_ONCE) this.#wanted.add(key);
    void this.#ask();
    return "";
  }

  async #ask(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    // What the rest of this frame wants is asked for in one go.
    await new Promise((done) => setTimeout(done, 30));
    const wanted = [...this.#wanted];
    const numbers = (kind: Kind) =>
      wanted
        .filter((key) => key.startsWith(kind))
        .map((key) => key.slice(kind.length + 1))
        .join(",") || undefined;
    try {
      const names = await json<Names>("labels", { tasks: numbers("tasks"), causes: numbers("causes") });
      if (this.#known.size > MOST_KEPT) this.#known.clear();
      // What the server does not know has no label, and is not asked for again.
      for (const key of wanted) this.#known.set(key, "");
      for (const [number, { id, name }] of Object.entries(names.tasks)) this.#known.set(`tasks ${number}`, title(id, name));
      for (const [number, reason] of Object.entries(names.causes)) this.#known.set(`causes ${number}`, plainName(reason, 80));
    } catch {
      // Unlabelled intervals say enough; the next frame that wants them asks again.
      await new Promise((done) => setTimeout(done, 2000));
    }
    this.#wanted.clear();
    this.#isAsking = false;
    this.loaded();
  }
}

function kindOf(track: string): Kind | null {
  if (track.startsWith("task:") || track.startsWith("regions:")) return "causes";
  return track.startsWith("worker:") || track.startsWith("thread:") ? "tasks" : null;
}

/** The number, and what tells most of a function's name: its last parts. */
function title(id: string, name: string): string {
  const number = id.slice(id.indexOf(":") + 1);
  const short = plainName(name.slice(name.lastIndexOf("/") + 1), 80);
  return short === "" ? number : `${number} ${short}`;
}
