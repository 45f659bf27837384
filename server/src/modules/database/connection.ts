/** Addresses that programs reach a database by (decisions 6). Pure. */
import { databaseKind } from './kinds.ts';
import type { DatabaseRecord } from '../../db/tables.ts';

export interface Connection {
  internal: string;
  external: string | null;
}

/** `host` is the server's address as the outside knows it; null when nobody has set one. */
export function connectionOf(database: DatabaseRecord, host: string | null): Connection {
  const { port } = databaseKind(database.kind);
  return {
    internal: addressOf(database, `${database.appName}:${port}`),
    external:
      database.externalPort === null || host === null
        ? null
        : addressOf(database, `${host.includes(':') ? `[${host}]` : host}:${database.externalPort}`),
  };
}

function addressOf(record: DatabaseRecord, at: string): string {
  const { address, server } = databaseKind(record.kind);
  const { user, password, database } = server.login(record);
  return address({
    user: encoded(user),
    password: encoded(password),
    at,
    database: encoded(database),
    replicaSets: record.replicaSets,
  });
}

/** RFC 3986, 2.1: everything but the unreserved characters. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
