/** Addresses that programs reach a database by (decisions 6). Pure. */
import { databaseKind } from './kinds.ts';
import type { DatabaseRecord } from './store.ts';

export interface Connection {
  internal: string;
  external: string | null;
}

/** `host` is the server's address as the outside knows it; null when nobody has set one. */
export function connectionOf(database: DatabaseRecord, host: string | null): Connection {
  const { port } = databaseKind(database.kind);
  return {
    internal: addressOf(database, `${database.appName}:${port}`),
    external: database.externalPort === null || host === null ? null : addressOf(database, `${host.includes(':') ? `[${host}]` : host}:${database.externalPort}`),
  };
}

function addressOf({ kind, databaseUser, databasePassword, databaseName, replicaSets }: DatabaseRecord, at: string): string {
  return databaseKind(kind).address({ user: encoded(databaseUser), password: encoded(databasePassword), at, database: encoded(databaseName), replicaSets });
}

/** RFC 3986, 2.1: everything but the unreserved characters. */
function encoded(text: string | null): string {
  return encodeURIComponent(text ?? '').replaceAll(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}
