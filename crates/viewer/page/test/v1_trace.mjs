// Writes traces of Go's format v1, so that a check knows what is in one. A tick is a nanosecond.
// Events of a task are given in order of time; sequence numbers, strings and stacks follow from them.

const HEADER = "go 1.19 trace\0\0\0";

/** Numbers of the events that are written. */
const TYPES = {
  Batch: 1,
  Frequency: 2,
  Stack: 3,
  Gomaxprocs: 4,
  ProcStart: 5,
  ProcStop: 6,
  GCStart: 7,
  GCDone: 8,
  GCSTWStart: 9,
  GCSTWDone: 10,
  GoCreate: 13,
  GoStart: 14,
  GoEnd: 15,
  GoSched: 17,
  GoSleep: 19,
  GoUnblock: 21,
  GoBlockRecv: 23,
  GoBlockSync: 25,
  HeapAlloc: 33,
  HeapGoal: 34,
  String: 37,
  UserTaskCreate: 45,
  UserTaskEnd: 46,
  UserRegion: 47,
  UserLog: 48,
  CPUSample: 49,
};

export class V1Trace {
  #strings = new Map();
  #stacks = new Map();
  #events = [];
  #sequences = new Map();

  /** An event of a worker at a time in ns; `args` are those behind the time. */
  event(worker, at, type, ...args) {
    this.#events.push({ worker, at, type, args });
    return this;
  }

  /** A task that comes to be, and may run. */
  create(worker, at, task, start, stack) {
    this.#sequences.set(task, 1);
    return this.event(worker, at, "GoCreate", task, this.stack([start]), this.stack(stack));
  }

  start(worker, at, task) {
    return this.event(worker, at, "GoStart", task, this.#next(task));
  }

  unblock(worker, at, task, stack) {
    return this.event(worker, at, "GoUnblock", task, this.#next(task), this.stack(stack));
  }

  /** The id of a text. */
  string(text) {
    if (text === "") return 0;
    if (!this.#strings.has(text)) this.#strings.set(text, this.#strings.size + 1);
    return this.#strings.get(text);
  }

  /** The id of a stack of `function file:line`, innermost first. */
  stack(frames) {
    const key = frames.join("\n");
    if (!this.#stacks.has(key)) this.#stacks.set(key, { id: this.#stacks.size + 1, frames });
    return this.#stacks.get(key).id;
  }

  bytes() {
    const frames = [...this.#stacks.values()].map(({ id, frames }) => this.#stackBytes(id, frames));
    const batches = [...new Set(this.#events.map(({ worker }) => worker))].map((worker) => this.#batch(worker));
    const strings = [...this.#strings].map(([text, id]) => {
      const bytes = Buffer.from(text);
      return [TYPES.String, ...varint(id), ...varint(bytes.length), ...bytes];
    });
    const frequency = [TYPES.Frequency, ...varint(1e9)];
    return Buffer.concat([
      Buffer.from(HEADER),
      ...[...strings, ...batches, frequency, ...frames].map((part) => Buffer.from(part)),
    ]);
  }

  #next(task) {
    const sequence = this.#sequences.get(task);
    this.#sequences.set(task, sequence + 1);
    return sequence;
  }

  #batch(worker) {
    const own = this.#events.filter((event) => event.worker === worker).sort((a, b) => a.at - b.at);
    let last = own[0].at;
    const bytes = [TYPES.Batch | (1 << 6), ...varint(worker), ...varint(last)];
    const parts = [Buffer.from(bytes)];
    for (const { at, type, args } of own) {
      parts.push(Buffer.from(this.#eventBytes(type, at - last, args)));
      last = at;
    }
    return Buffer.concat(parts);
  }

  #eventBytes(type, ticks, args) {
    // What stands behind an event in full.
    const texts = args.filter((arg) => typeof arg === "string").map((text) => Buffer.from(text));
    const numbers = [ticks, ...args.filter((arg) => typeof arg === "number")].flatMap(varint);
    const count = args.length - texts.length;
    const head = TYPES[type] | (Math.min(count, 3) << 6);
    const length = count >= 3 ? varint(numbers.length) : [];
    return [head, ...length, ...numbers, ...texts.flatMap((text) => [...varint(text.length), ...text])];
  }

  #stackBytes(id, frames) {
    const numbers = [id, frames.length];
    frames.forEach((frame) => {
      const [, name, file, line] = /^(.*) (.*):(\d+)$/.exec(frame);
      numbers.push(0x1000 + id * 64 + numbers.length, this.string(name), this.string(file), Number(line));
    });
    const bytes = numbers.flatMap(varint);
    return [TYPES.Stack | (3 << 6), ...varint(bytes.length), ...bytes];
  }
}

function varint(value) {
  const bytes = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  return [...bytes, rest];
}
