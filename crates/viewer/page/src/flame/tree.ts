// Stacks with times, as a tree: each node is a way from the outermost frame to some frame, or the other way round.
import type { ProfileReport } from "../api/reports";

export interface FlameNode {
  name: string;
  /** Where in the code: of the first frame that came. */
  file: string;
  line: number;
  /** What tasks waited for: a node that is no code. */
  isReason: boolean;
  ns: number;
  count: number;
  own_ns: number;
  depth: number;
  /** What lies to the left of it, in ns. */
  left_ns: number;
  parent: FlameNode | null;
  children: FlameNode[];
}

/** Deeper nodes are not drawn: no canvas is that high. */
const MOST_DEPTH = 400;

export function flameTree(stacks: ProfileReport["stacks"], isInverted: boolean): FlameNode {
  const root = node("all", null, false);
  const places = new Map<FlameNode, Map<string, FlameNode>>();
  for (const { ns, count, stack, waits_for: waitsFor } of stacks) {
    // Innermost first, as the server tells them, with what is waited for at the very end.
    const frames = stack.map((frame) => ({
      name: frame.function || "(unknown)",
      file: frame.file,
      line: frame.line,
      isReason: false,
    }));
    if (waitsFor) frames.unshift({ name: waitsFor, file: "", line: 0, isReason: true });
    if (frames.length === 0) frames.push({ name: "(no stack)", file: "", line: 0, isReason: false });
    let at = root;
    at.ns += ns;
    at.count += count;
    for (const frame of (isInverted ? frames : frames.reverse()).slice(0, MOST_DEPTH)) {
      const siblings = places.get(at) ?? new Map<string, FlameNode>();
      places.set(at, siblings);
      const key = `${frame.isReason ? "r" : "f"}${frame.name}`;
      let next = siblings.get(key);
      if (next === undefined) {
        next = { ...node(frame.name, at, frame.isReason), file: frame.file, line: frame.line };
        siblings.set(key, next);
        at.children.push(next);
      }
      next.ns += ns;
      next.count += count;
      at = next;
    }
    at.own_ns += ns;
  }
  layOut(root);
  return root;
}

/** The widest first, each beside the one before. */
function layOut(root: FlameNode): void {
  const open = [root];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    at.children.sort((a, b) => b.ns - a.ns || a.name.localeCompare(b.name));
    let left = at.left_ns;
    for (const child of at.children) {
      child.left_ns = left;
      left += child.ns;
      open.push(child);
    }
  }
}

function node(name: string, parent: FlameNode | null, isReason: boolean): FlameNode {
  return {
    name,
    file: "",
    line: 0,
    isReason,
    ns: 0,
    count: 0,
    own_ns: 0,
    depth: parent === null ? 0 : parent.depth + 1,
    left_ns: 0,
    parent,
    children: [],
  };
}

/** From the outermost to a node. */
export function pathTo(target: FlameNode): FlameNode[] {
  const path: FlameNode[] = [];
  for (let at: FlameNode | null = target; at !== null; at = at.parent) path.unshift(at);
  return path;
}
