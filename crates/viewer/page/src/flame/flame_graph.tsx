// A flame graph: from the outermost frame down, or turned round. Click or Enter zooms, arrows walk.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ProfileReport } from "../api/reports";
import { depthOf, drawFlame, FRAME_PX, wordsOf, type DrawnNode, type FlameColours } from "./flame_painter";
import { flameTree, pathTo, type FlameNode } from "./tree";

export interface FlameGraphProps {
  label: string;
  stacks: ProfileReport["stacks"];
  isInverted: boolean;
  search: string;
}

export function FlameGraph({ label, stacks, isInverted, search }: FlameGraphProps) {
  const root = useMemo(() => flameTree(stacks, isInverted), [stacks, isInverted]);
  const [focus, setFocus] = useState(root);
  const [chosen, setChosen] = useState<FlameNode | null>(null);
  const [pointed, setPointed] = useState<FlameNode | null>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const drawn = useRef<DrawnNode[]>([]);
  const width = useWidth(canvas);
  // What is zoomed to is looked for in a new tree by its path.
  useEffect(() => {
    setFocus(sameIn(root, focus));
    setChosen(null);
    setPointed(null);
  }, [root]);
  const shown = useThemeChange();
  const depth = depthOf(focus);
  useEffect(() => {
    const element = canvas.current!;
    const ratio = Math.min(devicePixelRatio, 2);
    element.width = width * ratio;
    element.height = depth * FRAME_PX * ratio;
    const context = element.getContext("2d", { alpha: false })!;
    context.scale(ratio, ratio);
    drawn.current = drawFlame(context, focus, width, search, chosen, coloursOf(element));
  }, [focus, chosen, search, width, depth, shown]);
  const at = (event: MouseEvent) =>
    drawn.current.find(({ x, y, width }) => {
      return event.offsetX >= x && event.offsetX < x + width && event.offsetY >= y && event.offsetY < y + FRAME_PX;
    })?.node ?? null;
  const told = pointed ?? chosen ?? focus;
  return (
    <div class="flame">
      <p class="pointed" aria-live="polite">
        {wordsOf(told, root.ns)}
      </p>
      <canvas
        ref={canvas}
        tabIndex={0}
        role="img"
        aria-label={`${label}: a flame graph. Arrows walk through it, Enter zooms, Backspace goes back.`}
        style={{ height: `${depth * FRAME_PX}px` }}
        onMouseMove={(event) => setPointed(at(event))}
        onMouseLeave={() => setPointed(null)}
        onClick={(event) => {
          const node = at(event);
          if (node === null) return;
          setChosen(node);
          setFocus(node);
        }}
        onKeyDown={(event) => {
          const next = walk(event.key, chosen ?? focus);
          if (event.key === "Enter" && chosen !== null) setFocus(chosen);
          else if (event.key === "Backspace") setFocus(focus.parent ?? root);
          else if (next !== null) setChosen(next);
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
    </div>
  );
}

function walk(key: string, from: FlameNode): FlameNode | null {
  const siblings = from.parent?.children ?? [from];
  const place = siblings.indexOf(from);
  switch (key) {
    case "ArrowDown":
      return from.children[0] ?? from;
    case "ArrowUp":
      return from.parent ?? from;
    case "ArrowLeft":
      return siblings[place - 1] ?? from;
    case "ArrowRight":
      return siblings[place + 1] ?? from;
    default:
      return null;
  }
}

function sameIn(root: FlameNode, before: FlameNode): FlameNode {
  let at = root;
  for (const { name } of pathTo(before).slice(1)) {
    const next = at.children.find((child) => child.name === name);
    if (next === undefined) return root;
    at = next;
  }
  return at;
}

function useWidth(element: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(800);
  useEffect(() => {
    const follow = () => setWidth(Math.max(Math.floor(element.current?.parentElement?.clientWidth ?? 800), 50));
    const resize = new ResizeObserver(follow);
    resize.observe(element.current!.parentElement!);
    follow();
    return () => resize.disconnect();
  }, []);
  return width;
}

/** Rises when the theme changes. */
function useThemeChange(): number {
  const [changes, setChanges] = useState(0);
  useEffect(() => {
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const follow = () => setChanges((before) => before + 1);
    dark.addEventListener("change", follow);
    return () => dark.removeEventListener("change", follow);
  }, []);
  return changes;
}

function coloursOf(element: Element): FlameColours {
  const style = getComputedStyle(element);
  const variable = (name: string) => style.getPropertyValue(name).trim();
  return {
    background: variable("--background"),
    text: variable("--text"),
    faint: variable("--faint"),
    accent: variable("--accent"),
    match: variable("--match"),
    code: [1, 2, 3, 4, 5, 6].map((number) => variable(`--flame-${number}`)),
    reason: variable("--flame-reason"),
  };
}
