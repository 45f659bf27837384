/** The monitoring agent as it is laid out on a server: the very code that Berth runs itself. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createGzip } from 'node:zlib';
import type { AgentProgram } from '../../ports/metrics.ts';

/** What the agent's sources import, from `server/src/`, without the end; agent-program.test.ts holds it. */
export const agentFiles = [
  'adapters/engine/client/engine-http',
  'adapters/engine/client/labels',
  'adapters/engine/client/registry-header',
  'adapters/metrics/agent',
  'adapters/metrics/collector',
  'adapters/metrics/containers',
  'adapters/metrics/history',
  'adapters/metrics/machine',
  'adapters/metrics/series',
  'domain/errors',
  'domain/names/labels',
  'domain/names/service-ref',
  'domain/resources/metrics',
  'domain/time/cron',
  'domain/time/one-at-a-time',
] as const;

/** A file on the server, by its path in the agent's folder. */
interface ProgramFile {
  path: string;
  content: string;
}

const sources = join(import.meta.dirname, '..', '..');

/** `bundle`: the agent in one file, as a release has it; without it, the sources that Berth runs from. */
export async function readAgentProgram(bundle?: string): Promise<AgentProgram> {
  const { entry, files } = await (bundle === undefined ? readSources() : readBundle(bundle));
  const hash = createHash('sha256').update(process.version);
  for (const { path, content } of files) hash.update(`${path}\n${content}\n`);
  return {
    files,
    entry,
    digest: hash.digest('hex').slice(0, 16),
    node: {
      version: process.version,
      architecture: process.arch === 'arm64' ? 'aarch64' : 'x86_64',
      // The fastest level: the way to the server is to be shorter, not the shortest.
      compressed: () => createReadStream(process.execPath).pipe(createGzip({ level: 1 })),
    },
  };
}

const packageFile: ProgramFile = { path: 'package.json', content: '{"type":"module"}\n' };

async function readBundle(from: string): Promise<{ entry: string; files: ProgramFile[] }> {
  const entry = basename(from);
  return { entry, files: [packageFile, await readProgramFile(entry, from)] };
}

async function readSources(): Promise<{ entry: string; files: ProgramFile[] }> {
  const croner = fileURLToPath(import.meta.resolve('croner'));
  const files = await Promise.all([
    ...agentFiles.map((name) => readProgramFile(`${name}.ts`, join(sources, `${name}.ts`))),
    readProgramFile('node_modules/croner/dist/croner.js', croner),
    readProgramFile('node_modules/croner/package.json', join(dirname(croner), '..', 'package.json')),
  ]);
  return { entry: 'adapters/metrics/agent.ts', files: [packageFile, ...files] };
}

async function readProgramFile(path: string, from: string): Promise<ProgramFile> {
  return { path, content: await readFile(from, 'utf8') };
}
