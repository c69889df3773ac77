// The rows of the timeline: the tracks of the chosen kind, with the tasks of those groups that are open, and with the regions of such
// tasks.
import { useEffect, useState } from "preact/hooks";
import { isAbort, json } from "../api/request";
import { trace } from "../api/trace";
import { Store, useStore } from "../store";
import { restingSpan } from "../time_window";
import { go, view } from "../view";

export interface Track {
  id: string;
  name: string;
  detail: string;
  members: number;
  has_children: boolean;
}

interface TracksAnswer {
  revision: number;
  tracks: Track[];
  truncated: boolean;
  total: number;
}

export interface Row extends Track {
  /** Its id, below those of the rows that it is in: a task may be in several. */
  path: string;
  depth: number;
  isOpen: boolean;
}

/** Whether a row tells of many at once, and so has no intervals. */
export function isOfMany({ id, has_children }: Row): boolean {
  return has_children && !id.startsWith("task:");
}

export interface Rows {
  rows: readonly Row[];
  /** How many tracks of the kind are not among them. */
  left: number;
  error: string | null;
  /** The filter that they are left by. */
  where: string | undefined;
}

const NONE: Rows = { rows: [], left: 0, error: null, where: undefined };

/** Ways to look at a trace. */
export const TRACK_KINDS = ["worker", "thread", "group", "user_task", "region"] as const;

const MOST = 500;

export const shownRows = new Store<Rows>(NONE);

/** The path of the row that was last selected by hand: its track may have others. */
let chosenPath = "";

/** Whoever looks at rows one by one goes on from this one. */
export function choose({ path }: Row): void {
  chosenPath = path;
}

/** The place of a track among rows, that which was chosen if it has several; -1 if it has none. */
export function placeOf(track: string | undefined, rows: readonly Row[]): number {
  const chosen = rows.findIndex(({ id, path }) => id === track && path === chosenPath);
  return chosen < 0 ? rows.findIndex(({ id }) => id === track) : chosen;
}

export function useRows(): Rows {
  const { by = "worker", open = "", q: search, where: filter } = useStore(view);
  const told = useStore(trace);
  const revision = told?.revision;
  // It asks all of the trace.
  const where = told?.state === "reading" ? undefined : filter;
  const span = useStore(restingSpan);
  const [rows, setRows] = useState<Rows>(shownRows.value);
  // Only the members of open groups depend on the window.
  const window = open === "" ? "" : `${span.from} ${span.to}`;
  useEffect(() => {
    if (revision === undefined) return;
    const controller = new AbortController();
    askFilteredRows({ by, search, where }, open, controller.signal).then(
      (found) => {
        shownRows.set(found);
        setRows(found);
      },
      (error: unknown) => {
        if (!isAbort(error)) setRows({ ...NONE, error: wordsOf(error) });
      },
    );
    return () => controller.abort();
  }, [by, open, search, where, revision, window]);
  return rows;
}

/** Opens or closes a group. */
export function toggle(id: string): void {
  const open = new Set((view.value.open ?? "").split(",").filter((name) => name !== ""));
  if (!open.delete(id)) open.add(id);
  go({ open: [...open].join(",") });
}

/** Which tracks are asked for. */
interface Wanted {
  by: string;
  search: string | undefined;
  where: string | undefined;
}

/** Of a filter that makes no sense it is told why, beside all rows. */
async function askFilteredRows(wanted: Wanted, open: string, signal: AbortSignal): Promise<Rows> {
  if (wanted.where === undefined) return askRows(wanted, open, signal);
  try {
    return await askRows(wanted, open, signal);
  } catch (error) {
    if (isAbort(error)) throw error;
    return { ...(await askRows({ ...wanted, where: undefined }, open, signal)), error: wordsOf(error) };
  }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function askRows({ by, search, where }: Wanted, open: string, signal: AbortSignal): Promise<Rows> {
  const asked = await json<TracksAnswer>("tracks", { by, search, where, most: MOST }, signal);
  const opened = new Set(open.split(","));
  const { from, to } = restingSpan.value;
  const query = { from: Math.floor(from), to: Math.ceil(to), most: MOST };
  const rowsOf = async (tracks: readonly Track[], depth: number, above: string): Promise<Row[]> => {
    const rows = tracks.map(async (track): Promise<Row[]> => {
      const path = `${above}${track.id}`;
      const isOpen = track.has_children && opened.has(track.id);
      if (!isOpen) return [{ ...track, path, depth, isOpen }];
      // What is searched for are tasks; their regions have no names of their own.
      const asked = { ...query, by, search: depth === 0 ? search : undefined, where, parent: track.id };
      const children = await json<TracksAnswer>("tracks", asked, signal);
      return [{ ...track, path, depth, isOpen }, ...(await rowsOf(children.tracks, depth + 1, `${path} `))];
    });
    return (await Promise.all(rows)).flat();
  };
  const rows = await rowsOf(asked.tracks, 0, "");
  return { rows, left: asked.truncated ? asked.total - asked.tracks.length : 0, error: null, where };
}
