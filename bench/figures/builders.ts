/**
 * Builds in an organization's own builder beside builds in the server's engine, as they were before there
 * were builders: the first one, later ones, and the memory of a builder that waits.
 */
import { z } from 'zod';
import { nameOf } from '../../server/src/adapters/build-engine/container-spec.ts';
import { createEngineClient } from '../../server/src/adapters/engine/client/engine-client.ts';
import { createBuildLimiter } from '../../server/src/adapters/host/local/build-limits.ts';
import type { BuildEngines } from '../../server/src/ports/engine/build-engine.ts';
import { openBed } from '../../test/bed/bed.ts';
import { installHostPackages } from '../../test/bed/host/host-packages.ts';
import { testInstallation } from '../../test/installation.ts';
import { createBuilderFixture, type BuilderFixture } from '../../test/integration/builder/builder-fixture.ts';
import { amount, median, type Figure } from '../figure.ts';

const rounds = 5;
const warmBudgetMs = 1000;
const memoryBudget = 160 * 1024 ** 2;
const dockerfile =
  'FROM berth/node:24\nCOPY package.json /app/\nRUN head -c 20000000 /dev/urandom > /app/modules\n' +
  'COPY server.js /app/\nCMD ["node", "/app/server.js"]\n';

/** Opens a bed of its own and closes it again. Needs root. */
export async function builderFigures(say: (text: string) => void): Promise<Figure[]> {
  const { signal } = new AbortController();
  await installHostPackages(say, signal);
  const bed = await openBed({ name: `bench-builders-${process.pid}`, log: say });
  try {
    const { engineSocket } = await bed.host('m1', { index: 1, engine: true, images: true });
    return await measured(engineSocket, say);
  } finally {
    await bed.close();
  }
}

/** On an engine that has the images. */
export async function measured(engineSocket: string, say: (text: string) => void): Promise<Figure[]> {
  const own = createBuilderFixture(engineSocket);
  const shared = createBuilderFixture(engineSocket, { engines: onTheServer(engineSocket) });
  say('builds in a builder and in the engine, by turns …');
  const cold = { own: await timed(own, 'first'), shared: await timed(shared, 'first') };
  const times: { own: number[]; shared: number[] } = { own: [], shared: [] };
  for (let round = 0; round < rounds; round += 1) {
    times.own.push(await timed(own, `own ${round}`));
    times.shared.push(await timed(shared, `shared ${round}`));
  }
  const memory = await memoryOf(engineSocket, own);
  await own[Symbol.asyncDispose]();
  await shared[Symbol.asyncDispose]();
  return figuresOf(cold, { own: median(times.own), shared: median(times.shared) }, memory);
}

function onTheServer(engineSocket: string): BuildEngines {
  const limiter = createBuildLimiter(engineSocket);
  return {
    lend: async () => ({
      socket: engineSocket,
      limiter,
      baseFor: async ({ official }) => official,
      bring: async () => undefined,
      prepareDelivery: () => undefined,
      deliver: async () => ({ layers: 0, sent: 0, bytes: 0 }),
      giveBack: async () => undefined,
    }),
    getReady: async () => undefined,
    tidy: async () => undefined,
    remove: async () => undefined,
  };
}

/** Milliseconds of a build whose last file has changed. */
async function timed(fixture: BuilderFixture, version: string): Promise<number> {
  fixture.write({ Dockerfile: dockerfile, 'package.json': '{}', 'server.js': `// ${version}` });
  const began = performance.now();
  await fixture.build();
  return performance.now() - began;
}

const statsAnswer = z.looseObject({
  memory_stats: z.looseObject({ stats: z.record(z.string(), z.number()) }),
});

/** Bytes of the builder's programs, without files that memory holds; control groups of version 1, else 2. */
async function memoryOf(engineSocket: string, { organizationId }: BuilderFixture): Promise<number> {
  const answer = await createEngineClient(engineSocket).call(
    {
      method: 'GET',
      path: `/containers/${nameOf({ installation: testInstallation }, organizationId)}/stats`,
      query: { stream: false },
      doing: "reading the builder's memory",
    },
    statsAnswer,
  );
  const { total_rss: first, anon: second } = answer.memory_stats.stats;
  return first ?? second ?? NaN;
}

interface Pair {
  own: number;
  shared: number;
}

function figuresOf(cold: Pair, warm: Pair, memory: number): Figure[] {
  const inEngine = "in the server's engine, shared by everybody";
  return [
    {
      name: "an organization's first build, its builder started and its base image brought",
      measured: amount(cold.own, 'ms'),
      baseline: `${amount(cold.shared, 'ms')} ${inEngine}`,
      budget: 'said',
      isKept: true,
      kind: 'absolute',
    },
    {
      name: 'a build after a change, its builder running',
      measured: amount(warm.own, 'ms'),
      baseline: `${amount(warm.shared, 'ms')} ${inEngine}`,
      budget: `≤ ${warmBudgetMs} ms more`,
      isKept: warm.own - warm.shared <= warmBudgetMs,
      kind: 'absolute',
    },
    {
      name: 'memory of a builder that waits for the next build',
      measured: amount(memory / 1024 ** 2, 'MB'),
      baseline: `none ${inEngine}`,
      budget: `≤ ${memoryBudget / 1024 ** 2} MB`,
      isKept: memory <= memoryBudget,
      kind: 'absolute',
    },
  ];
}
