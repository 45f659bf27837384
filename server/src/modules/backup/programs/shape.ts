/**
 * The shape of a database: its schema, and the settings of its server. An object of a new shape is restored
 * on trial at once, since what worked before tells nothing of it.
 */
import { createHash } from 'node:crypto';
import type { DatabaseProgram, DatabasePrograms } from './database-program.ts';

/** What is known of a server without asking it. */
export interface ServerSettings {
  image: string;
  settings: string;
}

/** Digest of settings and schema; undefined when the schema cannot be read now. */
export async function shapeOf(
  { image, settings }: ServerSettings,
  schema: ReturnType<NonNullable<DatabasePrograms['schema']>> | undefined,
  run: (program: DatabaseProgram) => AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const hash = createHash('sha256').update(JSON.stringify([image, settings]));
  if (schema === undefined) return hash.digest('hex');
  try {
    let rest = '';
    for await (const bytes of run(schema.program)) {
      const lines = (rest + Buffer.from(bytes).toString('latin1')).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) hash.update(`${line.replace(schema.unmark, '')}\n`);
    }
    return hash.update(rest.replace(schema.unmark, '')).digest('hex');
  } catch (error) {
    if (signal.aborted) throw error;
    return undefined;
  }
}
