// Times and numbers as people read them.

const UNITS: readonly (readonly [number, string])[] = [
  [1e9, "s"],
  [1e6, "ms"],
  [1e3, "µs"],
];

/** `212 ms`, `1.25 s`, `87 ns`: three digits, and the unit that they fit. */
export function duration(ns: number): string {
  for (const [size, unit] of UNITS) {
    // What would be rounded up to a thousand belongs to the next unit.
    if (Math.abs(ns) >= size * 0.9995) return `${digits(ns / size)} ${unit}`;
  }
  return `${Math.round(ns)} ns`;
}

/** A time since the first event, with as many decimals as a step of `step_ns` needs. */
export function moment(ns: number, step_ns = 1000): string {
  const decimals = Math.min(9, Math.max(0, 9 - Math.floor(Math.log10(Math.max(step_ns, 1)))));
  return `${(ns / 1e9).toFixed(decimals)} s`;
}

/** A time of day in UTC, likewise. */
export function timeOfDay(unix_ns: number, step_ns = 1000): string {
  const decimals = Math.min(9, Math.max(0, 9 - Math.floor(Math.log10(Math.max(step_ns, 1)))));
  const seconds = Math.floor(unix_ns / 1e9);
  const clock = new Date(seconds * 1000).toISOString().slice(11, 19);
  const rest = (unix_ns / 1e9 - seconds).toFixed(decimals).slice(1);
  return `${clock}${rest}`;
}

/** `16.7 M`, `2,991`. */
export function count(number: number): string {
  if (number >= 1e9) return `${digits(number / 1e9)} G`;
  if (number >= 1e6) return `${digits(number / 1e6)} M`;
  return Math.round(number).toLocaleString("en-US");
}

/** `31 %`, `0.4 %`. */
export function percent(share: number): string {
  const value = share * 100;
  return `${value >= 10 || value === 0 ? Math.round(value) : digits(value, 2)} %`;
}

/** `1.5 MiB`. */
export function size(bytes: number): string {
  let value = bytes;
  for (const unit of ["B", "KiB", "MiB", "GiB"]) {
    if (value < 1024 || unit === "GiB") return `${unit === "B" ? Math.round(value) : digits(value)} ${unit}`;
    value /= 1024;
  }
  return "";
}

function digits(value: number, most = 3): string {
  const whole = Math.abs(value) < 1 ? 1 : Math.floor(Math.log10(Math.abs(value))) + 1;
  const text = value.toFixed(Math.max(0, most - whole));
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}
