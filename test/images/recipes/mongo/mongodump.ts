/** The stand-in's mongodump: `--archive` to its output, of one database, or of all but `local`. */
import { EJSON } from 'bson';
import { fail, openTool } from './archive.ts';

try {
  const { values, client } = await openTool({ db: { type: 'string' } });
  const { databases } = await client.db('admin').admin().listDatabases();
  const names = databases.map(({ name }) => name).filter((name) => name !== 'local');
  const { db } = values;
  for (const name of typeof db === 'string' ? [db] : names) await dump(name);
  process.stdout.write('end\n');
  await client.close();

  async function dump(of: string): Promise<void> {
    const database = client.db(of);
    for (const { name } of await database.listCollections({}, { nameOnly: true }).toArray()) {
      for (const document of await database.collection(name).find().toArray())
        process.stdout.write(
          `${EJSON.stringify({ ns: `${database.databaseName}.${name}`, document }, { relaxed: false })}\n`,
        );
    }
  }
} catch (error) {
  fail('mongodump', error);
}
