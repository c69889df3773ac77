// Bars by size, with a row of a table for each: what is seen is what is read aloud.
import { count, duration } from "../duration";

export interface Bin {
  from_ns: number;
  to_ns: number;
  count: number;
}

export function Histogram({ bins }: { bins: readonly Bin[] }) {
  if (bins.length === 0) return null;
  const most = Math.max(...bins.map((bin) => bin.count), 1);
  return (
    <table class="histogram">
      <caption class="unseen">How many took how long</caption>
      <tbody>
        {bins.map((bin) => (
          <tr key={bin.from_ns}>
            <th scope="row">
              {duration(bin.from_ns)} – {duration(bin.to_ns)}
            </th>
            <td>{count(bin.count)}</td>
            <td class="bars" aria-hidden="true">
              <i style={{ width: `${(bin.count / most) * 100}%` }} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
