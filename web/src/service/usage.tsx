/** What a service uses; nothing where its server does not measure. */
import type { ReactElement } from 'react';
import { useAsk } from '../live/api.ts';
import { Graphs, useRange } from '../parts/graphs.tsx';
import { questionOf } from '../parts/ranges.ts';
import { useNow } from '../parts/time.tsx';
import { bytes, percent } from '../parts/units.ts';
import type { Service } from './service.ts';

export function Usage({ service }: { service: Service }): ReactElement | null {
  const [range] = useRange();
  const now = useNow();
  const { data } = useAsk(
    'service.metrics',
    { serviceId: service.id, ...questionOf(range, now) },
    { retry: false, keeps: true },
  );
  if (!data || data.length === 0) return null;
  const last = data.at(-1);
  const happened = service.deployments.flatMap(({ finishedAt, status, title }) =>
    status === 'done' && finishedAt
      ? [{ at: Date.parse(finishedAt) / 1000, name: `deployed: ${title}` }]
      : [],
  );
  return (
    <Graphs
      times={data.map(({ timestamp }) => Date.parse(timestamp) / 1000)}
      happened={happened}
      graphs={[
        {
          title: 'Processors',
          lines: [{ name: 'used', values: data.map(({ cpu }) => cpu) }],
          shown: percent,
        },
        {
          title: 'Memory',
          lines: [{ name: 'used', values: data.map(({ memory }) => memory.used) }],
          shown: bytes,
          ...(last && { limit: last.memory.limit }),
        },
        {
          title: 'Network',
          lines: [
            { name: 'in', values: data.map(({ network }) => network.in) },
            { name: 'out', values: data.map(({ network }) => network.out) },
          ],
          shown: bytes,
        },
        {
          title: 'Disk',
          lines: [
            { name: 'read', values: data.map(({ disk }) => disk.read) },
            { name: 'written', values: data.map(({ disk }) => disk.written) },
          ],
          shown: bytes,
        },
      ]}
    />
  );
}
