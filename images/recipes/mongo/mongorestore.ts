/**
 * The stand-in's mongorestore: `--archive` from its input, of the collections that `--nsInclude` names. An
 * archive without its end is refused.
 */
import { createInterface } from 'node:readline';
import { EJSON, type Document } from 'bson';
import { fail, openTool } from './archive.ts';

try {
  const { values, client } = await openTool({
    nsInclude: { type: 'string' },
    stopOnError: { type: 'boolean' },
  });
  const [wanted = ''] = String(values['nsInclude']).split('.*');
  let isWhole = false;
  const waiting = new Map<string, Document[]>();
  for await (const line of createInterface({ input: process.stdin })) {
    if (line === 'end') isWhole = true;
    else take(line);
  }
  // The server writes all it has after each insert, so each collection is one.
  for (const [collection, documents] of waiting)
    await client.db(wanted).collection(collection).insertMany(documents);
  if (!isWhole) throw new Error('the archive ends in its middle');
  await client.close();

  function take(line: string): void {
    const { ns, document }: Document = EJSON.parse(line, { relaxed: false });
    const [database = '', collection = ''] = String(ns).split(/\.(.*)/s);
    if (database !== wanted) return;
    if (!waiting.has(collection)) waiting.set(collection, []);
    waiting.get(collection)?.push(document);
  }
} catch (error) {
  fail('mongorestore', error);
}
