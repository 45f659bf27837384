/** Where the databases of another server of the family can be reached, for their data to be copied. */
import { databaseKindNames, type DatabaseKindName } from '../../server/src/domain/database-kind.ts';
import { ownRecord } from '../../server/src/domain/family-words.ts';
import { fieldsOf } from '../connection/config.ts';
import { arrayOf } from '../file/installed.ts';
import type { Fields } from '../file/kinds.ts';
import { idOf, openFamily, type FamilySource } from './dokploy.ts';
import { textOf } from './imported.ts';

export interface OtherDatabase {
  environment: string;
  /** As it is called in the file that was imported. */
  name: string;
  appName: string;
  kind: DatabaseKindName;
  /** With user and password; undefined where its port is not published there. */
  address: string | undefined;
}

export async function familyDatabases(
  source: FamilySource,
): Promise<{ project: string; databases: OtherDatabase[] }> {
  const { read, project, places } = await openFamily(source);
  const { hostname } = new URL(source.url);
  const databases: OtherDatabase[] = [];
  for (const place of places)
    for (const kind of databaseKindNames)
      for (const row of arrayOf(place[kind])) {
        const record = fieldsOf(ownRecord(`${kind}.one`, await read(`${kind}.one`, idOf(kind, row))));
        databases.push({
          environment: textOf(place['name']),
          name: textOf(record['name']),
          appName: textOf(record['appName']),
          kind,
          address: addressOf(kind, record, hostname),
        });
      }
  return { project: textOf(project['name']), databases };
}

const schemes: Readonly<Partial<Record<DatabaseKindName, string>>> = {
  postgres: 'postgresql',
  mysql: 'mysql',
  mariadb: 'mariadb',
  mongo: 'mongodb',
};

function addressOf(kind: DatabaseKindName, record: Fields, hostname: string): string | undefined {
  const scheme = schemes[kind];
  const port = textOf(record['externalPort']);
  if (scheme === undefined || port === '') return undefined;
  const part = (field: string): string => encodeURIComponent(textOf(record[field]));
  const account = `${part('databaseUser')}:${part('databasePassword')}`;
  return `${scheme}://${account}@${hostname}:${port}/${part('databaseName')}`;
}
