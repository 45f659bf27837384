/** What monitoring systems are shown. */
import { createMetrics } from '../../modules/metrics/metrics.ts';
import type { Ground } from '../ground.ts';
import type { Observing } from './observing.ts';
import type { Product } from '../product.ts';
import { version } from '../installation/version.ts';

export function metricsOf(
  { stores, clock }: Pick<Ground, 'stores' | 'clock'>,
  { counters }: Pick<Product, 'counters'>,
  { shown }: Pick<Observing, 'shown'>,
): () => Promise<string> {
  return createMetrics({
    store: stores.metrics,
    counters,
    version,
    shown,
    process() {
      const { rss, heapUsed } = process.memoryUsage();
      const { user, system } = process.cpuUsage();
      return {
        residentBytes: rss,
        heapBytes: heapUsed,
        startedAt: Math.round(clock.now() / 1000 - process.uptime()),
        cpuSeconds: (user + system) / 1e6,
      };
    },
  });
}
