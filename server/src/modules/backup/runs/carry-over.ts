/** Other databases of a server come along to the one that a restore started beside it. */
import { targetOf, type DatabaseServer, type ProgramOptions, type Programs } from '../database-source.ts';
import type { DatabasePrograms } from '../programs/database-program.ts';
import { databasePrograms } from '../programs/programs.ts';
import type { RunContext } from './run-context.ts';
import { drain } from './streams.ts';

/** Databases of the server that users made; none where a dump has the whole server. */
export async function namesOf(
  programs: Programs,
  server: DatabaseServer,
  options: ProgramOptions,
): Promise<string[]> {
  const { list }: DatabasePrograms = databasePrograms[server.kind];
  if (!list) return [];
  const text = await programs.text(server, list(targetOf(server, '')), options);
  return text
    .split(/\r?\n/)
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** The other databases of the server would stay behind in the volume that is left. */
export async function carryOver(
  programs: Programs,
  { run, signal, say, step }: RunContext,
  { fresh, present }: { fresh: DatabaseServer; present: DatabaseServer | undefined },
): Promise<void> {
  const { list, dump, create, load }: DatabasePrograms = databasePrograms[fresh.kind];
  if (!list) return;
  if (!present) {
    say('The database is not running, so no other database of its server is carried over.');
    return;
  }
  const options: ProgramOptions = { backupRunId: run.backupRunId, signal, onLine: say };
  const there = await namesOf(programs, fresh, options);
  const others = (await namesOf(programs, present, options)).filter((name) => name !== run.database);
  await step('carry over', async () => {
    for (const name of others) {
      const target = targetOf(fresh, name);
      if (create && !there.includes(name)) await programs.text(fresh, create(target), options);
      await drain(
        programs.output(fresh, load(target), {
          ...options,
          input: programs.output(present, dump(targetOf(present, name)), options),
        }),
      );
    }
    return { value: undefined, detail: others.length === 0 ? 'no other databases' : others.join(', ') };
  });
}
