/** Sources without a Dockerfile, built by Berth's own builder on a real engine, and asked over HTTP. */
import { afterAll, beforeEach, expect, inject, test } from 'vitest';
import { outgoingNetworks } from '../../../server/src/domain/network/outgoing.ts';
import { samples } from '../../sample-apps/samples.ts';
import { ofThisRun } from '../../run/mode.ts';
import { createBuilderFixture } from './builder-fixture.ts';

/** As the installation's own organization builds: a registry of packages may be in a private network. */
const fixture = createBuilderFixture(
  inject('servers').m1.engineSocket,
  {},
  {
    wallsOf: async () => ({
      ...outgoingNetworks({ reachesPrivate: true, allowed: [], platform: [] }),
      host: [],
      hostPorts: [80, 443],
    }),
  },
);
afterAll(() => fixture[Symbol.asyncDispose]());
beforeEach(() => void fixture.lines.splice(0));

/** Samples whose packages come from the npm registry, which is what a build reaches here. */
const built = samples.filter(({ real }) => real !== undefined);

test.each(ofThisRun(built, 4))(
  '$name: built, answering, and built again after a change',
  async (sample) => {
    const { files } = sample;
    const { page, changed } = sample.real ?? { page: '/', changed: {} };
    const request = {
      buildType: 'auto',
      buildPath: sample.folder ?? '/',
      publishDirectory: sample.publishDirectory,
      limitMs: 400_000,
      signal: AbortSignal.timeout(400_000),
    } as const;
    fixture.write(files);
    const began = performance.now();
    const image = await fixture.build(request).catch((error: unknown) => {
      throw new Error(fixture.lines.slice(-60).join('\n'), { cause: error });
    });
    const cold = performance.now() - began;
    expect(await answerOf(image, sample.port, page)).toContain('hello');
    expect(await fixture.docker('run', '--rm', '--entrypoint', 'id', image, '-u')).toBe(
      sample.port === 80 ? '0' : '1000',
    );
    // A program may keep a database in a file beside its code.
    await fixture.docker('run', '--rm', '--entrypoint', 'touch', image, 'written');
    fixture.write({ ...files, ...changed });
    const again = performance.now();
    const second = await fixture.build(request);
    expect(await answerOf(second, sample.port, page)).toContain('goodbye');
    console.log(`${sample.name}: ${seconds(cold)} s, after a change ${seconds(performance.now() - again)} s`);
  },
  900_000,
);

const seconds = (ms: number): string => (ms / 1000).toFixed(1);

/** Body of the page, asked by Node.js in another container on the application's network. */
async function answerOf(image: string, port: number, page: string): Promise<string> {
  const program = await fixture.docker('run', '--detach', '--env', `PORT=${port}`, image);
  try {
    const script =
      `const ask = async (tries) => { try { const r = await fetch('http://127.0.0.1:${port}${page}'); ` +
      'return await r.text(); } catch (error) { if (tries === 0) throw error; ' +
      'await new Promise((go) => setTimeout(go, 200)); return ask(tries - 1); } };' +
      'ask(150).then(console.log)';
    const network = `container:${program}`;
    return await fixture.docker('run', '--rm', '--network', network, 'berth/node:24', 'node', '-e', script);
  } catch (error) {
    throw new Error(await fixture.docker('logs', program), { cause: error });
  } finally {
    await fixture.docker('rm', '--force', program);
  }
}
