/**
 * Reads outside of transactions, on connections that send each statement at once and take the answers in
 * order (pg's pipeline mode): many readers share a few round trips.
 */
import type pg from 'pg';

export interface PostgresReaders {
  query(query: pg.QueryConfig): Promise<pg.QueryResult>;
  close(): Promise<void>;
}

/** A connection, or the attempt at one. */
interface Reader {
  client: Promise<pg.Client>;
  /** Statements that have no answer yet. */
  waiting: number;
}

/** `connect` gives a connected client in pipeline mode; one that is lost is replaced at the next read. */
export function createPostgresReaders(connect: () => Promise<pg.Client>, count: number): PostgresReaders {
  const readers: Reader[] = [];

  function open(): Reader {
    const reader: Reader = { client: connect(), waiting: 0 };
    const forget = (): void => {
      const at = readers.indexOf(reader);
      if (at >= 0) readers.splice(at, 1);
    };
    readers.push(reader);
    reader.client.then((client) => client.once('error', forget).once('end', forget), forget);
    return reader;
  }

  /** An idle one, else another while there may be more, else the one that fewest wait for. */
  function next(): Reader {
    const least = readers.reduce<Reader | undefined>(
      (best, reader) => (best && best.waiting <= reader.waiting ? best : reader),
      undefined,
    );
    return least && (least.waiting === 0 || readers.length >= count) ? least : open();
  }

  return {
    async query(query) {
      const reader = next();
      reader.waiting += 1;
      try {
        return await (await reader.client).query(query);
      } finally {
        reader.waiting -= 1;
      }
    },
    async close() {
      await Promise.all(
        readers.splice(0).map(({ client }) =>
          client.then(
            (connected) => connected.end(),
            () => undefined,
          ),
        ),
      );
    },
  };
}
