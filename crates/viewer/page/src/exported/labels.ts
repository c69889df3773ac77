// What intervals are called, in an exported page: a thousand numbers stand together.
import type { Query } from "../api/question";
import type { Archive } from "./archive";
import { questionOf } from "./question";

const SHIFT = 10;

type Names = Record<string, unknown>;

export async function labels(archive: Archive, query: Query): Promise<Record<string, Names>> {
  const [tasks, causes] = await Promise.all(["tasks", "causes"].map((kind) => named(archive, kind, query[kind])));
  return { tasks: tasks ?? {}, causes: causes ?? {} };
}

async function named(archive: Archive, kind: string, asked: string | number | undefined): Promise<Names> {
  const numbers = String(asked ?? "").split(",").filter((text) => text !== "");
  const parts = new Set(numbers.map((number) => Number(number) >> SHIFT));
  const answers = await Promise.all(
    [...parts].map((part) => archive.json<Record<string, Names>>(questionOf("labels", { kind, part }))),
  );
  const known = Object.assign({}, ...answers.map((answer) => answer?.[kind] ?? {})) as Names;
  return Object.fromEntries(numbers.flatMap((number) => (number in known ? [[number, known[number]]] : [])));
}
