// What is asked for: a path below the address of the page, and options by name.

export type Query = Readonly<Record<string, string | number | undefined>>;

/** Relative, so that it carries the token of the page's address. */
export function address(path: string, query: Query = {}): string {
  const asked = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) asked.set(name, String(value));
  }
  // Colons and commas may stand in a query, and make it legible.
  const text = asked.toString().replaceAll("%3A", ":").replaceAll("%2C", ",");
  return text === "" ? `api/${path}` : `api/${path}?${text}`;
}
