/** Variables and arguments with which an image keeps its data elsewhere than in the volume. Pure. */
import { posix } from 'node:path';
import { badField } from './errors.ts';
import type { DatabaseKindName } from './database-kind.ts';

/** Names as the programs of each kind know them, without leading dashes; `_` and `-` are the same. */
const movers: Record<DatabaseKindName, { variables: readonly string[]; args: readonly string[] }> = {
  postgres: { variables: ['PGDATA'], args: ['d', 'pgdata', 'data-directory'] },
  mysql: { variables: [], args: ['datadir', 'innodb-data-home-dir'] },
  mariadb: { variables: [], args: ['datadir', 'innodb-data-home-dir'] },
  mongo: { variables: [], args: ['dbpath'] },
  redis: { variables: [], args: ['dir'] },
};

export interface DataPlaceInputs {
  kind: DatabaseKindName;
  env: Readonly<Record<string, string>>;
  args: readonly string[];
  /** Where volumes and folders that last stand in the container, that of the data first. */
  folders: readonly [string, ...string[]];
}

/** Throws BAD_REQUEST naming the field when the data would be kept where the next deployment loses it. */
export function requireDataInVolume({ kind, env, args, folders }: DataPlaceInputs): void {
  const known = movers[kind];
  const [volume] = folders;
  const isKept = (path: string): boolean => {
    const place = posix.resolve(volume, path);
    return folders.some((folder) => place === folder || place.startsWith(`${folder.replace(/\/$/, '')}/`));
  };
  const refuse = (field: string, words: string): never => {
    throw badField(
      field,
      `${words} keeps the data outside of its volume, where the next deployment loses it. Leave it out, or ` +
        `name a folder below ${volume}`,
    );
  };
  for (const name of known.variables) {
    const path = env[name];
    if (path !== undefined && path !== '' && !isKept(path)) refuse('env', `${name}=${path}`);
  }
  for (const { name, value } of settingsIn(args))
    if (known.args.includes(name) && !isKept(value)) refuse('args', `${name} ${value}`);
}

/** `--name=value`, `--name value`, `-c name=value`, `-D value` and `-Dvalue`. */
function settingsIn(args: readonly string[]): { name: string; value: string }[] {
  const found: { name: string; value: string }[] = [];
  const add = (name: string, value: string | undefined): void => {
    if (value !== undefined) found.push({ name: name.toLowerCase().replaceAll('_', '-'), value });
  };
  args.forEach((word, at) => {
    const [, name = '', value] = /^(?:-{1,2})?([a-zA-Z][\w-]*)(?:=(.*))?$/s.exec(word) ?? [];
    if (value !== undefined) add(name, value);
    else if (word.startsWith('-') && name !== '') add(name, args[at + 1]);
    if (/^-D./.test(word)) add('d', word.slice(2));
  });
  return found;
}
