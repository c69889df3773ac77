// Which finding is looked at, and the way to where it costs most.
import type { Finding } from "../api/reports";
import { Store } from "../store";
import { asParameters, around } from "../time_window";
import { changed, go, linkTo, view, type Change } from "../view";

export const findings = new Store<readonly Finding[]>([]);

/** The place of the finding that was chosen last; -1 before any was. */
export const chosen = new Store(-1);

/** Chooses the next finding, or the one before, and shows it. */
export function stepFinding(by: number): void {
  const total = findings.value.length;
  if (total === 0) return;
  chosen.set((chosen.value + by + total + (chosen.value < 0 && by < 0 ? 1 : 0)) % total);
  openFinding();
}

export function openFinding(): void {
  const finding = findings.value[chosen.value];
  if (finding !== undefined) go(changeFor(finding));
}

export function findingLink(finding: Finding, evidence = 0): string {
  return linkTo(changeFor(finding, evidence), changed(view.value, { range: undefined }));
}

/** What shows the finding: the stretch of its evidence, with the task there selected. */
function changeFor(finding: Finding, evidence = 0): Change {
  const case_ = finding.evidence[evidence];
  if (case_ === undefined) return {};
  const span = around({ from: case_.from_ns, to: case_.to_ns }, 0.5);
  return { page: undefined, ...asParameters(span), sel: `${case_.task}@${Math.floor(case_.from_ns)}` };
}
