/** The monitoring agent as it is laid out on a server: the very files that Berth runs itself. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createGzip } from 'node:zlib';
import type { AgentProgram } from '../../ports/metrics.ts';

/** What the agent imports, by path from `server/src/` without the end; agent-program.test.ts holds it. */
export const agentFiles = [
  'adapters/engine/client/engine-http',
  'adapters/engine/client/registry-header',
  'adapters/metrics/agent',
  'adapters/metrics/collector',
  'adapters/metrics/containers',
  'adapters/metrics/history',
  'adapters/metrics/machine',
  'adapters/metrics/series',
  'domain/errors',
  'domain/names/service-ref',
  'domain/resources/metrics',
  'domain/time/cron',
] as const;

const root = join(import.meta.dirname, '..', '..');
/** Berth runs compiled or from its source, and so does the agent. */
const ending = extname(import.meta.filename);

export async function readAgentProgram(): Promise<AgentProgram> {
  const croner = fileURLToPath(import.meta.resolve('croner'));
  const own = agentFiles.map((name) => ({ path: `${name}${ending}`, from: join(root, `${name}${ending}`) }));
  const read = async ({ path, from }: { path: string; from: string }) => ({
    path,
    content: await readFile(from, 'utf8'),
  });
  const files = [
    { path: 'package.json', content: '{"type":"module"}\n' },
    ...(await Promise.all([
      ...own.map(read),
      read({ path: 'node_modules/croner/dist/croner.js', from: croner }),
      read({
        path: 'node_modules/croner/package.json',
        from: join(dirname(croner), '..', 'package.json'),
      }),
    ])),
  ];
  const hash = createHash('sha256').update(process.version);
  for (const { path, content } of files) hash.update(`${path}\n${content}\n`);
  return {
    files,
    entry: `adapters/metrics/agent${ending}`,
    digest: hash.digest('hex').slice(0, 16),
    node: {
      version: process.version,
      architecture: process.arch === 'arm64' ? 'aarch64' : 'x86_64',
      // The fastest level: the way to the server is to be shorter, not the shortest.
      compressed: () => createReadStream(process.execPath).pipe(createGzip({ level: 1 })),
    },
  };
}
