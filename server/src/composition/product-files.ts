/** Where the files of this checkout or release lie, whether Berth runs from its sources or its bundle. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The bundle is JavaScript; a chunk of it lies anywhere below `dist/` (tools/package/program.ts). */
const isBundle = import.meta.filename.endsWith('.js');
const root = findRoot(import.meta.dirname);

export const templatesFolder = join(root, 'templates');

/** The dashboard as `bin/up` built it. */
export const dashboardFolder = join(root, 'dist/web');

/** The command line in one file, as `bin/up` built it. */
export const commandLineFile = join(root, 'dist/command-line/program.mjs');

/** What `/docs` shows the interface with; absent: that of the package. */
export const referenceFolder = isBundle ? join(root, 'dist/swagger-ui') : undefined;

/** The monitoring agent in one file; absent: its sources. */
export const agentBundle = isBundle ? join(root, 'dist/agent/agent.js') : undefined;

function findRoot(from: string): string {
  const isRoot = existsSync(join(from, 'package-lock.json'));
  return isRoot || dirname(from) === from ? from : findRoot(dirname(from));
}
