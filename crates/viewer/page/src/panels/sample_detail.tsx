// A CPU sample that was chosen: its stack.
import { useAnswer } from "../api/answer";
import type { Sample } from "../timeline/samples";
import { shownTime } from "../clock";
import { Frames } from "../parts/frames";
import { Told } from "../parts/told";
import { linkTo } from "../view";

export function SampleDetail({ sample }: { sample: string }) {
  const [, track, time] = /^([a-z_]+:\d+)@(\d+)$/.exec(sample) ?? [];
  const at = Number(time);
  const answer = useAnswer<{ marks: Sample[] }>(track === undefined ? null : "marks", {
    tracks: track,
    from: at,
    to: at + 1,
    width: 1,
  });
  if (track === undefined) return <p class="note error">“{sample.slice(0, 60)}” is no sample.</p>;
  return (
    <>
      <p class="headline">
        <strong>CPU sample</strong> at {shownTime(at, 1)} on {track} <a href={linkTo({ sample: undefined })}>forget it</a>
      </p>
      <Told answer={answer}>
        {({ marks }) =>
          marks[0] === undefined ? <p class="note">There is none.</p> : <Frames title="Stack" stack={marks[0].stack} />
        }
      </Told>
    </>
  );
}
