/** Fills the data folder of a new volume of a PostgreSQL database with the files of a base backup. */
import { relative } from 'node:path/posix';
import type { DatabaseRecord } from '../../../db/tables.ts';
import { serverKeyOf } from '../../../domain/names/server-key.ts';
import { databaseRef } from '../../../domain/names/service-ref.ts';
import { recoverySettings, type Filling } from './restore-to-moment.ts';
import type { Beside } from '../runs/restore.ts';
import { volumeProgram } from '../volumes/volume-program.ts';
import { databaseKind } from '../../database/kinds.ts';
import { majorOfImage } from '../../database/version.ts';
import type { ServiceSpec } from '../../../ports/engine/engine.ts';
import type { Hosts } from '../../../ports/host/host.ts';

const busybox = '/.berth/busybox';
const folder = '/.berth/volume';
const unpack = '"$0" mkdir -p "$1" && exec "$0" tar -x --numeric-owner -f - -C "$1"';
const unpackLast = [
  'cd "$1" && "$0" tar -x --numeric-owner -f -',
  `"$0" cat ${recoverySettings} >>postgresql.auto.conf`,
  `"$0" rm ${recoverySettings}`,
  '"$0" touch standby.signal',
  '"$0" chown -R "$("$0" stat -c %u:%g PG_VERSION)" . && "$0" chmod 700 .',
].join(' && ');

export async function fillData(
  { hosts, liveSpec }: { hosts: Hosts; liveSpec(database: DatabaseRecord): Promise<ServiceSpec | undefined> },
  database: DatabaseRecord,
  { volume }: Beside,
  backupRunId: string,
): Promise<Filling> {
  const { engine, probePath } = await hosts.of(serverKeyOf(database));
  const live = await liveSpec(database);
  const image = live?.image ?? database.containerImage;
  const env = (await engine.image(image))?.env;
  const place = databaseKind(database.kind).server.dataPath(majorOfImage(database.kind, image, env));
  const chosen = [...(live?.env ?? [])].find((entry) => entry.startsWith('PGDATA='))?.slice('PGDATA='.length);
  const data = chosen ?? env?.['PGDATA'] ?? place;
  return {
    engine,
    unpack: (last) =>
      volumeProgram(
        { ref: databaseRef(database.databaseId), organizationId: database.organizationId },
        { probePath },
        {
          backupRunId,
          volume,
          writes: true,
          argv: [
            busybox,
            'sh',
            '-c',
            last ? unpackLast : unpack,
            busybox,
            `${folder}/${relative(place, data)}`,
          ],
          image: { image, registryAuth: live?.registryAuth },
        },
      ),
  };
}
