// What cost most time, the worst first.
import { useEffect, useRef } from "preact/hooks";
import { useReport } from "../api/report";
import type { Finding, FindingsReport } from "../api/reports";
import { duration, percent } from "../duration";
import { FunctionName, place } from "../name";
import { Told } from "../parts/told";
import { useStore } from "../store";
import { chosen, findingLink, findings, stepFinding } from "./finding_steps";

/** Classes in words. */
const TITLES: Record<string, string> = {
  long_poll: "a long poll held its worker",
  blocking_call: "a blocking call held its worker",
  idle_worker: "workers were idle while tasks waited",
  queue_wait: "tasks waited for a worker",
  lock_wait: "tasks waited for a lock",
  vain_wake: "tasks were woken and found nothing to do",
  late_timer: "sleeps lasted too long",
  gc_assist: "tasks helped the collector to mark",
  stop_the_world: "the world was stopped",
  allocation: "memory was allocated and freed",
};

export function Findings() {
  const answer = useReport<FindingsReport>("findings", { most: 50 });
  const told = answer.told?.findings;
  useEffect(() => findings.set(told ?? []), [told]);
  return (
    <section class="findings" aria-label="Findings">
      <h2>
        Findings
        <span class="steps">
          <button type="button" onClick={() => stepFinding(-1)} aria-label="Previous finding" title="p">
            ↑
          </button>
          <button type="button" onClick={() => stepFinding(1)} aria-label="Next finding" title="n">
            ↓
          </button>
        </span>
      </h2>
      <Told answer={answer}>
        {(report) =>
          report.findings.length === 0 ? (
            <p class="note">Nothing cost tasks much time.</p>
          ) : (
            <ol>
              {report.findings.map((finding, index) => (
                <FindingItem key={index} finding={finding} index={index} />
              ))}
            </ol>
          )
        }
      </Told>
    </section>
  );
}

function FindingItem({ finding, index }: { finding: Finding; index: number }) {
  const isChosen = useStore(chosen) === index;
  const item = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isChosen) item.current?.scrollIntoView({ block: "nearest" });
  }, [isChosen]);
  const at = finding.place ?? finding.cause;
  return (
    <li ref={item} class={`finding ${finding.severity}${isChosen ? " chosen" : ""}`} aria-current={isChosen}>
      <a href={findingLink(finding)} onClick={() => chosen.set(index)} title={finding.advice}>
        <strong>{duration(finding.lost_ns)}</strong> <span class="severity">{finding.severity}</span>{" "}
        {TITLES[finding.class] ?? finding.class}
        <span class="where">
          {percent(finding.share)} of the time, {finding.count}×
          {at !== null && (
            <>
              {" in "}
              <FunctionName of={at.function} /> <span class="place">{place(at.file, at.line)}</span>
            </>
          )}
        </span>
      </a>
      {isChosen && <Chosen finding={finding} />}
    </li>
  );
}

function Chosen({ finding }: { finding: Finding }) {
  return (
    <div class="more">
      <p>{finding.advice}</p>
      {finding.cause !== null && finding.place !== null && (
        <p>
          Because of <FunctionName of={finding.cause.function} />{" "}
          <span class="place">{place(finding.cause.file, finding.cause.line)}</span>
        </p>
      )}
      <ul class="evidence">
        {finding.evidence.map((evidence, place_) => (
          <li key={place_}>
            <a href={findingLink(finding, place_)}>
              {evidence.task} for {duration(evidence.to_ns - evidence.from_ns)}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}
