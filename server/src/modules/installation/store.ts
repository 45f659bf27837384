/** The installation as its database knows it, and what is known of things on engines by their names alone. */
import type { Database } from '../../db/database.ts';
import { tableStore } from '../../db/table-store.ts';
import type { InstallationRecord, InstallationStore, KnownThings } from './installation.ts';

export function createInstallationStore(database: Database): InstallationStore {
  const installations = tableStore(database, 'installation');
  const lives = tableStore(database, 'incarnation');
  const find = async (): Promise<InstallationRecord | undefined> => (await installations.list({}))[0];
  const endedAs = async (incarnationId: string, endedAt: string): Promise<boolean> => {
    const present = await lives.find({ incarnationId });
    if (present && present.endedAt === null) await lives.update({ incarnationId }, { endedAt });
    return present !== undefined;
  };
  return {
    find,
    incarnations: () => lives.list({}, { by: ['startedAt', 'incarnationId'], direction: 'asc' }),
    giveUp: endedAs,
    create: (record, incarnation) =>
      database.transaction(async () => {
        if ((await find()) !== undefined) return;
        await installations.insert(record);
        await lives.insert(incarnation);
      }),
    begin: (incarnation) =>
      database.transaction(async () => {
        if ((await lives.find({ incarnationId: incarnation.incarnationId })) !== undefined) return;
        await lives.insert(incarnation);
        await installations.update({}, { incarnationId: incarnation.incarnationId });
      }),
    endUnrecorded: (incarnation) =>
      database.transaction(async () => {
        if ((await lives.find({ incarnationId: incarnation.incarnationId })) === undefined)
          await lives.insert(incarnation);
        else await endedAs(incarnation.incarnationId, incarnation.endedAt ?? incarnation.startedAt);
      }),
  };
}

export function createKnownThings(database: Database): KnownThings {
  const adopted = tableStore(database, 'adopted_thing');
  const unknown = tableStore(database, 'unknown_thing');
  return {
    adopted: async (serverKey) => new Set((await adopted.list({ serverKey })).map(({ name }) => name)),
    adopt: (serverKey, name, since) =>
      database.transaction(async () => {
        const key = { serverKey, kind: 'network', name } as const;
        if ((await adopted.find(key)) === undefined) await adopted.insert({ ...key, since });
      }),
    async forgetAdopted(serverKey, name) {
      await adopted.remove({ serverKey, kind: 'network', name });
    },
    unknown: (serverKey) =>
      unknown.list(serverKey === undefined ? {} : { serverKey }, {
        by: ['seenAt', 'name'],
        direction: 'asc',
      }),
    keepUnknown: (thing) =>
      database.transaction(async () => {
        const { serverKey, kind, name } = thing;
        const present = await unknown.find({ serverKey, kind, name });
        if (present?.engineId === thing.engineId) return false;
        if (present) await unknown.remove({ serverKey, kind, name });
        await unknown.insert(thing);
        return true;
      }),
    async forgetUnknown(serverKey, name) {
      await unknown.remove({ serverKey, kind: 'service', name });
    },
  };
}
