/** The stand-in's mongorestore: `--archive` from its input, of the collections that `--nsInclude` names. An archive without its end is refused. */
import { createInterface } from 'node:readline';
import { EJSON, type Document } from 'bson';
import { fail, openTool } from './archive.ts';

try {
  const { values, client } = await openTool({ nsInclude: { type: 'string' }, stopOnError: { type: 'boolean' } });
  const [wanted = ''] = String(values['nsInclude']).split('.*');
  let isWhole = false;
  for await (const line of createInterface({ input: process.stdin })) {
    if (line === 'end') isWhole = true;
    else await restore(line);
  }
  if (!isWhole) throw new Error('the archive ends in its middle');
  await client.close();

  async function restore(line: string): Promise<void> {
    const { ns, document }: Document = EJSON.parse(line, { relaxed: false });
    const [database = '', collection = ''] = String(ns).split(/\.(.*)/s);
    if (database === wanted) await client.db(database).collection(collection).insertOne(document);
  }
} catch (error) {
  fail('mongorestore', error);
}
