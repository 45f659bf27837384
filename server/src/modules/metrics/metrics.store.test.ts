import { expect, it } from 'vitest';
import { worlds } from '../../../../test/http/worlds/world.ts';
import { askPromtool, readPrometheus, withoutPromtool } from '../../../../test/prometheus.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { tableStore } from '../../db/table-store.ts';
import type { Live } from '../../domain/states/live.ts';
import { router } from '../../procedure/registry.ts';
import { metricsContract } from './contract.ts';
import { createCounters, statusClass } from './counters.ts';
import { metricsHandlers } from './handlers.ts';
import { createMetrics } from './metrics.ts';
import { createMetricsStore } from './store.ts';

const awkward = 'a "quoted" \\ name\nin two lines';
const live: Live = {
  deploymentId: 'd',
  commit: null,
  image: null,
  since: null,
  running: 1,
  desired: 2,
  restarts: 3,
  lastExit: null,
  problem: null,
  unreachableSince: null,
  waiting: null,
  paused: 0,
};

eachDatabase('metrics', (test) => {
  const createWorld = worlds(test);
  const begin = async () => {
    const counters = createCounters();
    const shown: { kind: string; serviceId: string; live: Live }[] = [];
    const world = await createWorld((database) => [
      router(
        'metrics',
        metricsContract,
        metricsHandlers(
          createMetrics({
            store: createMetricsStore(database),
            counters,
            version: '1.2.3',
            shown: () => shown,
            process: () => ({ residentBytes: 1e8, heapBytes: 5e7, startedAt: 1.7e9, cpuSeconds: 1.25 }),
          }),
        ),
      ),
    ]);
    const { server, place } = world;
    shown.push({ kind: 'application', serviceId: place.applicationId, live });
    const get = async (headers: Record<string, string>) => {
      const answer = await fetch(`${server.url}/metrics`, { headers });
      return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() };
    };
    return { ...world, counters, get };
  };

  /** What is told when each family has a sample. */
  const told = async () => {
    const { get, people, place, database, counters } = await begin();
    const { applicationId } = place;
    await tableStore(database, 'application').update({ applicationId }, { name: awkward });
    const { organizationId } = people.owner;
    for (const [index, status] of (['issued', 'failed'] as const).entries())
      await tableStore(database, 'issuance').insert({
        serverKey: 'local',
        host: `${status}.example.com`,
        authority: 'acme',
        status,
        issuer: null,
        expiresAt: 1.8e12,
        warnAt: null,
        error: null,
        attempts: index,
        nextAt: 0,
        changedAt: '',
      });
    await tableStore(database, 'job').insert({
      jobId: 'waits',
      kind: 'deployment',
      payload: {},
      serviceKey: 'x',
      serverKey: 'local',
      state: 'queued',
      attempts: 0,
      worker: null,
      leaseUntil: 0,
      slot: 'none',
      buildServerKey: null,
      organizationId,
      sequence: 1,
      createdAt: '',
    });
    counters.add('berth_proxy_requests_total', 1, { code: statusClass(204) });
    counters.add('berth_proxy_requests_total', 2, { code: statusClass(200) });
    counters.add('berth_build_seconds_total', 12.5);
    const answer = await get({ authorization: `Bearer ${people.owner.key}` });
    return { ...answer, applicationId };
  };

  it('are read as Prometheus does, whatever services are called', async () => {
    const { status, type, text, applicationId } = await told();
    expect([status, type]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
    const read = readPrometheus(text);
    const labels = {
      service_id: applicationId,
      kind: 'application',
      name: awkward,
      environment: 'production',
      project: 'Shop',
      organization: expect.any(String),
    };
    expect(Object.fromEntries(read)).toMatchObject({
      berth_info: { type: 'gauge', samples: [{ labels: { version: '1.2.3' }, value: 1 }] },
      berth_proxy_requests_total: { type: 'counter', samples: [{ labels: { code: '2xx' }, value: 3 }] },
      berth_build_seconds_total: { samples: [{ labels: {}, value: 12.5 }] },
      berth_jobs: { samples: [{ labels: { kind: 'deployment', state: 'queued' }, value: 1 }] },
      berth_services: { samples: [{ value: 2 }] },
      berth_service_replicas_running: { samples: [{ labels, value: 1 }] },
      berth_service_replicas_desired: { samples: [{ labels, value: 2 }] },
      berth_certificate_expiry_timestamp_seconds: {
        samples: [{ labels: { host: 'issued.example.com', source: 'authority' }, value: 1.8e9 }],
      },
    });
  });

  it('are what promtool allows', async ({ skip }) => {
    if (withoutPromtool !== undefined) skip(withoutPromtool);
    const { text } = await told();
    expect(await askPromtool(text)).toBe('');
  });

  it('are for the people of the installation, and for a key that reads nothing else', async () => {
    const { get, owner, people } = await begin();
    const { key } = await people.newKey(people.owner, { permissions: { metrics: ['read'] } });
    const narrow = await people.newKey(people.owner, { permissions: { application: ['read'] } });
    expect((await get(narrow.headers)).status).toBe(403);
    expect((await get({ authorization: `Bearer ${key}` })).status).toBe(200);
    expect((await get({ 'x-api-key': key })).status).toBe(200);
    expect((await get({})).status).toBe(401);
    for (const person of [people.member, people.stranger])
      expect((await get(person.headers)).status).toBe(403);
    expect(await owner.query('metrics.prometheus')).toMatchObject({
      text: expect.stringContaining('berth_info'),
    });
  });
});
