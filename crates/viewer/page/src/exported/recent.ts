// What was made of packed answers: the last ones that were asked for are kept.
export class Recent<T> {
  // A map keeps its entries in the order in which they were put in: the first is the one that nobody asked for longest.
  readonly #kept = new Map<string, Promise<T>>();

  constructor(readonly most: number) {}

  of(name: string, make: () => Promise<T>): Promise<T> {
    const made = this.#kept.get(name) ?? make();
    this.#kept.delete(name);
    this.#kept.set(name, made);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= this.most) break;
      this.#kept.delete(oldest);
    }
    return made;
  }
}
