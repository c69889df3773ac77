// The command that answers what an exported page does not.
import type { Query } from "../api/question";
import type { About } from "./about";

/** Options of reports that commands take without a flag. */
const BARE: Readonly<Record<string, string>> = { latency: "name", profile: "type", why: "id", tasks: "task" };

/** Options that only the page has a use for. */
const LEFT_OUT = new Set(["most"]);

export function commandFor(path: string, query: Query, about: About): string {
  const [, name = "view"] = /^report\/(\w+)$/.exec(path) ?? [];
  const isOfBoth = name === "view" || name === "diff";
  const files = isOfBoth && about.older_arguments !== null ? `${about.older_arguments} ${about.arguments}` : about.arguments;
  if (name === "view") return `exectrace view ${files}`;
  const given = Object.entries(query).filter(([option, value]) => value !== undefined && !LEFT_OUT.has(option));
  const bare = given.filter(([option]) => option === BARE[name]).map(([, value]) => quoted(String(value)));
  const flags = given.filter(([option]) => option !== BARE[name]).map(([option, value]) => flag(option, value));
  return ["exectrace", name, ...bare, files, ...flags].join(" ");
}

function flag(option: string, value: string | number | undefined): string {
  const isTime = option === "from" || option === "to" || option === "at";
  return `--${option.replaceAll("_", "-")} ${isTime ? seconds(Number(value)) : quoted(String(value))}`;
}

/** All nanoseconds of a time, as the command takes it. */
function seconds(ns: number): string {
  return `${(ns / 1e9).toFixed(9).replace(/\.?0+$/, "")}s`;
}

/** A word of a shell. */
function quoted(text: string): string {
  return /^[\w/.,:=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
