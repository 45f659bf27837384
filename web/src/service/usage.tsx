/** What a service uses; nothing where the server does not measure. */
import type { ReactElement } from 'react';
import { useAsk } from '../live/api.ts';
import { Gauges } from '../parts/gauges.tsx';
import { bytes, percent } from '../parts/units.ts';
import type { Service } from './service.ts';

const everyMs = 15_000;

export function Usage({ service }: { service: Service }): ReactElement | null {
  const { data } = useAsk('service.metrics', { serviceId: service.id }, { retry: false, every: everyMs });
  const now = data?.at(-1);
  if (!data || !now) return null;
  return (
    <Gauges
      gauges={[
        { title: 'Processors', values: data.map(({ cpu }) => cpu), now: percent(now.cpu), top: 100 },
        {
          title: 'Memory',
          values: data.map(({ memory }) => memory.used),
          now: `${bytes(now.memory.used)} of ${bytes(now.memory.limit)}`,
          top: now.memory.limit,
        },
        {
          title: 'Network in and out',
          values: data.map(({ network }) => network.in + network.out),
          now: `${bytes(now.network.in)} / ${bytes(now.network.out)}`,
        },
        {
          title: 'Disk read and written',
          values: data.map(({ disk }) => disk.read + disk.written),
          now: `${bytes(now.disk.read)} / ${bytes(now.disk.written)}`,
        },
      ]}
    />
  );
}
