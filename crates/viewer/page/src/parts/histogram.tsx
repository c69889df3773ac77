// Bars by size, with a row of a table for each: what is seen is what is read aloud.
import { count, duration } from "../duration";

export interface Bin {
  from_ns: number;
  to_ns: number;
  count: number;
}

/** `link` leads to those that a bin counts. */
export function Histogram({ bins, link }: { bins: readonly Bin[]; link: (bin: Bin) => string }) {
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
            <td>{bin.count === 0 ? count(0) : <a href={link(bin)}>{count(bin.count)}</a>}</td>
            <td class="bars" aria-hidden="true">
              <i style={{ width: `${(bin.count / most) * 100}%` }} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
