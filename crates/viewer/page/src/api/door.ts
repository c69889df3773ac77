// Who answers: the server that the page came from, or the page itself if it was exported.
import { archive } from "../exported/archive";
import { ExportedPage } from "../exported/exported_page";
import type { Query } from "./question";
import type { RunsAnswer } from "./runs";
import { server } from "./server";

export interface Door {
  json<T>(path: string, query: Query, signal?: AbortSignal): Promise<T>;
  /** Tracks in a stretch of time, in the order of the question. */
  runs(question: RunsQuestion): Promise<RunsAnswer>;
}

export interface RunsQuestion {
  tracks: readonly string[];
  from: number;
  to: number;
  width: number;
  /** The filter that says what is to be told of. */
  where: string | undefined;
}

/** This page, if it was exported. */
export const exportedPage = archive === null ? null : new ExportedPage(archive);

export const door: Door = exportedPage ?? server;
