/** A database with a name, a user and a generated password. */
import { ask, type Input, type Path } from '../live/api.ts';
import type { DatabaseKind } from '../live/services.ts';

export async function makeDatabase(
  kind: DatabaseKind,
  { name, environmentId, image }: { name: string; environmentId: string; image: string },
): Promise<string> {
  const word =
    name
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '')
      .slice(0, 20) || 'data';
  const own: Record<DatabaseKind, object> = {
    postgres: { databaseName: word, databaseUser: word },
    mysql: { databaseName: word, databaseUser: word, databaseRootPassword: '' },
    mariadb: { databaseName: word, databaseUser: word, databaseRootPassword: '' },
    mongo: { databaseUser: word },
    redis: {},
  };
  const made: Readonly<Record<string, unknown>> = (await ask(
    `${kind}.create` as Path,
    {
      name,
      appName: `${word}-${random(6)}`,
      databasePassword: random(24),
      environmentId,
      ...(image === '' ? {} : { containerImage: image }),
      ...own[kind],
    } as Input<Path>,
  )) as never;
  return String(made[`${kind}Id`]);
}

/** Letters and digits; not predictable. */
function random(length: number): string {
  const letters = 'abcdefghijkmnpqrstuvwxyz23456789';
  return Array.from(crypto.getRandomValues(new Uint8Array(length)), (byte) => letters[byte % 32]).join('');
}
