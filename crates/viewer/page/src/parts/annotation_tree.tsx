// What the program's author has annotated in a task or a user task: user tasks, regions and logs, each below what it is in.
import { useMemo } from "preact/hooks";
import { useAnswer } from "../api/answer";
import { trace } from "../api/trace";
import { shownTime } from "../clock";
import { count, duration } from "../duration";
import { FunctionName, Name } from "../name";
import { useStore } from "../store";
import { around, asParameters } from "../time_window";
import { linkTo, view, type Change } from "../view";
import { TaskLink } from "./task_link";

interface Annotation {
  kind: "user_task" | "region" | "log";
  /** How many it is in. */
  depth: number;
  track: string;
  /** The number of a region on its track. */
  index: number | null;
  name: string;
  text: string;
  task: string | null;
  task_name: string;
  /** The track of all user tasks of its name. */
  group: string | null;
  begin_ns: number;
  end_ns: number;
  is_open_left: boolean;
  is_open_right: boolean;
}

interface TreeTold {
  /** Each after what it is in. */
  nodes: Annotation[];
  total: number;
}

interface Branch {
  annotation: Annotation;
  below: Branch[];
}

/** More would be too many elements. */
const MOST = 150;

/** What is in more than so many others stands beside them. */
const DEEPEST = 24;

export function AnnotationTree({ id }: { id: string }) {
  useStore(view);
  const isRead = useStore(trace)?.state !== "reading";
  const { told, error } = useAnswer<TreeTold>(isRead ? "tree" : null, { id, most: MOST });
  const branches = useMemo(() => branchesOf(told?.nodes ?? []), [told]);
  if (error !== null) return <p class="note error">{error}</p>;
  if (told === null || told.total === 0) return null;
  return (
    <section class="tree" aria-label="What the program annotated">
      <h2>user tasks, regions and logs</h2>
      <Branches id={id} branches={branches} />
      {told.total > told.nodes.length && <p class="note">and {count(told.total - told.nodes.length)} more</p>}
    </section>
  );
}

function Branches({ id, branches }: { id: string; branches: readonly Branch[] }) {
  return (
    <ul>
      {branches.map(({ annotation, below }, place) => (
        <li key={place}>
          <Line id={id} annotation={annotation} />
          {below.length > 0 && <Branches id={id} branches={below} />}
        </li>
      ))}
    </ul>
  );
}

/** `id` is whose page this is: what it did itself does not say so. */
function Line({ id, annotation }: { id: string; annotation: Annotation }) {
  const { kind, track, task, begin_ns, end_ns } = annotation;
  const at = <a href={linkTo(onTimeline(annotation))}>{shownTime(begin_ns)}</a>;
  const by = task === null || task === id ? null : <TaskLink id={task} />;
  if (kind === "log") {
    const said = annotation.name === "" ? annotation.text : `${annotation.name}: ${annotation.text}`;
    return (
      <>
        {at} <span class="faint">logged</span> <Name of={said} empty="(an empty message)" most={120} /> {by}
      </>
    );
  }
  return (
    <>
      {at} {kind === "region" ? <span class="faint">region</span> : track === id ? "user task" : <TaskLink id={track} />}{" "}
      <Name of={annotation.name} empty={annotation.is_open_left ? "(began before the trace)" : undefined} most={60} />{" "}
      <strong>{duration(end_ns - begin_ns)}</strong>
      {(annotation.is_open_left || annotation.is_open_right) && " at least"} {by}
      {by !== null && kind === "user_task" && track === id && (
        <>
          {" "}
          <FunctionName of={annotation.task_name} />
        </>
      )}
    </>
  );
}

function onTimeline({ kind, track, index, task, group, begin_ns, end_ns }: Annotation): Change {
  const span = asParameters(around({ from: begin_ns, to: Math.max(end_ns, begin_ns + 1) }, 0.3));
  switch (kind) {
    case "user_task":
      return { page: undefined, by: kind, open: group ?? undefined, sel: task === null ? undefined : `${task}@${begin_ns}`, ...span };
    case "region":
      return { page: undefined, sel: `${track}/${index ?? 0}`, ...span };
    case "log":
      return { page: undefined, sel: `${track}@${begin_ns}`, log: `${track}@${begin_ns}` };
  }
}

function branchesOf(nodes: readonly Annotation[]): Branch[] {
  const top: Branch[] = [];
  // Of each depth the list that the next one belongs to.
  const lists = [top];
  for (const annotation of nodes) {
    const depth = Math.min(annotation.depth, DEEPEST, lists.length - 1);
    const branch = { annotation, below: [] };
    lists[depth]!.push(branch);
    lists.splice(depth + 1, lists.length, branch.below);
  }
  return top;
}
