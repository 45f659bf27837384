import { expect, it } from 'vitest';
import { worlds, type World } from '../../../../test/http/worlds/world.ts';
import { textOf } from '../../../../test/http/interface-client.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { tableStore } from '../../db/table-store.ts';
import type { Live } from '../../domain/states/live.ts';
import { router } from '../../procedure/registry.ts';
import { createAlarms, type Alarms } from './alarm.ts';
import { alarmContract } from './contract.ts';
import { alarmHandlers } from './handlers.ts';
import { alarmSources } from './sources.ts';
import { createAlarmStore } from './store.ts';
import { createKnownThings } from '../installation/store.ts';
import type { UnfinishedDeletion } from '../unfinished-deletion/unfinished-deletion.ts';
import { unknownServicesOf } from './unknown-services.ts';

const minuteMs = 60_000;
const well: Live = {
  deploymentId: 'd',
  commit: null,
  image: null,
  since: null,
  running: 1,
  desired: 1,
  restarts: 0,
  lastExit: null,
  problem: null,
  unreachableSince: null,
  waiting: null,
  paused: 0,
};

interface Scene extends World {
  /** What runs of the first organization's application. */
  live: { now: Live };
  facts: { unreachable: boolean; free: number; farFree: number };
  told: string[];
  deletions: UnfinishedDeletion[];
  faults: unknown[];
  /** So many looks, 10 s apart. */
  look(times?: number): Promise<void>;
  clock: { time: number; now(): number };
}

