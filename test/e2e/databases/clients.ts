/**
 * What a program does with a database of each kind, by the kind's own client and the address that Berth
 * gives.
 */
import { Redis } from 'ioredis';
import { MongoClient } from 'mongodb';
import { createConnection } from 'mysql2/promise';
import pg from 'pg';
import type { DatabaseKindName } from '../../../server/src/domain/database-kind.ts';

/** One session: connects, works, leaves. Every wait is bounded by the client's own limits. */
export interface Session {
  write(key: string, value: string): Promise<void>;
  /** Null when nothing is written there. */
  read(key: string): Promise<string | null>;
}

type Connect = (address: string) => Promise<Session & { close(): Promise<unknown> }>;

const waitMs = 5000;

const mysql: Connect = async (address) => {
  const connection = await createConnection({
    uri: address.replace(/^mariadb:/, 'mysql:'),
    connectTimeout: waitMs,
  });
  await connection.query('create table if not exists notes (name varchar(100) primary key, note text)');
  return {
    write: async (key, value) =>
      void (await connection.execute('replace into notes values (?, ?)', [key, value])),
    async read(key) {
      const [rows] = await connection.execute('select note from notes where name = ?', [key]);
      const row: unknown = Array.isArray(rows) ? rows[0] : undefined;
      return typeof row === 'object' && row !== null && 'note' in row ? String(row.note) : null;
    },
    close: () => connection.end(),
  };
};

const clients: Record<DatabaseKindName, Connect> = {
  mysql,
  mariadb: mysql,
  async postgres(address) {
    const client = new pg.Client({
      connectionString: address,
      connectionTimeoutMillis: waitMs,
      query_timeout: waitMs,
    });
    // A server that goes away under an open session is told by the next question.
    client.on('error', () => undefined);
    await client.connect();
    await client.query('create table if not exists notes (name text primary key, note text)');
    return {
      write: async (key, value) =>
        void (await client.query(
          'insert into notes values ($1, $2) on conflict (name) do update set note = $2',
          [key, value],
        )),
      read: async (key) =>
        (await client.query<{ note: string }>('select note from notes where name = $1', [key])).rows[0]
          ?.note ?? null,
      close: () => client.end(),
    };
  },
  async mongo(address) {
    // A set names its members as its own network knows them.
    const client = new MongoClient(address.replace(/[?&]replicaSet=rs0/, ''), {
      directConnection: true,
      serverSelectionTimeoutMS: waitMs,
      connectTimeoutMS: waitMs,
    });
    await client.connect();
    const notes = client.db('shop').collection<{ name: string; note: string }>('notes');
    await notes.findOne({ name: '' });
    return {
      write: async (key, value) =>
        void (await notes.updateOne({ name: key }, { $set: { note: value } }, { upsert: true })),
      read: async (key) => (await notes.findOne({ name: key }))?.note ?? null,
      close: () => client.close(),
    };
  },
  async redis(address) {
    const client = new Redis(address, {
      lazyConnect: true,
      connectTimeout: waitMs,
      commandTimeout: waitMs,
      retryStrategy: () => null,
      maxRetriesPerRequest: 0,
    });
    client.on('error', () => undefined);
    await client.connect();
    await client.ping();
    return {
      write: async (key, value) => void (await client.set(key, value)),
      read: (key) => client.get(key),
      close: async () => client.disconnect(),
    };
  },
};

/** Works in a session of its own; throws what the client throws. */
export async function inSession<T>(
  kind: DatabaseKindName,
  address: string,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const session = await clients[kind](address);
  try {
    return await work(session);
  } finally {
    await session.close();
  }
}
