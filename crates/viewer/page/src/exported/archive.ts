// The answers that stand in an exported page: a line each, the question, a space, and the answer, packed by deflate, in base64.
import { Recent } from "./recent";

/** Objects that are kept beside the packed bytes. */
const KEPT = 24;

export class Archive {
  readonly #packed = new Map<string, string>();
  readonly #objects = new Recent<unknown>(KEPT);

  constructor(text: string) {
    for (let from = 0; from < text.length; ) {
      const space = text.indexOf(" ", from);
      const end = text.indexOf("\n", from);
      if (space < 0 || end < 0) break;
      this.#packed.set(text.slice(from, space), text.slice(space + 1, end));
      from = end + 1;
    }
  }

  has(question: string): boolean {
    return this.#packed.has(question);
  }

  /** An answer as bytes; null where there is none. */
  async bytes(question: string): Promise<ArrayBuffer | null> {
    const packed = this.#packed.get(question);
    if (packed === undefined) return null;
    const bytes = Uint8Array.from(atob(packed), (char) => char.charCodeAt(0));
    const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return new Response(unpacked).arrayBuffer();
  }

  /** An answer as an object; null where there is none. */
  async json<T>(question: string): Promise<T | null> {
    if (!this.has(question)) return null;
    return this.#objects.of(question, async () => {
      const bytes = await this.bytes(question);
      return JSON.parse(new TextDecoder().decode(bytes ?? undefined)) as unknown;
    }) as Promise<T>;
  }
}

/** The answers of this page, if it is one that stands alone. */
export const archive: Archive | null = taken();

function taken(): Archive | null {
  const element = document.getElementById("answers");
  if (element === null) return null;
  const made = new Archive(element.textContent ?? "");
  // The text is in the archive's hands now, and no longer in the document's.
  element.remove();
  return made;
}
