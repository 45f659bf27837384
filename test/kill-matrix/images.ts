/** Images that the deployments of these tests run. */
import type { EngineInMemory } from '../engine-in-memory/engine-in-memory.ts';
import {
  never,
  type ImageContent,
  type Program,
  type Programs,
} from '../engine-in-memory/programs/program.ts';
import { serverProgram, unixPrograms } from '../engine-in-memory/programs/programs.ts';

export const registry = 'registry.test:5000';
export const webImage = `${registry}/web:1`;
export const otherWebImage = `${registry}/web:2`;
export const oldRedis = 'redis:7';

const redisPort = 6379;
/** What the copy of data from one server to the other takes. */
const copyMs = 500;

/** Berth's probe looks once, and once it was content looks on for a minute before it says so again. */
const watchMs = 60_000;
const content = new WeakSet<object>();

/** What a volume's archive and the digest of its files are here. */
const volumeTool: Program = async ({ argv, env, input, write }) => {
  const [tool, how] = argv.slice(6);
  if (tool === 'tar' && how === '-c') await write('stdout', 'an archive');
  else if (tool === 'tar') for await (const _part of input);
  else await write('stdout', 'd19e57  -\n');
  await write('stdout', `\n${env['BERTH_END_MARK']}`);
  return 0;
};

/** Berth's probe, which is mounted into every container: it asks the server that the script names. */
export const mountedPrograms: Programs = {
  '/.berth/busybox': async (running) => {
    const script = running.argv[3] ?? '';
    if (running.env['BERTH_END_MARK'] !== undefined) return volumeTool(running);
    const look = async (): Promise<number> =>
      script.includes('redis-cli')
        ? Number(!running.listeners().has(redisPort))
        : (unixPrograms['sh'] ?? (() => 1))(running);
    const first = await look();
    if (first !== 0 || !content.has(running.container)) {
      if (first === 0) content.add(running.container);
      return first;
    }
    await running.pause(watchMs);
    return look();
  },
};

/** A web server on port 3000. */
export const web: ImageContent = {
  programs: { ...unixPrograms, serve: serverProgram(3000) },
  command: ['serve'],
  exposedPorts: ['3000/tcp'],
};

/** The shell of a database's image, as far as Berth's scripts for it go. */
const redisShell: Program = async (running) => {
  const script = running.argv[2] ?? '';
  if (script.includes('exec $(command -v docker-entrypoint.sh)')) {
    running.onStop(() => running.kill(0));
    await running.pause(200);
    running.listen(redisPort, () => 'PONG');
    return never();
  }
  if (!running.listeners().has(redisPort)) return 1;
  if (script.includes('REPLICAOF')) {
    running.ask(running.env['TARGET'] ?? '', redisPort);
    await running.pause(copyMs);
    await running.write('stdout', 'databases 1, keys 3\n');
    return 0;
  }
  await running.write('stdout', `redis_version:${running.env['REDIS_VERSION']}\r\n`);
  return 0;
};

export const redis = (version: string): ImageContent => ({
  programs: { ...unixPrograms, sh: redisShell },
  command: ['redis-server'],
  env: { REDIS_VERSION: version },
  exposedPorts: [`${redisPort}/tcp`],
});

/** Listens as Caddy does, and proxies nothing. */
export const proxy: ImageContent = {
  programs: { ...unixPrograms, caddy: serverProgram(80) },
  command: ['caddy', 'run'],
};

export async function fillEngine(memory: EngineInMemory): Promise<void> {
  const { engine } = memory;
  const transfer = { signal: new AbortController().signal, onLine: () => undefined };
  memory.addRegistry(registry);
  for (const image of [webImage, otherWebImage]) {
    memory.addImage(image, { ...web, labels: { image } });
    await engine.pushImage(image, transfer);
    await engine.removeImage(image);
  }
  memory.addImage(oldRedis, redis('7.4.1'));
  memory.addImage('caddy:2', proxy);
}
