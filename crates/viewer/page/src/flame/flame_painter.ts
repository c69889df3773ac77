// Draws a flame graph, as far as it is wider than a pixel.
import { duration } from "../duration";
import { plainName } from "../name";
import type { FlameNode } from "./tree";

export const FRAME_PX = 19;

/** A node where it was drawn. */
export interface DrawnNode {
  node: FlameNode;
  x: number;
  y: number;
  width: number;
}

export interface FlameColours {
  background: string;
  text: string;
  faint: string;
  accent: string;
  match: string;
  /** Of code, by a hash of its package, and of what is waited for. */
  code: readonly string[];
  reason: string;
}

/** Draws what is inside `focus`, which fills the width, and the way to it above. */
export function drawFlame(
  canvas: CanvasRenderingContext2D,
  focus: FlameNode,
  width: number,
  search: string,
  chosen: FlameNode | null,
  colours: FlameColours,
): DrawnNode[] {
  canvas.fillStyle = colours.background;
  canvas.fillRect(0, 0, width, canvas.canvas.height);
  canvas.font = "11px ui-monospace, monospace";
  canvas.textBaseline = "middle";
  const letter = canvas.measureText("0").width;
  const drawn: DrawnNode[] = [];
  const needle = search.toLowerCase();
  const draw = (node: FlameNode, x: number, right: number, isAbove: boolean) => {
    const y = node.depth * FRAME_PX;
    const isMatch = needle !== "" && node.name.toLowerCase().includes(needle);
    canvas.globalAlpha = isAbove ? 0.5 : 1;
    canvas.fillStyle = isMatch ? colours.match : node.isReason ? colours.reason : colourOf(node, colours);
    canvas.fillRect(x, y, Math.max(right - x - 0.5, 0.5), FRAME_PX - 1);
    canvas.globalAlpha = 1;
    const room = Math.floor((right - x - 8) / letter);
    if (room >= 3) {
      canvas.fillStyle = colours.text;
      canvas.fillText(labelOf(node, room), x + 4, y + FRAME_PX / 2);
    }
    if (node === chosen) {
      canvas.strokeStyle = colours.accent;
      canvas.lineWidth = 2;
      canvas.strokeRect(x + 1, y + 1, Math.max(right - x - 2.5, 1), FRAME_PX - 3);
    }
    drawn.push({ node, x, y, width: right - x });
  };
  for (let at = focus.parent; at !== null; at = at.parent) draw(at, 0, width, true);
  const scale = width / Math.max(focus.ns, 1);
  const open = [focus];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const x = (at.left_ns - focus.left_ns) * scale;
    const right = x + at.ns * scale;
    if (right - x < 0.5) continue;
    draw(at, x, right, false);
    open.push(...at.children);
  }
  return drawn;
}

export function depthOf(focus: FlameNode): number {
  let deepest = focus.depth;
  const open = [focus];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    // What is narrower than a thousandth is hardly seen, and does not make the picture higher.
    if (at.ns * 1000 < focus.ns) continue;
    deepest = Math.max(deepest, at.depth);
    open.push(...at.children);
  }
  return deepest + 1;
}

/** The end of a function's name tells more than its path. */
function labelOf(node: FlameNode, room: number): string {
  const name = plainName(node.name, 400);
  if (name.length <= room) return name;
  const short = name.slice(name.lastIndexOf("/") + 1);
  return short.length <= room ? short : `${short.slice(0, Math.max(room - 1, 1))}…`;
}

/** The same for all of a package or crate. */
function colourOf(node: FlameNode, colours: FlameColours): string {
  const end = node.name.search(/[.:](?=[^/]*$)/);
  const owner = end < 0 ? node.name : node.name.slice(0, end);
  let hash = 0;
  for (let place = 0; place < Math.min(owner.length, 100); place++) hash = (hash * 31 + owner.charCodeAt(place)) | 0;
  return colours.code[Math.abs(hash) % colours.code.length]!;
}

export function wordsOf(node: FlameNode, all_ns: number): string {
  const share = all_ns > 0 ? ((node.ns / all_ns) * 100).toFixed(1) : "0";
  const own = node.own_ns > 0 ? `, ${duration(node.own_ns)} of it alone` : "";
  const place = node.file === "" ? "" : ` (${plainName(node.file, 120)}:${node.line})`;
  return `${plainName(node.name, 200)}${place}: ${duration(node.ns)}, ${share} %, ${node.count}×${own}`;
}
