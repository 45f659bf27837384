import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createEngineInMemory,
  type EngineInMemory,
} from '../../../../test/engine-in-memory/engine-in-memory.ts';
import { nodeProgram } from '../../../../test/engine-in-memory/programs/steps-program.ts';
import { nodeImage, stepService, until } from '../../../../test/engine-suite/fixture.ts';
import { installVirtualTime } from '../../../../test/virtual-time/virtual-time.ts';
import { applicationRef } from '../../domain/names/service-ref.ts';
import { systemClock } from '../../ports/clock.ts';
import { createHostObservers } from './host-observers.ts';

/** Longer than the time between two looks for hosts, or at all of a host. */
const looksMs = 120_000;

let uninstall: () => void;
beforeAll(() => {
  uninstall = installVirtualTime();
});
afterAll(() => uninstall());

interface TestHost extends EngineInMemory {
  key: string;
  name: string;
}

function createHost(key: string, name: string): TestHost {
  const memory = createEngineInMemory();
  memory.addImage(nodeImage, { programs: { node: nodeProgram }, command: ['node'], sizeBytes: 1 });
  return { key, name, ...memory };
}

function observe(all: () => Promise<TestHost[]>) {
  const seen: string[] = [];
  const observers = createHostObservers({
    hosts: { all },
    clock: systemClock,
    deploymentOf: async () => ({ commit: null, image: null, isDone: true, createdAt: '1' }),
    onProblem: () => undefined,
    onFault(error) {
      throw error;
    },
    onSeen: (serverKey, { service }) => void seen.push(`${serverKey} ${service.name}`),
    isWatched: () => false,
  });
  return { observers, seen };
}

const run = (host: TestHost, application: string) => {
  const labels = { 'berth.test': 'true', 'berth.application': application };
  return host.engine.applyService(stepService(application, [{ do: 'stay' }], { labels, release: 'one' }));
};

test('a host that is connected later is observed too, and one that goes away is named', async () => {
  const own = createHost('local', 'Berth');
  const hosts = [own];
  const { observers, seen } = observe(async () => [...hosts]);
  await run(own, 'web');
  observers.start(() => undefined);
  await until('the first host is seen', async () => observers.liveOf(applicationRef('web')) !== null);
  expect(observers.sightOf('local')).toEqual({ state: 'seen' });
  expect(observers.sightOf('far')).toEqual({ state: 'unseen' });

  const far = createHost('far', 'frankfurt');
  await run(far, 'shop');
  hosts.push(far);
  await until(
    'the second host is seen',
    async () => observers.liveOf(applicationRef('shop')) !== null,
    looksMs,
  );
  expect(observers.shown().map(({ kind, serviceId }) => `${kind} ${serviceId}`)).toEqual([
    'application web',
    'application shop',
  ]);
  expect(seen).toEqual(expect.arrayContaining(['local web', 'far shop']));

  far.setAway(true);
  await until('it is missed', async () => observers.unreachable().length > 0, looksMs);
  expect(observers.unreachable()).toEqual([
    { serverKey: 'far', name: 'frankfurt', since: expect.any(String) },
  ]);
  await observers.stop();
});

test('a host whose swarm changed is unseen until the next look for hosts', async () => {
  const host = createHost('local', 'Berth');
  const { observers } = observe(async () => [host]);
  const isSeen = async (): Promise<boolean> => observers.sightOf('local').state === 'seen';
  observers.start(() => undefined);
  await until('it is seen', isSeen);
  await observers.forgetObserved('local');
  expect(observers.sightOf('local')).toEqual({ state: 'unseen' });
  await until('it is seen again', isSeen, looksMs);
  await observers.stop();
});

test('no host is observed that is read only after the end', async () => {
  const hosts = Promise.withResolvers<TestHost[]>();
  const { observers } = observe(() => hosts.promise);
  observers.start(() => undefined);
  await observers.stop();
  hosts.resolve([createHost('local', 'Berth')]);
  await hosts.promise;
  expect(observers.sightOf('local')).toEqual({ state: 'unseen' });
});