eachDatabase('alarms', (test) => {
  const createWorld = worlds(test);

  async function begin(): Promise<Scene> {
    const clock = { time: Date.now(), now: () => clock.time };
    const live = { now: well };
    const facts = { unreachable: false, free: 100e9, farFree: 100e9 };
    const told: string[] = [];
    const deletions: UnfinishedDeletion[] = [];
    const faults: unknown[] = [];
    const made = { applicationId: '', organizationId: '', theirs: '' };
    let alarms: Alarms | undefined;
    const world = await createWorld((database) => {
      const store = createAlarmStore(database);
      alarms = createAlarms({
        store,
        clock,
        tell: async ({ event, subject }) => void told.push(`${event} ${subject.name}`),
        onFault: (error) => void faults.push(error),
        sources: alarmSources({
          store,
          clock,
          shown: () => [{ kind: 'application', serviceId: made.applicationId, live: live.now }],
          unreachable: async () =>
            facts.unreachable
              ? [{ id: 'local', name: 'this machine', organizationId: made.organizationId, since: 'noon' }]
              : [],
          disks: async () => [
            { id: 'local', name: 'Berth’s machine', organizationId: made.organizationId, free: facts.free },
            { id: 'far', name: 'frankfurt', organizationId: made.theirs, free: facts.farFree },
          ],
          leftNetworks: async () => [],
          shadowingNetworks: async () => [],
          unfinishedDeletions: async () => deletions,
          stoppedWriters: async () => [],
          unknownServices: unknownServicesOf({
            things: createKnownThings(database),
            servers: tableStore(database, 'server'),
            installation: async () => made.organizationId,
          }),
          minFreeDisk: async () => 10e9,
          installation: async () => made.organizationId,
        }),
      });
      return [router('alarm', alarmContract, alarmHandlers(alarms))];
    });
    made.applicationId = world.place.applicationId;
    made.organizationId = world.people.owner.organizationId;
    made.theirs = world.people.stranger.organizationId;
    return {
      ...world,
      live,
      facts,
      told,
      deletions,
      faults,
      clock,
      async look(times = 1) {
        for (let count = 0; count < times; count += 1) {
          clock.time += 10_000;
          await alarms?.look();
        }
      },
    };
  }

  it('begin when a service is down, are told and seen once, and end by themselves', async () => {
    const { owner, stranger, member, live, look, told, place, clock, faults } = await begin();
    await look(2);
    live.now = { ...well, running: 0 };
    await look();
    expect(await owner.query('alarm.all')).toEqual([]);
    live.now = well;
    await look();
    live.now = { ...well, running: 0 };
    await look(5);
    const [alarm, ...others] = Object(await owner.query('alarm.all'));
    expect(others).toEqual([]);
    expect(alarm).toMatchObject({
      kind: 'serviceDown',
      subject: { type: 'application', id: place.applicationId, name: 'Shop' },
      sentence: 'Shop is down: none of its 1 replicas runs.',
      serviceId: place.applicationId,
      projectId: place.projectId,
      endedAt: null,
    });
    expect(told).toEqual(['serviceDown Shop']);
    expect(await stranger.query('alarm.all')).toEqual([]);
    expect(await member.query('alarm.all')).toEqual([]);
    const alarmId = textOf(alarm, 'alarmId');
    expect(await stranger.mutate('alarm.acknowledge', { alarmId })).toMatchObject({ code: 'FORBIDDEN' });
    expect(await member.mutate('alarm.acknowledge', { alarmId })).toMatchObject({ code: 'FORBIDDEN' });
    expect(await owner.mutate('alarm.acknowledge', { alarmId })).toMatchObject({
      acknowledgedAt: expect.any(String),
      endedAt: null,
    });
    await look();
    clock.time += 3 * minuteMs;
    live.now = well;
    await look();
    expect(await owner.query('alarm.all')).toEqual([]);
    expect(await owner.query('alarm.all', { ended: true })).toMatchObject([
      { alarmId, endedAt: expect.any(String), acknowledgedAt: expect.any(String) },
    ]);
    expect(told).toEqual(['serviceDown Shop', 'serviceUp Shop']);
    expect(faults).toEqual([]);
  });

  it('of a service that no record names lasts until it is removed', async () => {
    const { owner, member, stranger, look, told, database, faults } = await begin();
    const things = createKnownThings(database);
    const thing = { serverKey: 'local', kind: 'service' as const, engineId: 'e', owner: 'application:x' };
    const [seenAt, removedAt] = ['2026-05-01T10:00:00.000Z', '2026-05-02T10:00:00.000Z'];
    await things.keepUnknown({ ...thing, name: 'orphaned', seenAt, removedAt });
    await things.keepUnknown({ ...thing, name: 'restored', seenAt, removedAt: null });
    await look(3);
    const alarms = Object(await owner.query('alarm.all'));
    expect(alarms).toHaveLength(2);
    const kind = 'serviceUnknown';
    expect(alarms).toContainEqual(
      expect.objectContaining({ kind, sentence: expect.stringContaining(`removed on ${removedAt}`) }),
    );
    expect(alarms).toContainEqual(
      expect.objectContaining({ kind, sentence: expect.stringMatching(/^restored .* until somebody/) }),
    );
    expect(told.toSorted()).toEqual([`${kind} orphaned on this machine`, `${kind} restored on this machine`]);
    expect(await member.query('alarm.all')).toEqual([]);
    expect(await stranger.query('alarm.all')).toEqual([]);
    await things.forgetUnknown('local', 'orphaned');
    await look();
    expect(await owner.query('alarm.all')).toMatchObject([{ subject: { name: 'restored on this machine' } }]);
    expect(faults).toEqual([]);
  });

  it('are of deletions whose containers go on, with the reason and the command', async () => {
    const { owner, stranger, deletions, look, people } = await begin();
    deletions.push({
      kind: 'compose',
      serviceId: 'c1',
      organizationId: people.owner.organizationId,
      serverKey: 'local',
      name: 'stack',
      deleteVolumes: true,
      userId: 'u1',
      since: '2026-05-01T10:00:00.000Z',
      triedAt: '2026-05-01T10:01:00.000Z',
      reason: 'One of its containers did not stop.',
      tries: 2,
    });
    await look();
    const sentence = expect.stringMatching(/One of its containers did not stop\. .*label=berth\.compose=c1/);
    expect(await owner.query('alarm.all')).toMatchObject([
      { kind: 'deletionUnfinished', subject: { type: 'compose', id: 'c1' }, sentence, endedAt: null },
    ]);
    expect(await stranger.query('alarm.all')).toEqual([]);
    deletions.length = 0;
    await look();
    expect(await owner.query('alarm.all')).toEqual([]);
  });

  it('are one while they come and go', async () => {
    const { owner, live, look, clock } = await begin();
    for (let count = 0; count < 20; count += 1) {
      live.now = { ...well, running: 0 };
      await look(2);
      live.now = well;
      await look();
      clock.time += 8 * minuteMs;
    }
    expect(await owner.query('alarm.all', { ended: true })).toMatchObject([
      { kind: 'serviceDown', times: 20, endedAt: expect.any(String) },
    ]);
    clock.time += 3 * minuteMs;
    live.now = { ...well, running: 0 };
    await look(2);
    expect(await owner.query('alarm.all', { ended: true })).toMatchObject([
      { times: 1, endedAt: null },
      { times: 20 },
    ]);
  });

  it('are read in pages, and a thousand ended ones are kept of an organization', async () => {
    const { owner, member, database, people, clock } = await begin();
    const store = createAlarmStore(database);
    const at = (ms: number): string => new Date(clock.time + ms).toISOString();
    await store.transaction(async () => {
      for (let count = 0; count < 1005; count += 1)
        await store.insert({
          alarmId: `alarm-${count}`,
          organizationId: people.owner.organizationId,
          kind: 'queueStuck',
          subjectType: 'installation',
          subjectId: String(count),
          subjectName: 'the queue of jobs',
          sentence: 'Jobs wait.',
          projectId: null,
          environmentId: null,
          serviceId: null,
          begunAt: at(count),
          endedAt: at(count),
          acknowledgedAt: null,
          acknowledgedBy: null,
          times: 1,
        });
    });
    await store.prune(at(-1), 1000);
    const all = Object(await owner.query('alarm.all', { ended: true }));
    expect(all).toHaveLength(1000);
    expect(await member.query('alarm.all', { ended: true })).toEqual([]);
    const page = Object(await owner.query('alarm.all', { ended: true, limit: 3 }));
    expect(page).toMatchObject({ items: all.slice(0, 3), nextCursor: 'alarm-1002' });
    expect(await owner.query('alarm.all', { ended: true, limit: 3, cursor: page.nextCursor })).toMatchObject({
      items: all.slice(3, 6),
    });
    expect(await owner.query('alarm.all', { limit: 3, cursor: 'gone' })).toMatchObject({
      fields: ['cursor'],
    });
  });

  it.each([
    [{ problem: 'crash loop' as const }, 'Shop keeps ending and being restarted.'],
    [{ problem: 'out of memory' as const }, 'Shop is killed at its memory limit again and again.'],
  ])('tell a service that restarts over and over (%j)', async (change, sentence) => {
    const { owner, live, look } = await begin();
    const lastExit = { at: 'noon', exitCode: 137, outOfMemory: true, reason: 'killed' };
    live.now = { ...well, ...change, lastExit };
    await look(2);
    expect(await owner.query('alarm.all')).toMatchObject([
      { kind: 'serviceDown', sentence: `${sentence} It ended last with exit code 137 (killed).` },
    ]);
  });

  it('are none of a service that is stopped, being deployed, or on a server that is away', async () => {
    const { owner, live, look, database, place } = await begin();
    live.now = { ...well, running: 0, desired: 0 };
    await look(3);
    live.now = { ...well, running: 0, unreachableSince: 'noon' };
    await look(3);
    await tableStore(database, 'application').update(
      { applicationId: place.applicationId },
      { applicationStatus: 'running' },
    );
    live.now = { ...well, running: 0 };
    await look(3);
    expect(await owner.query('alarm.all', { ended: true })).toEqual([]);
  });

  it('of a server, the disk and jobs that wait belong to Owner and Admin', async () => {
    const { owner, admin, member, facts, look, told, database, clock } = await begin();
    facts.unreachable = true;
    facts.free = 15e9;
    await tableStore(database, 'job').insert({
      jobId: 'waits',
      kind: 'deployment',
      payload: {},
      serviceKey: 'application:x',
      serverKey: 'local',
      state: 'queued',
      attempts: 0,
      worker: null,
      leaseUntil: 0,
      slot: 'none',
      buildServerKey: null,
      organizationId: null,
      sequence: 1,
      createdAt: new Date(clock.time - 31 * minuteMs).toISOString(),
    });
    await look(3);
    expect(told.toSorted()).toEqual([
      'diskNearlyFull the disk of Berth’s machine',
      'queueStuck the queue of jobs',
      'serverUnreachable this machine',
    ]);
    expect(await admin.query('alarm.all')).toHaveLength(3);
    expect(await member.query('alarm.all')).toEqual([]);
    facts.unreachable = false;
    await look();
    expect(told).toContain('serverBack this machine');
    expect(await owner.query('alarm.all')).toHaveLength(2);
  });

  it('of the disk of a server belong to the organization that has the server', async () => {
    const { owner, stranger, facts, look, told } = await begin();
    facts.farFree = 19e9;
    await look(3);
    expect(told).toEqual(['diskNearlyFull the disk of frankfurt']);
    expect(await owner.query('alarm.all')).toEqual([]);
    expect(await stranger.query('alarm.all')).toMatchObject([
      {
        subject: { type: 'server', id: 'far', name: 'the disk of frankfurt' },
        sentence: 'Less than 20.0 GB is free.',
      },
    ]);
    facts.farFree = 21e9;
    await look();
    expect(await stranger.query('alarm.all')).toEqual([]);
  });

  it('come from what records say: uploaded certificates that end, backups without a good run', async () => {
    const { owner, look, told, database, people, clock } = await begin();
    const { organizationId } = people.owner;
    const createdAt = new Date(clock.time).toISOString();
    await tableStore(database, 'certificate').insert({
      certificateId: 'c1',
      organizationId,
      name: 'shop.example.com',
      certificateData: '',
      privateKey: '',
      serverId: null,
      notBefore: createdAt,
      expirationDate: new Date(clock.time + 13 * 24 * 60 * minuteMs).toISOString(),
      commonName: 'shop.example.com',
      subjectAlternativeNames: [],
      issuer: '',
      createdAt,
    });
    await tableStore(database, 'issuance').insert({
      serverKey: 'local',
      host: 'nobody.example.com',
      authority: 'acme',
      status: 'failed',
      issuer: null,
      expiresAt: null,
      warnAt: null,
      error: 'refused',
      attempts: 1,
      nextAt: 0,
      changedAt: createdAt,
    });
    await look();
    expect(await owner.query('alarm.all')).toMatchObject([
      { kind: 'uploadedCertificateExpiring', subject: { id: 'c1' } },
    ]);
    expect(told).toEqual(['certificateExpiring shop.example.com']);
  });
});
