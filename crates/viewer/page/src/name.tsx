// Names from a trace. They may be anything: markup, marks that turn the reading direction, a megabyte of it.

/** So much of a name is shown at most. */
const MOST = 160;

// Controls, and what turns the direction of writing for what comes after it.
const INVISIBLE = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/** The name as plain, visible text. */
export function plainName(name: string, most = MOST): string {
  const start = name.slice(0, most * 2).replace(INVISIBLE, "\ufffd");
  return start.length > most ? `${wholeCharacters(start.slice(0, most))}…` : start;
}

/** A name in a line of text, which it cannot disturb; the whole of it, as far as that can be read, when pointed at. */
export function Name({ of, most, empty = "(no name)" }: { of: string | null; most?: number; empty?: string | undefined }) {
  const text = plainName(of ?? "", most);
  return (
    <bdi class={text === "" ? "name none" : "name"} title={text.endsWith("…") ? plainName(of ?? "", 1000) : undefined}>
      {text === "" ? empty : text}
    </bdi>
  );
}

/** The last part of a function's name: its package or crate path is seen when pointed at. */
export function FunctionName({ of }: { of: string }) {
  return <Name of={of} empty="(unknown)" />;
}

/** `file.go:41`, without the folders. */
export function place(file: string, line: number): string {
  const name = plainName(file.slice(file.lastIndexOf("/") + 1), 80);
  return line > 0 ? `${name}:${line}` : name;
}

function wholeCharacters(text: string): string {
  return /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text;
}
