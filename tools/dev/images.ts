/** Images of the development engine: small programs in the place of real ones. */
import type { EngineInMemory } from '../../test/engine-in-memory/engine-in-memory.ts';
import { never, type ImageContent, type Program } from '../../test/engine-in-memory/programs/program.ts';
import { unixPrograms } from '../../test/engine-in-memory/programs/programs.ts';
import { proxy, redis } from '../../test/kill-matrix/images.ts';

export const proxyImage = 'caddy:2';
export const webImage = 'demo/web:1';
export const apiImage = 'demo/api:1';
export const failingImage = 'demo/fails:1';
export const redisImage = 'redis:8';

const logEveryMs = 5000;

/** Listens on the port and writes a line now and then, so that live logs have something to show. */
function chattyServer(port: number, line: (count: number) => string): ImageContent {
  const serve: Program = async (running) => {
    running.onStop(() => running.kill(0));
    running.listen(port, () => 'hello');
    await running.write('stdout', `listening on port ${port}\n`);
    for (let count = 1; ; count += 1) {
      await running.pause(logEveryMs);
      await running.write(count % 10 === 0 ? 'stderr' : 'stdout', `${line(count)}\n`);
    }
  };
  return {
    programs: { ...unixPrograms, serve },
    command: ['serve'],
    exposedPorts: [`${port}/tcp`],
    sizeBytes: 48_000_000,
  };
}

/** Ends a second after its start, as a program with a wrong setting does. */
const failing: Program = async ({ pause, write }) => {
  await write('stderr', 'Error: DATABASE_URL is not set\n');
  await pause(1000);
  return 1;
};

const images: Readonly<Record<string, ImageContent>> = {
  [proxyImage]: proxy,
  [webImage]: chattyServer(3000, (count) => `GET /products/${count} 200`),
  [apiImage]: chattyServer(8080, (count) => `{"level":"info","message":"order ${count} stored"}`),
  [failingImage]: { programs: { ...unixPrograms, serve: failing }, command: ['serve'] },
  [redisImage]: redis('8.0.2'),
  'demo/worker:1': { programs: { ...unixPrograms, work: never }, command: ['work'] },
};

export function addImages(memory: Pick<EngineInMemory, 'addImage'>): void {
  for (const [tag, content] of Object.entries(images)) memory.addImage(tag, content);
}
