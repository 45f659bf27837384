/** What was measured of a machine; nothing where it is not measured. */
import type { ReactElement } from 'react';
import { useAsk } from '../live/api.ts';
import { Graphs, useRange } from '../parts/graphs.tsx';
import { questionOf } from '../parts/ranges.ts';
import { useNow } from '../parts/time.tsx';
import { bytes, percent } from '../parts/units.ts';

/** Of a server, or without one of Berth's own machine. */
export function ServerMetrics({ serverId }: { serverId?: string }): ReactElement | null {
  const [range] = useRange();
  const question = questionOf(range, useNow());
  const { data } = useAsk(
    'server.metrics',
    { ...(serverId === undefined ? {} : { serverId }), ...question },
    { retry: false, keeps: true },
  );
  const last = data?.at(-1);
  if (!data || !last) return null;
  return (
    <Graphs
      times={data.map(({ timestamp }) => Date.parse(timestamp) / 1000)}
      graphs={[
        {
          title: 'Processors',
          lines: [{ name: 'used', values: data.map(({ cpu }) => cpu) }],
          shown: percent,
          limit: 100,
        },
        {
          title: 'Memory',
          lines: [{ name: 'used', values: data.map(({ memory }) => memory.used) }],
          shown: bytes,
          limit: last.memory.total,
        },
        {
          title: 'Disk',
          lines: [{ name: 'used', values: data.map(({ disk }) => disk.used) }],
          shown: bytes,
          limit: last.disk.total,
        },
        {
          title: 'Network',
          lines: [
            { name: 'in', values: data.map(({ network }) => network.in) },
            { name: 'out', values: data.map(({ network }) => network.out) },
          ],
          shown: bytes,
        },
      ]}
    />
  );
}
