/** Everything that a monitoring system is shown, read anew each time. */
import type { Live } from '../../domain/states/live.ts';
import type { Counters } from './counters.ts';
import { expose, type Family, type Labels } from './exposition.ts';
import type { MetricsStore, ServiceLabels } from './store.ts';

export interface MetricsPorts {
  store: MetricsStore;
  counters: Counters;
  version: string;
  /** What runs of each service. */
  shown(): readonly { kind: string; serviceId: string; live: Live }[];
  /** Of this process: bytes, and the time of its start in seconds since the epoch. */
  process(): { residentBytes: number; heapBytes: number; startedAt: number; cpuSeconds: number };
}

export function createMetrics(ports: MetricsPorts): () => Promise<string> {
  return async () =>
    expose([
      { ...info, samples: [{ labels: { version: ports.version }, value: 1 }] },
      ...processFamilies(ports),
      ...ports.counters.families(),
      ...(await recordFamilies(ports)),
      ...(await serviceFamilies(ports)),
    ]);
}

const info = { name: 'berth_info', help: 'The version that runs.', type: 'gauge' } as const;

function gauge(name: string, help: string, samples: Family['samples']): Family {
  return { name, help, type: 'gauge', samples };
}

function processFamilies({ process }: MetricsPorts): Family[] {
  const { residentBytes, heapBytes, startedAt, cpuSeconds } = process();
  return [
    gauge('process_resident_memory_bytes', 'Resident memory of Berth.', [{ value: residentBytes }]),
    gauge('nodejs_heap_size_used_bytes', 'Heap of Berth that is in use.', [{ value: heapBytes }]),
    gauge('process_start_time_seconds', 'When Berth was started.', [{ value: startedAt }]),
    {
      name: 'process_cpu_seconds_total',
      help: 'Processor time of Berth.',
      type: 'counter',
      samples: [{ value: cpuSeconds }],
    },
  ];
}

async function recordFamilies({ store }: MetricsPorts): Promise<Family[]> {
  const seconds = (iso: string): number => Date.parse(iso) / 1000;
  const backups = await store.backups();
  const ofBackup = ({ backupId, database, volumeName }: (typeof backups)[number]): Labels => ({
    backup_id: backupId,
    ...(volumeName === null ? { database: database === '' ? 'berth' : database } : { volume: volumeName }),
  });
  return [
    gauge(
      'berth_jobs',
      'Jobs that wait or run.',
      (await store.jobs()).map(({ kind, state, count }) => ({ labels: { kind, state }, value: count })),
    ),
    gauge(
      'berth_deployments',
      'Deployments that are kept, by status.',
      (await store.deployments()).map(({ status, count }) => ({ labels: { status }, value: count })),
    ),
    gauge(
      'berth_alarms',
      'Alarms that go on.',
      (await store.alarms()).map(({ kind, count }) => ({ labels: { kind }, value: count })),
    ),
    gauge('berth_certificate_expiry_timestamp_seconds', 'When certificates end.', [
      ...(await store.certificates()).map(({ host, expiresAt }) => ({
        labels: { host, source: 'authority' },
        value: expiresAt / 1000,
      })),
      ...(await store.uploaded()).map(({ name, expirationDate }) => ({
        labels: { host: name, source: 'upload' },
        value: seconds(expirationDate),
      })),
    ]),
    gauge(
      'berth_backup_last_success_timestamp_seconds',
      'When backups last were stored and verified; 0: never.',
      backups.map((one) => ({
        labels: ofBackup(one),
        value: one.lastGoodAt === null ? 0 : seconds(one.lastGoodAt),
      })),
    ),
    gauge(
      'berth_backup_alarm',
      '1 while a backup has had no good run for too long.',
      backups.map((one) => ({ labels: ofBackup(one), value: one.alarmSince === null ? 0 : 1 })),
    ),
  ];
}

async function serviceFamilies({ store, shown }: MetricsPorts): Promise<Family[]> {
  const known = new Map((await store.services()).map((service) => [service.serviceId, service]));
  const seen = shown().flatMap(({ kind, serviceId, live }) => {
    const service = known.get(serviceId);
    return service ? [{ live, labels: labelsOf(kind, service) }] : [];
  });
  const of = (value: (live: Live) => number): Family['samples'] =>
    seen.map(({ live, labels }) => ({ labels, value: value(live) }));
  return [
    gauge('berth_services', 'Services of the records.', [{ value: known.size }]),
    gauge(
      'berth_service_replicas_running',
      'Replicas that run.',
      of(({ running }) => running),
    ),
    gauge(
      'berth_service_replicas_desired',
      'Replicas that should run.',
      of(({ desired }) => desired),
    ),
    gauge(
      'berth_service_restarts',
      'Ends of tasks of the live release by themselves.',
      of(({ restarts }) => restarts),
    ),
    gauge(
      'berth_service_unreachable',
      '1 while the engine of a service does not answer.',
      of(({ unreachableSince }) => (unreachableSince === null ? 0 : 1)),
    ),
  ];
}

function labelsOf(
  kind: string,
  { serviceId, name, environment, project, organization }: ServiceLabels,
): Labels {
  return { service_id: serviceId, kind, name, environment, project, organization };
}
