// Reports. They tell times since the first event, as the page does.
import { useStore } from "../store";
import { useAnswer, type Answer } from "./answer";
import type { Query } from "./request";
import { trace } from "./trace";

/** The report of this name; null asks for none. */
export function useReport<T>(name: string | null, query: Query): Answer<T> {
  // The server reads the whole trace for it: not beside the reading that everybody waits for.
  const isRead = useStore(trace)?.state !== "reading";
  return useAnswer<T>(name === null || !isRead ? null : `report/${name}`, query);
}
