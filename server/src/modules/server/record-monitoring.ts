/**
 * Monitoring of a server: what is measured, how long it is kept (interface document, metricsConfig), and the
 * points that come of it (decisions 10).
 */
import { z } from 'zod';
import { parseCron } from '../../domain/cron.ts';
import { ruled } from '../../procedure/ruled.ts';

const seconds = z.number().min(2).max(86_400).describe('Seconds');
const percent = z.number().min(0).max(100);
const namePatterns = z.array(z.string().max(200)).max(200).describe('Name patterns');

const measuredServer = z.object({
  refreshRate: seconds,
  port: z.number().int().min(1).max(65_535).describe('Port of the metrics endpoint'),
  token: z.string().max(1000).describe('Token of the metrics endpoint'),
  urlCallback: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .max(2000)
    .meta({ examples: ['https://berth.example.com/metrics'] }),
  retentionDays: z.number().int().min(1).max(3650),
  cronJob: ruled(z.string().max(200), parseCron).meta({
    description: 'Cron expression of the cleanup',
    examples: ['0 0 * * *'],
  }),
  thresholds: z.object({ cpu: percent, memory: percent }),
});

export const metricsConfig = z.object({
  server: measuredServer,
  containers: z.object({
    refreshRate: seconds,
    services: z.object({ include: namePatterns, exclude: namePatterns }),
  }),
});

/** As the server record shows it: its token is write-only. */
export const monitoring = metricsConfig.extend({ server: measuredServer.omit({ token: true }) });

const used = z.object({ used: z.number(), total: z.number(), percent: z.number() });

export const metricsPoint = z.object({
  timestamp: z.string(),
  cpu: z.number().describe('Percent'),
  memory: used.describe('Bytes'),
  disk: used.describe('Bytes'),
  network: z.object({ in: z.number(), out: z.number() }).describe('Bytes since the point before'),
});
