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
  const now = useStore(trace)?.revision;
  const isReady = now !== undefined;
  const question = path === null || !isReady ? null : address(path, query);
  const [answer, setAnswer] = useState<Answer<T>>({ told: null, isStale: true, error: null });
  const subject = useRef(path);
  const asking = useRef<{ question: string; revision: number | undefined; controller: AbortController } | null>(null);

  const ask = () => {
    if (path === null || question === null) return;
    const controller = new AbortController();
    const own = { question, revision: trace.value?.revision, controller };
    asking.current = own;
    const end = (next: Answer<T>) => {
      if (asking.current !== own) return;
      asking.current = null;
      setAnswer(next);
      // The server has learned more meanwhile.
      if (trace.value?.revision !== own.revision) ask();
    };
    json<T>(path, query, controller.signal).then(
      (told) => end({ told, isStale: false, error: null }),
      (error: unknown) => {
        if (!isAbort(error)) end({ told: null, isStale: false, error: error instanceof Error ? error.message : String(error) });
      },
    );
  };

  useEffect(() => {
    asking.current?.controller.abort();
    asking.current = null;
    // An answer about something else says nothing here.
    const keep = subject.current === path;
    subject.current = path;
    setAnswer((before) => ({ told: keep ? before.told : null, isStale: question !== null || !isReady, error: null }));
    ask();
    return () => asking.current?.controller.abort();
  }, [question]);

  useEffect(() => {
    // One that is asked already asks again by itself.
    if (asking.current === null && question !== null && !answer.isStale) ask();
  }, [now]);
  return answer;
}
