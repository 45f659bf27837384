/** What was measured in the last hour: a line each, with what it is now. */
import type { ReactElement } from 'react';
import { Line } from './bars.tsx';
import { Panel } from './page.tsx';

export interface Gauge {
  title: string;
  /** Oldest first. */
  values: readonly number[];
  /** What the newest value is, for people. */
  now: string;
  /** The most that a value can be, where there is such a thing. */
  top?: number;
}

export function Gauges({ gauges }: { gauges: readonly Gauge[] }): ReactElement {
  return (
    <Panel title="Last hour" isPadded>
      <dl className="grid grid-cols-2 gap-x-6 gap-y-4 lg:grid-cols-4">
        {gauges.map(({ title, values, now, top }) => (
          <div key={title} className="min-w-0">
            <dt className="flex items-baseline justify-between gap-2 text-12 text-faint">{title}</dt>
            <dd>
              <span className="mb-1.5 block text-14 font-medium tabular-nums">{now}</span>
              <Line values={values} top={top} label={`${title} in the last hour; now ${now}`} />
            </dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}
