/**
 * Monitoring of a server: what is measured, how long it is kept (interface document, metricsConfig), and the
 * points that come of it (decisions 10).
 */
import { z } from 'zod';
import { parseCron } from '../../domain/time/cron.ts';
import { ruled } from '../../procedure/input/ruled.ts';

const seconds = z.number().min(2).max(86_400).describe('Seconds');
const percent = z.number().min(0).max(100);
const threshold = percent.describe('Percent; 0 for none');
const namePatterns = z
  .array(z.string().max(200))
  .max(200)
  .describe('Names of services or containers; * stands for any letters');

const measuredServer = z.object({
  refreshRate: seconds,
  port: z
    .number()
    .int()
    .min(1)
    .max(65_535)
    .describe('Port by which getServerMetrics names the endpoint; it is not opened on the server'),
  token: z.string().max(1000).describe('Token of the metrics endpoint'),
  urlCallback: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .max(2000)
    .describe('Gets a POST when a threshold is exceeded')
    .meta({ examples: ['https://berth.example.com/metrics'] }),
  retentionDays: z.number().int().min(1).max(3650),
  cronJob: ruled(z.string().max(200), parseCron).meta({
    description: 'Cron expression of the cleanup',
    examples: ['0 0 * * *'],
  }),
  thresholds: z.object({ cpu: threshold, memory: threshold }),
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
  cpu: z.number().describe('Percent of all processors together'),
  load: z.number().describe('Of the last minute, as uptime(1) shows it'),
  memory: used.describe('Bytes'),
  disk: used.describe("Bytes; of the disk that the engine's data is on"),
  network: z.object({ in: z.number(), out: z.number() }).describe('Bytes since the point before'),
});

export const servicePoint = z.object({
  timestamp: z.string(),
  containers: z.number().describe('That were measured'),
  cpu: z.number().describe('Percent of one processor, as docker stats shows it'),
  memory: z
    .object({ used: z.number(), limit: z.number(), percent: z.number() })
    .describe('Bytes; without a limit of its own a container has all memory of the machine'),
  network: z.object({ in: z.number(), out: z.number() }).describe('Bytes since the point before'),
  disk: z.object({ read: z.number(), written: z.number() }).describe('Bytes since the point before'),
});

/** Which points, in both queries. */
export const metricsRange = {
  since: z.iso
    .datetime({ offset: true })
    .optional()
    .describe('Points from this time on; absent: of the last hour')
    .meta({ examples: ['2026-01-01T00:00:00Z'] }),
  points: z.number().int().min(1).max(1000).default(120).describe('Maximum number of points'),
};
