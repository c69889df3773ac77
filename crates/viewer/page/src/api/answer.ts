// What the server says to a question, for components: the last answer stays until the next one is there.
import { useEffect, useRef, useState } from "preact/hooks";
import { useStore } from "../store";
import { address, isAbort, json, type Query } from "./request";
import { trace } from "./trace";

export interface Answer<T> {
  /** The last answer, if there is any. */
  told: T | null;
  /** Whether it is about another question than the one that was asked last. */
  isStale: boolean;
  /** Why there is none. */
  error: string | null;
}

/** Asks when the question changes, and anew when the server knows more; null asks nothing. */
export function useAnswer<T>(path: string | null, query: Query = {}): Answer<T> {
  const revision = useStore(trace)?.revision;
  const question = path === null ? null : address(path, query);
  const [answer, setAnswer] = useState<Answer<T>>({ told: null, isStale: true, error: null });
  const subject = useRef(path);
  useEffect(() => {
    if (path === null || revision === undefined) {
      setAnswer({ told: null, isStale: false, error: null });
      return;
    }
    const controller = new AbortController();
    // An answer about something else says nothing here.
    const keep = subject.current === path;
    subject.current = path;
    setAnswer((before) => ({ told: keep ? before.told : null, isStale: true, error: null }));
    json<T>(path, query, controller.signal).then(
      (told) => setAnswer({ told, isStale: false, error: null }),
      (error: unknown) => {
        if (isAbort(error)) return;
        setAnswer({ told: null, isStale: false, error: error instanceof Error ? error.message : String(error) });
      },
    );
    return () => controller.abort();
  }, [question, revision]);
  return answer;
}
