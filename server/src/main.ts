/**
 * The program from its sources: keeps compiled modules beside the data (a start costs half with them), then
 * starts Berth. A release has `main-of-bundle.ts` in its place.
 */
import { enableCompileCache, flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { failStart } from './failed-start.ts';

enableCompileCache(join(process.env['BERTH_DATA'] ?? '/var/lib/berth', 'cache', 'modules'));

try {
  const { start } = await import('./start.ts');
  await start();
  // Written now and not at the end alone, which a kill or a power cut has none of.
  flushCompileCache();
} catch (error) {
  failStart(error);
}
