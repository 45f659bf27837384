/**
 * What mongodump and mongorestore of the stand-in share: their arguments, the login, and an archive of their
 * own form (a line of JSON for each document).
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { MongoClient } from 'mongodb';

export interface Tool {
  database: string;
  client: MongoClient;
}

/** Reads the arguments as the real tools do: what they do not know is refused. */
export async function openTool(
  own: Record<string, { type: 'string' | 'boolean'; multiple?: boolean }>,
): Promise<{ values: Record<string, unknown>; client: MongoClient }> {
  const { values } = parseArgs({
    options: {
      host: { type: 'string' },
      port: { type: 'string' },
      username: { type: 'string' },
      authenticationDatabase: { type: 'string' },
      config: { type: 'string' },
      archive: { type: 'boolean' },
      ...own,
    },
  });
  const text = (name: string): string => {
    const value = Reflect.get(values, name);
    return typeof value === 'string' ? value : '';
  };
  const [, password = '""'] = /^password: (.*)$/m.exec(readFileSync(text('config'), 'utf8')) ?? [];
  const client = new MongoClient(`mongodb://${text('host')}:${text('port')}/?directConnection=true`, {
    serverSelectionTimeoutMS: 5000,
    auth: { username: text('username'), password: String(JSON.parse(password)) },
    authSource: text('authenticationDatabase'),
  });
  await client.connect();
  return { values: Object.fromEntries(Object.entries(values)), client };
}

/** Says what failed and ends as the tools do. */
export function fail(tool: string, error: unknown): never {
  console.error(`Failed: ${tool}: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}
