// What the report about two traces looks like: the keys that the page reads.
import type { Finding } from "./reports";

export interface Difference {
  family: string;
  of: string;
  name?: string | null;
  stack?: string[] | null;
  measure: string;
  reason?: string | null;
  unit: "ns" | "share" | "per_second";
  old: number | null;
  new: number | null;
  p: number | null;
  verdict: "more" | "less" | "new" | "gone" | "same" | "too_few";
  is_worse: boolean;
}

export interface DiffReport {
  old: string;
  new: string;
  old_span_ns: number;
  new_span_ns: number;
  threshold: { relative: number };
  compared: number;
  changed: number;
  differences: Difference[];
  new_findings: Finding[];
  gone_findings: Finding[];
  truncated: boolean;
  total: number;
}
