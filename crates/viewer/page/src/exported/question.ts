// Questions as they stand in an exported page: options in the order of their names.
import type { Query } from "../api/question";

export function questionOf(path: string, query: Query): string {
  const options = Object.entries(query).filter(([, value]) => value !== undefined);
  const pairs = options.sort(([one], [other]) => (one < other ? -1 : 1));
  const text = pairs.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join("&");
  return text === "" ? path : `${path}?${text}`;
}
