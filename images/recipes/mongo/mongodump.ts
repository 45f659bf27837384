/** The stand-in's mongodump: `--archive` to its output, of one database. */
import { EJSON } from 'bson';
import { fail, openTool } from './archive.ts';

try {
  const { values, client } = await openTool({ db: { type: 'string' } });
  const database = client.db(String(values['db']));
  for (const { name } of await database.listCollections({}, { nameOnly: true }).toArray()) {
    for (const document of await database.collection(name).find().toArray())
      process.stdout.write(
        `${EJSON.stringify({ ns: `${database.databaseName}.${name}`, document }, { relaxed: false })}\n`,
      );
  }
  process.stdout.write('end\n');
  await client.close();
} catch (error) {
  fail('mongodump', error);
}
