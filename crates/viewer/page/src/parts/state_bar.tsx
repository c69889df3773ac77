// A bar of time by state, with what it shows in words.
import type { StateName } from "../api/reports";
import { duration, percent } from "../duration";

export interface StatePart {
  state: StateName;
  ns: number;
}

export const STATE_TITLES: Record<StateName, string> = {
  running: "running",
  runnable: "runnable",
  blocked: "waiting",
  syscall: "system calls",
  unknown: "not known",
};

export function StateBar({ parts, withWords = false }: { parts: readonly StatePart[]; withWords?: boolean }) {
  const total = parts.reduce((sum, { ns }) => sum + ns, 0);
  const shown = parts.filter(({ ns }) => ns > 0);
  const words = shown.map(({ state, ns }) => `${STATE_TITLES[state]} ${duration(ns)} (${percent(ns / total)})`);
  return (
    <>
      <div class="state-bar" role="img" aria-label={words.join(", ") || "no time"}>
        {shown.map(({ state, ns }, place) => (
          <i key={place} class={`swatch ${state}`} style={{ flexGrow: ns }} />
        ))}
      </div>
      {withWords && (
        <ul class="words">
          {shown.map(({ state }, place) => (
            <li key={place}>
              <i class={`swatch ${state}`} aria-hidden="true" /> {words[place]}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
