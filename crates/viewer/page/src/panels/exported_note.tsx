// The note that a page was exported: when, and how much of the timeline it has.
import { useEffect, useState } from "preact/hooks";
import { exportedPage } from "../api/door";
import type { About } from "../exported/about";
import { duration, moment } from "../duration";
import { Name } from "../name";

export function ExportedNote() {
  const [about, setAbout] = useState<About | null>(null);
  useEffect(() => void exportedPage?.about.then(setAbout), []);
  if (about === null) return null;
  const files = about.older_arguments === null ? about.arguments : `${about.older_arguments} ${about.arguments}`;
  return (
    <p class="exported" role="note">
      exported on {new Date(about.made_at_ms).toISOString().slice(0, 16).replace("T", " ")} UTC: {detail(about)}. All of it, search and
      filters: <code>exectrace view <Name of={files} most={200} /></code>
    </p>
  );
}

/** How much of the timeline there is. */
function detail({ window, window_step_ns, step_ns, end_ns }: About): string {
  if (window === null || (window_step_ns === 0 && step_ns === 0)) return `the timeline ${of(step_ns)}`;
  const from = moment(window.from_ns, Math.max((window.to_ns - window.from_ns) / 100, 1));
  const stretch = `${duration(window.to_ns - window.from_ns)} from ${from} on ${of(window_step_ns)}`;
  return `${stretch}, the rest of ${duration(end_ns)} ${of(step_ns)}`;
}

function of(step_ns: number): string {
  return step_ns === 0 ? "in full" : `in steps of ${duration(step_ns)}`;
}
