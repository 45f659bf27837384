/** What was measured of a machine; what would help where nothing is. */
import type { ReactElement } from 'react';
import { useAsk } from '../live/api.ts';
import { Gauges } from '../parts/gauges.tsx';
import { bytes, percent } from '../parts/units.ts';

const everyMs = 15_000;

/** Of a server, or without one of Berth's own machine. */
export function ServerMetrics({ serverId }: { serverId?: string }): ReactElement | null {
  const { data } = useAsk('server.metrics', serverId ? { serverId } : {}, { retry: false, every: everyMs });
  const now = data?.at(-1);
  if (!data || !now) return null;
  return (
    <Gauges
      gauges={[
        { title: 'Processors', values: data.map(({ cpu }) => cpu), now: percent(now.cpu), top: 100 },
        {
          title: 'Memory',
          values: data.map(({ memory }) => memory.used),
          now: `${bytes(now.memory.used)} of ${bytes(now.memory.total)}`,
          top: now.memory.total,
        },
        {
          title: 'Disk',
          values: data.map(({ disk }) => disk.used),
          now: `${bytes(now.disk.used)} of ${bytes(now.disk.total)}`,
          top: now.disk.total,
        },
        {
          title: 'Network in and out',
          values: data.map(({ network }) => network.in + network.out),
          now: `${bytes(now.network.in)} / ${bytes(now.network.out)}`,
        },
      ]}
    />
  );
}
