/** What an import is made of: a berth.yml, and a sentence for everything that it could not take. */
import type { DatabaseKindName } from '../../server/src/domain/database-kind.ts';
import { parseEnv } from '../../server/src/domain/variables/dotenv.ts';
import { fieldsOf } from '../connection/config.ts';
import type { Fields } from '../file/kinds.ts';
import type { FileVariables } from '../../server/src/modules/berth-file/record.ts';

export type Variables = Record<string, FileVariables[string]>;
export type ImportedService = Record<string, unknown> & {
  kind: 'application' | 'compose' | DatabaseKindName;
};

export interface Imported {
  project: string;
  description?: string;
  variables?: Variables;
  services: Record<string, ImportedService>;
  /** Others than `production`. */
  environments?: Record<string, { variables?: Variables; services: Record<string, ImportedService> }>;
  /** A sentence for each thing that was left out, or taken otherwise than it was. */
  notes: string[];
}

/** A file of the folder by its name; undefined where there is none. */
export type ReadFile = (name: string) => Promise<string | undefined>;

const imagesOf: readonly (readonly [RegExp, DatabaseKindName])[] = [
  [/^(postgres|postgis|pgvector|timescaledb)$/, 'postgres'],
  [/^(mysql|percona)$/, 'mysql'],
  [/^mariadb$/, 'mariadb'],
  [/^(mongo|mongodb)$/, 'mongo'],
  [/^(redis|valkey)$/, 'redis'],
];

/** The kind of database that an image is of; undefined for any other. */
export function databaseOfImage(image: string): DatabaseKindName | undefined {
  const name = image.split('@')[0]?.split('/').at(-1)?.split(':')[0] ?? '';
  return imagesOf.find(([pattern]) => pattern.test(name))?.[1];
}

/** A name as services have them, of whatever was written. */
export function plainName(text: string, otherwise: string): string {
  return (
    text
      .trim()
      .replaceAll(/[\r\n]+/g, ' ')
      .slice(0, 100) || otherwise
  );
}

/** `NAME=value` lines in any of the dotenv forms. */
export function variablesOf(text: string): Variables {
  return Object.fromEntries(parseEnv(text).map(({ name, value }) => [name, value]));
}

export const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : value === undefined || value === null || value === '' ? [] : [value];
}

/** Keys of an object that an import does not know, as notes. */
export function unknownKeys(where: string, object: Fields, known: readonly string[]): string[] {
  return Object.keys(fieldsOf(object))
    .filter((key) => !known.includes(key))
    .map((key) => `${where}: ${key} has no counterpart here and was left out.`);
}

/** `source:/inside[:ro]` as a mount, or why it is none. */
export function mountOf(
  text: string,
  named: (source: string) => string = (source) => source,
): Fields | string {
  const [source = '', mountPath = ''] = text.split(':');
  if (mountPath === '') return `the volume ${text} has no name and was left out.`;
  return source.startsWith('/') || source.startsWith('.') || source.startsWith('~')
    ? `the folder ${source} of the server was left out: put its content into a volume, or mount it by hand.`
    : { mountPath, type: 'volume', volumeName: named(source) };
}

export const dataNote = (name: string): string =>
  `${name}: its data is not imported. The guide describes how to copy it.`;
