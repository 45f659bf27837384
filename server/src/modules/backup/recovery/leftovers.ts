/** What streams of logs leave on engines when they are switched off, moved or on other data. */
import type { DatabaseRecord } from '../../../db/tables.ts';
import { socketVolumeOf, recoveryRole } from '../../../domain/database-socket.ts';
import { roleLabel } from '../../../domain/names/labels.ts';
import { serverKeyOf } from '../../../domain/names/server-key.ts';
import type { Engine } from '../../../ports/engine/engine.ts';
import type { Hosts } from '../../../ports/host/host.ts';
import type { BackupRecord } from '../store.ts';
import { streamNames } from './stream-service.ts';

/** Services and volumes of the streams that are on, each behind the key of its server. */
export async function neededOf(
  { findDatabase }: { findDatabase(databaseId: string): Promise<DatabaseRecord | undefined> },
  streams: readonly BackupRecord[],
): Promise<ReadonlySet<string>> {
  const needed = new Set<string>();
  for (const { databaseId, enabled } of streams) {
    const database = enabled ? await findDatabase(databaseId ?? '') : undefined;
    if (!database) continue;
    const { service, volume } = streamNames(database);
    const place = serverKeyOf(database);
    for (const name of [
      ...(database.isStopped ? [] : [service]),
      volume,
      socketVolumeOf(database.databaseId),
    ])
      needed.add(`${place}/${name}`);
  }
  return needed;
}

/**
 * Removes services and volumes of streams that are switched off, moved or on other data now. Resolves with
 * whether nothing is left of them.
 */
export async function removeUnneeded(
  { hosts }: { hosts: Pick<Hosts, 'all'> },
  needed: ReadonlySet<string>,
): Promise<boolean> {
  const clear = async (key: string, engine: Engine): Promise<boolean> => {
    let isClear = true;
    for (const { name, labels } of await engine.services())
      if (labels[roleLabel] === recoveryRole && !needed.has(`${key}/${name}`))
        await engine.removeService(name);
    // The database may use the folder of its socket until its next release.
    for (const volume of await engine.volumes(`${roleLabel}=${recoveryRole}`))
      if (!needed.has(`${key}/${volume}`))
        await engine.removeVolume(volume).catch(() => {
          isClear = false;
        });
    return isClear;
  };
  const all = await hosts.all();
  return (await Promise.all(all.map(({ key, engine }) => clear(key, engine).catch(() => false)))).every(
    Boolean,
  );
}
