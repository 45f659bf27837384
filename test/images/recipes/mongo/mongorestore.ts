/**
 * The stand-in's mongorestore: `--archive` from its input, of the collections that `--nsInclude` names, or of
 * all that no `--nsExclude` does. An archive without its end is refused.
 */
import { createInterface } from 'node:readline';
import { EJSON, type Document } from 'bson';
import { fail, openTool } from './archive.ts';

/** Patterns are `database.*` only. */
const databaseOf = (pattern: unknown): string => String(pattern).replace(/\.\*$/, '');

try {
  const { values, client } = await openTool({
    nsInclude: { type: 'string' },
    nsExclude: { type: 'string', multiple: true },
    drop: { type: 'boolean' },
    stopOnError: { type: 'boolean' },
  });
  const { nsInclude, nsExclude, drop } = values;
  const excluded = Array.isArray(nsExclude) ? nsExclude.map(databaseOf) : [];
  const isWanted = (database: string): boolean =>
    nsInclude === undefined ? !excluded.includes(database) : database === databaseOf(nsInclude);
  let isWhole = false;
  const waiting = new Map<string, Document[]>();
  for await (const line of createInterface({ input: process.stdin })) {
    if (line === 'end') isWhole = true;
    else take(line);
  }
  // The server writes all it has after each insert, so each collection is one.
  for (const [ns, documents] of waiting) {
    const [database, name] = partsOf(ns);
    const collection = client.db(database).collection(name);
    if (drop === true) await collection.drop();
    await collection.insertMany(documents);
  }
  if (!isWhole) throw new Error('the archive ends in its middle');
  await client.close();

  function take(line: string): void {
    const { ns, document }: Document = EJSON.parse(line, { relaxed: false });
    const key = String(ns);
    if (!isWanted(partsOf(key)[0])) return;
    if (!waiting.has(key)) waiting.set(key, []);
    waiting.get(key)?.push(document);
  }
} catch (error) {
  fail('mongorestore', error);
}

function partsOf(ns: string): [database: string, collection: string] {
  const [database = '', collection = ''] = ns.split(/\.(.*)/s);
  return [database, collection];
}
