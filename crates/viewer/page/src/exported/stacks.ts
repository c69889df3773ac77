// Stacks stand once in an exported page: where an answer has one there is a number.
import type { Archive } from "./archive";

/** Puts the stacks where their numbers are. */
export async function withStacks(archive: Archive, answer: unknown): Promise<unknown> {
  const stacks = (await archive.json<unknown[]>("stacks")) ?? [];
  const filled = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(filled);
    if (value === null || typeof value !== "object") return value;
    const fields = Object.entries(value).map(([name, field]) =>
      typeof field === "number" && (name === "stack" || name.endsWith("_stack")) ? [name, stacks[field] ?? []] : [name, filled(field)],
    );
    return Object.fromEntries(fields);
  };
  return filled(answer);
}
