/** The program: keeps compiled modules beside the data (a start costs half with them), then starts Berth. */
import { enableCompileCache, flushCompileCache } from 'node:module';
import { join } from 'node:path';

enableCompileCache(join(process.env['BERTH_DATA'] ?? '/var/lib/berth', 'cache', 'modules'));

try {
  const { start } = await import('./start.ts');
  await start();
  // Written now and not at the end alone, which a kill or a power cut has none of.
  flushCompileCache();
} catch (error) {
  const isForPeople = error instanceof Error && error.name === 'AppError';
  process.stderr.write(
    `${isForPeople ? error.message : error instanceof Error ? error.stack : String(error)}\n`,
  );
  process.exit(1);
}
