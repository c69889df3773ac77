// Shares over time as a small picture.
import { useEffect, useRef } from "preact/hooks";
import { percent } from "../duration";

const HEIGHT_PX = 16;

export function HeatStrip({ label, shares }: { label: string; shares: readonly number[] }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const element = canvas.current!;
    element.width = shares.length;
    element.height = HEIGHT_PX;
    const context = element.getContext("2d")!;
    context.fillStyle = getComputedStyle(element).getPropertyValue("--running").trim();
    shares.forEach((share, place) => {
      const height = Math.min(Math.max(share, 0), 1) * HEIGHT_PX;
      context.fillRect(place, HEIGHT_PX - height, 1, height);
    });
  }, [shares]);
  const mean = shares.reduce((sum, share) => sum + share, 0) / Math.max(shares.length, 1);
  return <canvas class="heat" ref={canvas} role="img" aria-label={`${label}: ${percent(mean)} on average`} />;
}
