// What an exported page says to its own questions: the server's answers that stand in it, or what follows from them.
import type { Door, RunsQuestion } from "../api/door";
import type { Query } from "../api/question";
import { RequestError } from "../api/request_error";
import type { RunsAnswer } from "../api/runs";
import { readAbout, type About } from "./about";
import type { Archive } from "./archive";
import { commandFor } from "./command";
import { interval } from "./intervals";
import { labels } from "./labels";
import { logs } from "./logs";
import { curves, members, scatter } from "./over_time";
import { questionOf } from "./question";
import { samples } from "./samples";
import { Sheets } from "./sheets";

/** Where an answer follows from others, by the path of the question; null where it does not. */
const FOLLOWS: Readonly<Record<string, (archive: Archive, about: About, query: Query) => Promise<unknown> | null>> = {
  curves,
  scatter,
  interval,
  tracks: members,
  labels: (archive, _, query) => labels(archive, query),
  logs,
  marks: samples,
};

export class ExportedPage implements Door {
  readonly about: Promise<About>;
  readonly #sheets: Promise<Sheets>;

  constructor(readonly archive: Archive) {
    this.about = readAbout(archive);
    this.#sheets = this.about.then(({ sheets, end_ns }) => new Sheets(archive, sheets, end_ns));
  }

  async json<T>(path: string, query: Query): Promise<T> {
    const told = await this.archive.json<T>(questionOf(path, query));
    if (told !== null) return told;
    const about = await this.about;
    // Only a server knows what another filter leaves.
    const follows = query["where"] === undefined ? await FOLLOWS[path]?.(this.archive, about, query) : null;
    if (follows !== null && follows !== undefined) return follows as T;
    const command = commandFor(path, query, about);
    throw new RequestError(404, `This page was exported without that. \`${command}\` shows it.`);
  }

  async runs({ tracks, from, to, width }: RunsQuestion): Promise<RunsAnswer> {
    return (await this.#sheets).runs(tracks, from, to, width);
  }
}
