// Why a task took so long: asked for only when somebody wants to know, since the server goes through the whole trace for it.
import type { WhyReport } from "../api/reports";
import { duration, percent } from "../duration";
import { FunctionName, Name } from "../name";
import { STATE_TITLES, StateBar } from "../parts/state_bar";
import { Told } from "../parts/told";
import { useStore } from "../store";
import { linkTo, view } from "../view";
import { ask, isAskedAbout, whyAnswer } from "../why";

export function WhySummary({ task, at }: { task: string; at: number }) {
  const { why } = useStore(view);
  const answer = useStore(whyAnswer);
  if (!isAskedAbout(task, why)) {
    return (
      <button type="button" class="ask" onClick={() => ask(task, at)} title="y">
        Why did {task} take so long?
      </button>
    );
  }
  return <Told answer={answer}>{(report) => <WhyPath report={report} />}</Told>;
}

export function WhyPath({ report }: { report: WhyReport }) {
  useStore(view);
  return (
    <div class="why">
      <p>
        {report.id} took {duration(report.duration_ns)}. Each moment of it went to:
      </p>
      <StateBar parts={report.path} />
      <ol class="path">
        {report.path.map((part, place) => (
          <li key={place}>
            <i class={`swatch ${part.state}`} aria-hidden="true" /> <strong>{duration(part.ns)}</strong> (
            {percent(part.ns / report.duration_ns)}) {part.is_own ? "itself" : <FunctionName of={part.function} />}{" "}
            {STATE_TITLES[part.state]}
            {part.reason !== "" && (
              <>
                : <Name of={part.reason} />
              </>
            )}
          </li>
        ))}
      </ol>
      {report.chain.length > 0 && (
        <>
          <h4>Who waited for whom</h4>
          <ol class="chain">
            {report.chain.slice(0, 12).map((link, place) => (
              <li key={place}>
                <a href={linkTo({ page: undefined, sel: `${link.task}@${Math.floor(link.begin_ns)}` })}>{link.task}</a>{" "}
                <FunctionName of={link.function} /> {STATE_TITLES[link.state]} {duration(link.end_ns - link.begin_ns)}
                {link.reason !== "" && (
                  <>
                    : <Name of={link.reason} />
                  </>
                )}
              </li>
            ))}
          </ol>
          {report.chain_end !== null && <p class="note">The chain ends there: {report.chain_end}.</p>}
        </>
      )}
    </div>
  );
}
