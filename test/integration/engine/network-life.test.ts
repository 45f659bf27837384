/**
 * Networks that come and go while the proxy is attached, late or not, and ended meanwhile: nothing of them
 * may stay, and the next network has addresses and tasks. Three hundred of them with --long.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { idleService, uniqueName, until, untilRunning } from '../../engine-suite/fixture.ts';
import { createRandom } from '../../fuzz/random.ts';
import { modeOf } from '../../run/mode.ts';
import { bedEngine } from './engine-fixture.ts';

const { isLong, seed } = modeOf();
const atOnce = 6;
const rounds = isLong ? 50 : 2;

test(
  'networks that are removed while a container is attached to them leave nothing',
  async () => {
    const { engine, api } = bedEngine();
    const random = createRandom(seed);
    const base = uniqueName('base');
    await engine.ensureNetwork({ name: base, subnet: '10.212.0.0/24', labels: {} });
    const proxy = idleService(uniqueName('proxy'), { networks: [base], restartDelayMs: 0 });
    await engine.applyService(proxy);
    await untilRunning(engine, proxy.name);
    const attached = async (): Promise<string> =>
      until(
        'a container of the proxy',
        async () => (await engine.tasks(proxy.name)).find(({ state }) => state === 'running')?.containerId,
      );
    const names: string[] = [];

    async function life(index: number): Promise<void> {
      const name = uniqueName(`life${index}`);
      names.push(name);
      const subnet = `10.212.${1 + (index % 250)}.0/24`;
      const another = async (): Promise<string> => `10.213.${1 + (index % 250)}.0/24`;
      await engine.ensureNetwork({ name, subnet, labels: { 'berth.environment': name } }, { another });
      const service = idleService(uniqueName('user'), { networks: [name] });
      await engine.applyService(service);
      await untilRunning(engine, service.name);
      const attach = async (): Promise<void> =>
        engine.connectNetwork(await attached(), name).catch(() => undefined);
      const ends = index % atOnce === 0;
      if (ends) await attach();
      const late = sleep(random.below(5000)).then(async () =>
        ends
          ? api
              .send({ method: 'POST', path: `/containers/${await attached()}/kill`, doing: 'the test' })
              .catch(() => undefined)
          : attach(),
      );
      await engine.removeService(service.name);
      await engine.disconnectNetwork(await attached(), name).catch(() => undefined);
      await engine.removeNetwork(name);
      await late;
    }

    for (let round = 0; round < rounds; round += 1)
      await Promise.all(Array.from({ length: atOnce }, (_, index) => life(round * atOnce + index)));

    // As the reconciler goes on each minute.
    const left = async (): Promise<string[]> =>
      (await engine.networks()).map(({ name }) => name).filter((name) => names.includes(name));
    await until(
      'no network is left',
      async () => {
        for (const name of await left()) {
          await engine.disconnectNetwork(await attached(), name);
          await engine.removeNetwork(name);
        }
        return (await left()).length === 0;
      },
      90_000,
    );

    const name = uniqueName('after');
    await engine.ensureNetwork({ name, subnet: '10.212.1.0/24', labels: {} });
    const last = idleService(uniqueName('last'), { networks: [name] });
    await engine.applyService(last);
    await untilRunning(engine, last.name);
    expect((await engine.networks()).find((each) => each.name === name)?.subnet).toBe('10.212.1.0/24');
    for (const service of [last, proxy]) await engine.removeService(service.name);
    for (const network of [name, base]) await engine.removeNetwork(network);
  },
  isLong ? 1_800_000 : 240_000,
);
