// A table of any length: rows are nodes of the page only while they are seen.
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useStore } from "../store";
import { amend, view } from "../view";

export interface Column<T> {
  /** As it stands in the URL. */
  name: string;
  title: string;
  /** What it is sorted by; a column without one is not sorted by. */
  value?: (row: T) => number | string;
  cell: (row: T) => ComponentChildren;
  /** The width, as in a style sheet. */
  width: string;
  isText?: boolean;
}

export interface DataTableProps<T> {
  caption: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  /** The order if the URL names none: `name`, or `-name` for the largest first. */
  order?: string;
}

const ROW_PX = 24;

/** Beside what is seen, so that scrolling shows no gaps. */
const MARGIN_ROWS = 8;

export function DataTable<T>({ caption, columns, rows, order }: DataTableProps<T>) {
  const { sort = order } = useStore(view);
  const sorted = useMemo(() => sortedBy(rows, columns, sort), [rows, columns, sort]);
  const scroller = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState({ top: 0, height: 600 });
  useEffect(() => {
    const element = scroller.current!;
    const follow = () => setSeen({ top: element.scrollTop, height: element.clientHeight });
    const resize = new ResizeObserver(follow);
    resize.observe(element);
    element.addEventListener("scroll", follow);
    return () => {
      resize.disconnect();
      element.removeEventListener("scroll", follow);
    };
  }, []);
  const first = Math.max(Math.floor(seen.top / ROW_PX) - MARGIN_ROWS, 0);
  const last = Math.min(Math.ceil((seen.top + seen.height) / ROW_PX) + MARGIN_ROWS, sorted.length);
  return (
    <div class="data-table" ref={scroller} tabIndex={0} role="region" aria-label={caption}>
      <table aria-rowcount={sorted.length + 1}>
        <caption class="unseen">{caption}</caption>
        <colgroup>
          {columns.map(({ name, width }) => (
            <col key={name} style={{ width }} />
          ))}
        </colgroup>
        <thead>
          <tr>
            {columns.map((column) => (
              <Head key={column.name} column={column} sort={sort} />
            ))}
          </tr>
        </thead>
        <tbody>
          <Space rows={first} columns={columns.length} />
          {sorted.slice(first, last).map((row, place) => (
            <tr key={first + place} aria-rowindex={first + place + 2}>
              {columns.map(({ name, cell, isText }) => (
                <td key={name} class={isText ? "text" : undefined}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
          <Space rows={sorted.length - last} columns={columns.length} />
        </tbody>
      </table>
    </div>
  );
}

function Head<T>({ column, sort }: { column: Column<T>; sort: string | undefined }) {
  const { name, title, value, isText } = column;
  const kind = isText ? "text" : undefined;
  if (value === undefined) {
    return (
      <th scope="col" class={kind}>
        {title}
      </th>
    );
  }
  const direction = sort === name ? "ascending" : sort === `-${name}` ? "descending" : "none";
  // The largest is what one looks for; of texts, the first.
  const next = direction === "none" ? (isText ? name : `-${name}`) : direction === "ascending" ? `-${name}` : name;
  return (
    <th scope="col" class={kind} aria-sort={direction}>
      <button type="button" onClick={() => amend({ sort: next })}>
        {title}
        <span aria-hidden="true">{direction === "ascending" ? " ▴" : direction === "descending" ? " ▾" : ""}</span>
      </button>
    </th>
  );
}

function Space({ rows, columns }: { rows: number; columns: number }) {
  if (rows <= 0) return null;
  return (
    <tr aria-hidden="true" class="space">
      <td colSpan={columns} style={{ height: `${rows * ROW_PX}px` }} />
    </tr>
  );
}

function sortedBy<T>(rows: readonly T[], columns: readonly Column<T>[], sort: string | undefined): readonly T[] {
  const isFalling = sort?.startsWith("-") ?? false;
  const value = columns.find(({ name }) => name === (isFalling ? sort?.slice(1) : sort))?.value;
  if (value === undefined) return rows;
  const sign = isFalling ? -1 : 1;
  return [...rows].sort((a, b) => sign * compared(value(a), value(b)));
}

function compared(a: number | string, b: number | string): number {
  return typeof a === "string" || typeof b === "string" ? String(a).localeCompare(String(b)) : a - b;
}
