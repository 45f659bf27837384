/** The program: keeps compiled modules beside the data (a start costs half with them), then starts Berth. */
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

enableCompileCache(join(process.env['BERTH_DATA'] ?? '/var/lib/berth', 'cache', 'modules'));

try {
  const { start } = await import('./start.ts');
  await start();
} catch (error) {
  const isForPeople = error instanceof Error && error.name === 'AppError';
  process.stderr.write(`${isForPeople ? error.message : error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
}
