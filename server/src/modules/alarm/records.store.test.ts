/** Alarms of what records alone say, on both databases. */
import { expect, it } from 'vitest';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { of } from '../../../../test/world/fixtures.ts';
import { seedWorlds, type World } from '../../../../test/world/world.ts';
import { plainBackup, plainDestination } from '../../../../test/world/plain-destination.ts';
import { createStores } from '../../composition/stores.ts';
import { tableStore } from '../../db/table-store.ts';
import { newKeyPair } from '../../domain/secrets/age.ts';
import { systemClock } from '../../ports/clock.ts';
import { createAlarms } from './alarm.ts';
import type { AlarmKind } from './record.ts';
import { alarmSources } from './sources.ts';

eachDatabase('alarms', (test) => {
  async function begin() {
    const database = await test.open();
    const stores = createStores(database);
    const [world] = (await seedWorlds(database, 1)) as [World];
    const { organizationId } = world.own;
    const told: string[] = [];
    const none = async (): Promise<[]> => [];
    const alarms = createAlarms({
      store: stores.alarms,
      clock: systemClock,
      tell: async ({ event, subject }) => void told.push(`${event} ${subject.id}`),
      onFault: (error) => {
        throw error;
      },
      sources: alarmSources({
        store: stores.alarms,
        clock: systemClock,
        shown: () => [],
        unreachable: none,
        disks: none,
        leftNetworks: none,
        shadowingNetworks: none,
        unknownServices: none,
        unfinishedDeletions: none,
        stoppedWriters: stores.diskWriters.stopped,
        minFreeDisk: async () => 2e9,
        installation: async () => undefined,
      }),
    });
    const open = async (kind: AlarmKind): Promise<unknown[]> =>
      (await alarms.all(organizationId, { ended: false, reaches: () => true })).filter(
        (alarm) => alarm.kind === kind,
      );
    return { world, organizationId, database, stores, told, look: alarms.look, open };
  }

  it('of a service that filled the disk lasts until somebody starts it', async () => {
    const { world, stores, told, look, open } = await begin();
    const applicationId = of(world.own, 'applicationId');
    const kind = 'diskWriterStopped';
    await stores.applications.update({ applicationId }, { isStopped: true });
    await stores.diskWriters.keepWriter({
      kind: 'application',
      serviceId: applicationId,
      serverKey: 'local',
      grownBytes: 9e9,
      freeBytes: 1.5e9,
      keptBytes: 2e9,
      since: '2100-03-01T12:00:00.000Z',
      stoppedAt: '2100-03-01T12:01:00.000Z',
    });
    await look();
    expect(await open(kind)).toMatchObject([
      {
        serviceId: applicationId,
        sentence: expect.stringMatching(
          /was stopped at 2100.* had written 9\.0 GB since 2100.* 1\.5 GB .* 2\.0 GB must stay free .* start it\.$/,
        ),
      },
    ]);
    expect(told).toContain(`diskWriterStopped ${applicationId}`);
    await stores.applications.update({ applicationId }, { isStopped: false });
    await look();
    expect(await open(kind)).toEqual([]);
  });

  it('begin when backups are encrypted for keys that Berth has not, and end with one of them', async () => {
    const { organizationId, database, told, look, open } = await begin();
    const kind = 'backupLocked';
    const { recipient, identity } = await newKeyPair();
    const destinations = tableStore(database, 'destination');
    const offsite = { ...plainDestination, organizationId, recipients: [recipient] };
    await destinations.insert({ ...offsite, destinationId: 'used', name: 'Offsite' });
    await destinations.insert({ ...offsite, destinationId: 'unused', name: 'Nothing goes there' });
    await look();
    expect(await open(kind)).toEqual([]);
    await tableStore(database, 'backup').insert({
      ...plainBackup,
      backupId: 'b',
      organizationId,
      databaseId: null,
      databaseType: 'postgres',
      destinationId: 'used',
    });
    await look();
    expect(await open(kind)).toMatchObject([
      {
        subject: { type: 'destination', id: 'used', name: 'Offsite' },
        sentence: expect.stringContaining(recipient),
      },
    ]);
    expect(told).toContain('backupLocked used');
    const identities = `# public key: ${recipient}\n${identity}\n`;
    await destinations.update({ destinationId: 'used' }, { identities });
    await look();
    expect(await open(kind)).toEqual([]);
  });
});
