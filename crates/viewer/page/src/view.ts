// What is looked at. The hash of the URL says all of it, so that each state of the page is a link.
import { Store } from "./store";

/** In the order in which they stand in a URL. */
const PARAMETERS = [
  "page",
  "by",
  "from",
  "to",
  "sel",
  "why",
  "range",
  "sample",
  "log",
  "open",
  "id",
  "at",
  "name",
  "kind",
  "type",
  "group",
  "user",
  "where",
  "sort",
  "q",
  "clock",
  "marks",
] as const;

export type Parameter = (typeof PARAMETERS)[number];
export type View = Readonly<Partial<Record<Parameter, string>>>;

/** What changes: an undefined value takes the parameter away. */
export type Change = Partial<Record<Parameter, string | undefined>>;

export const view = new Store<View>(parseView(location.hash));

export function parseView(hash: string): View {
  const asked = new URLSearchParams(hash.replace(/^#/, ""));
  const parsed: Partial<Record<Parameter, string>> = {};
  for (const name of PARAMETERS) {
    const value = asked.get(name);
    if (value !== null && value !== "") parsed[name] = value;
  }
  return parsed;
}

export function formatView(shown: View): string {
  const pairs = PARAMETERS.flatMap((name) => {
    const value = shown[name];
    return value === undefined ? [] : [`${name}=${escaped(value)}`];
  });
  return `#${pairs.join("&")}`;
}

/** The view after a change. */
export function changed(shown: View, change: Change): View {
  const next: Partial<Record<Parameter, string>> = { ...shown };
  for (const name of PARAMETERS) {
    if (!(name in change)) continue;
    const value = change[name];
    if (value === undefined || value === "") delete next[name];
    else next[name] = value;
  }
  // A filter is about what is on its page.
  if (next.page !== shown.page && !("where" in change)) delete next.where;
  return next;
}

/** A link to the view with a change. */
export function linkTo(change: Change, shown: View = view.value): string {
  return formatView(changed(shown, change));
}

/** Goes to another view: a step that the browser's back button undoes. */
export function go(change: Change): void {
  const next = changed(view.value, change);
  const hash = formatView(next);
  if (hash === formatView(view.value)) return;
  history.pushState(null, "", hash);
  view.set(next);
}

/** The same without a step of its own, for what changes all the time. */
export function amend(change: Change): void {
  const next = changed(view.value, change);
  history.replaceState(null, "", formatView(next));
  view.set(next);
}

/** Follows the address bar, the back button and links. */
export function followAddress(): void {
  const follow = () => view.set(parseView(location.hash));
  addEventListener("hashchange", follow);
  addEventListener("popstate", follow);
}

// Ids and lists stay legible; all else is escaped.
function escaped(value: string): string {
  return encodeURIComponent(value).replaceAll("%3A", ":").replaceAll("%2F", "/").replaceAll("%2C", ",").replaceAll("%20", "+");
}
