/** Databases that settings of previews name and that are neither in the file nor in Berth. */
import { fieldsOf } from '../connection/config.ts';
import type { NamedDatabase } from './names.ts';
import { isDatabaseKind } from './plan-service.ts';
import type { WholeFile } from './read-file.ts';

/** A sentence for each of them, with its place in the file. */
export function unknownDatabases(
  file: WholeFile,
  installed: ReadonlyMap<string, readonly NamedDatabase[]>,
): string[] {
  return Object.entries(file.environments).flatMap(([environment, { services = {} }]) => {
    const there = installed.get(environment) ?? [];
    const inFile = Object.entries(services).flatMap(([key, { kind, ...fields }]) =>
      isDatabaseKind(kind) ? [{ key, appName: fields['appName'], id: undefined }] : [],
    );
    const known = new Set([...there, ...inFile].flatMap(({ id, key, appName }) => [id, key, appName]));
    const keys = [...new Set([...inFile, ...there].map(({ key }) => key))].toSorted();
    return Object.entries(services).flatMap(([service, fields]) => {
      const wanted: unknown = fields['previewDatabases'];
      return (Array.isArray(wanted) ? wanted : []).flatMap((one: unknown, index) => {
        const written = fieldsOf(one)['databaseId'];
        if (typeof written !== 'string' || known.has(written)) return [];
        const { place, name } = file.placeOf(environment, service, ['previewDatabases', index, 'databaseId']);
        const others = keys.length === 0 ? 'It has none.' : `It has ${keys.join(', ')}.`;
        return `${place}: ${name} is "${written}", which is no database of ${environment}. ${others}`;
      });
    });
  });
}
