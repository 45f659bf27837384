/**
 * Major versions of databases: what an image brings, what the data is of, and the refusal of a jump between
 * them (decisions 6). Pure.
 */
import { AppError } from '../../domain/errors.ts';
import type { DatabaseRecord } from '../../db/tables.ts';
import { databaseKind } from './kinds.ts';

/** The first number of a version: `15.18` → 15, `1:11.4.2+maria` → 11. */
export function majorOf(version: string): number | undefined {
  const match = /^(?:v|\d+:)?(\d+)(?:\.|$|[^\d])/.exec(version);
  return match?.[1] === undefined ? undefined : Number(match[1]);
}

/** The major version that an image brings, as far as it can be known. */
export type MajorOf = (kind: DatabaseRecord['kind'], reference: string) => Promise<number | undefined>;

/**
 * Of the image's own variables, else of the tag of the official image; undefined for one that tells neither:
 * others number their images as they like.
 */
export function majorOfImage(
  kind: DatabaseRecord['kind'],
  reference: string,
  env: Readonly<Record<string, string>> = {},
): number | undefined {
  const named = databaseKind(kind)
    .server.versionVariables.map((name) => env[name])
    .find((value) => value !== undefined && value !== '');
  return majorOf(named ?? (isOfficial(kind, reference) ? tagOf(reference) : ''));
}

function isOfficial(kind: DatabaseRecord['kind'], reference: string): boolean {
  return reference.replace(/^(?:docker\.io\/)?(?:library\/)?/, '').split(/[:@]/)[0] === kind;
}

/**
 * PRECONDITION_FAILED when data of another major version is there: no server of these kinds reads it safely.
 */
export function refuseMajorJump(
  database: Pick<DatabaseRecord, 'kind' | 'name' | 'dataVersion'>,
  image: string,
  major: number | undefined,
): void {
  const present = database.dataVersion === null ? undefined : majorOf(database.dataVersion);
  if (present === undefined || major === undefined || present === major) return;
  throw new AppError(
    'PRECONDITION_FAILED',
    `${image} is version ${major}, and the data of ${database.name} is of version ${present}: the ` +
      'server would not start on it, or would change it for good. ' +
      (`Call ${database.kind}.upgrade with this image, which moves the data to a new volume and keeps ` +
        `the old one; or set an image of version ${present} again.`),
  );
}

function tagOf(reference: string): string {
  const [name = ''] = reference.split('@');
  const colon = name.lastIndexOf(':');
  return colon > name.lastIndexOf('/') ? name.slice(colon + 1) : '';
}
