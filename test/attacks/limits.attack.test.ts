/** A tenant takes Berth's memory and the machine's disk: by output, logs, streams, uploads and volumes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bedOfRun } from '../bed/bed-of-run.ts';
import { processesOf } from '../bed/machine/processes.ts';
import { data, project } from '../e2e/fixtures/berth-host.ts';
import { valueOf } from '../e2e/fixtures/caller.ts';
import { textOf } from '../http/interface-client.ts';
import { attackTable, leavesOutWall } from './support/attack.ts';
import type { Outcome } from './support/rows.ts';
import { lootOf, newName } from './support/deployments.ts';
import { attackedHost, type Attacked } from './support/fixture.ts';
import { base, sleeping } from './support/building.ts';

const MiB = 1024 ** 2;
/** No log says it: what counts is how a deployment ends. */
const noLoot = 'nothing that a log would say';
const table = attackTable('memory and disk');
let world: Attacked;
/** A running application of the tenant's. */
let applicationId = '';
let deploymentId = '';

beforeAll(async () => {
  world = await attackedHost(await bedOfRun(), 'limits', 53);
  const { owner } = world.tenant;
  applicationId = await application();
  await valueOf(owner('application.deploy', { applicationId }));
  await lootOf(owner, { applicationId }, noLoot);
  const all = await valueOf(owner('deployment.all', { applicationId }));
  deploymentId = textOf(Array.isArray(all) ? all[0] : undefined, 'deploymentId');
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

async function application(): Promise<string> {
  const { owner, environmentId } = world.tenant;
  const name = newName();
  const made = await valueOf(owner('application.create', { name, appName: name, environmentId }));
  const one = { applicationId: textOf(made, 'applicationId') };
  await valueOf(owner('application.saveContainerProvider', { ...one, containerImage: 'berth/node:24' }));
  await valueOf(
    owner('application.update', { ...one, command: 'node', args: ['-e', 'setInterval(() => {}, 1000)'] }),
  );
  return one.applicationId;
}

/** The most memory that Berth had while this was done, beyond what it had before (proc(5), VmHWM). */
async function peak(work: () => Promise<unknown>): Promise<number> {
  const { host } = world.berth;
  const found = await processesOf(host, /(dist\/server\/src\/main\.js|attacks\/without\/limits\.ts)/);
  const pid = found.at(-1) ?? '';
  const read = async (name: string): Promise<number> => {
    const { stdout } = await host.exec(['grep', name, `/proc/${pid}/status`]);
    return Number(/\d+/.exec(stdout)?.[0]) * 1024;
  };
  await host.exec(['sh', '-c', 'echo 5 > "/proc/$1/clear_refs"', 'sh', pid]);
  const before = await read('VmRSS');
  await work();
  return (await read('VmHWM')) - before;
}

const inMiB = (bytes: number): string => `${Math.round(bytes / MiB)} MiB`;

const attacks: Readonly<Record<string, () => Promise<Outcome>>> = {
  'has a one-off command answer with 40 MB': async () => {
    const script = "process.stdout.write(('x'.repeat(99) + '\\n').repeat(400_000))";
    const command = ['node', '-e', script];
    const { text } = await world.tenant.owner('application.run', { applicationId, command });
    return { succeeded: text.length > 20_000_000, said: `an answer of ${inMiB(text.length)}` };
  },
  'has the last line of a log of 300 MB read': async () => {
    const path = `${data}/logs/${deploymentId}.log`;
    const line = '2026-01-01T00:00:00.000Z a line of a very long log, as long as others are';
    await world.berth.host.exec(['sh', '-ec', 'yes "$1" | head -c 300000000 > "$2"', 'sh', line, path]);
    const { owner } = world.tenant;
    const more = await peak(() => valueOf(owner('deployment.readLogs', { deploymentId, tail: 1 })));
    return { succeeded: more > 150 * MiB, said: `${inMiB(more)} of memory` };
  },
  'opens 120 streams at once': async () => {
    const close = new AbortController();
    const url = `${world.berth.url}/api/event.stream`;
    const { headers } = world.tenant;
    const asked = Array.from({ length: 120 }, async () => {
      // Each goes on until it is closed, and none is dropped as slow meanwhile.
      const answer = await fetch(url, {
        headers: { ...headers, accept: 'text/event-stream' },
        signal: close.signal,
      });
      return answer.status;
    });
    const opened = (await Promise.all(asked)).filter((status) => status === 200).length;
    close.abort();
    return { succeeded: opened === asked.length, said: `${opened} of ${asked.length} were opened` };
  },
  'leaves a folder on the disk with each upload': async () => {
    const { owner } = world.tenant;
    const own = await application();
    await valueOf(owner('application.saveBuildType', { applicationId: own, buildType: 'dockerfile' }));
    for (let count = 0; count < 4; count += 1)
      await valueOf(
        owner('application.dropDeployment', { applicationId: own }, 'b', {
          Dockerfile: `${base}COPY . /app-${count}\n${sleeping}`,
          weight: 'x'.repeat(1000),
        }),
      );
    await lootOf(owner, { applicationId: own }, noLoot);
    const { stdout } = await world.berth.host.exec(['ls', `${data}/uploads/${own}`]);
    const folders = stdout.split('\n').filter((name) => name !== '' && !name.includes('.'));
    return { succeeded: folders.length === 4, said: `${folders.length} folders of 4 uploads` };
  },
};

describe('with the walls as built', () => {
  it.each(Object.entries(attacks))('%s: held', async (attack, run) => {
    expect(await table.note(attack, 'as built', run())).toMatchObject({ succeeded: false });
  });
});

describe('a volume that is filled', () => {
  const deployed = async (): Promise<Outcome> => {
    const { owner } = world.tenant;
    const one = { applicationId: await application() };
    await valueOf(owner('application.deploy', one));
    const { said } = await lootOf(owner, one, noLoot);
    return { succeeded: said === 'null', said };
  };
  const setQuota = (diskBytes: number | null): Promise<unknown> => {
    const { organizationId } = world.tenant;
    return valueOf(world.installation.owner('organization.setQuota', { organizationId, diskBytes }));
  };

  it('lets nothing more be deployed than its organization’s quota has room for', async () => {
    const { owner, organizationId } = world.tenant;
    const own = await application();
    const volume = { type: 'volume', volumeName: `filled-${own.toLowerCase()}`, mountPath: '/data' };
    await valueOf(owner('mount.create', { applicationId: own, ...volume }));
    await valueOf(owner('application.deploy', { applicationId: own }));
    await lootOf(owner, { applicationId: own }, noLoot);
    const script = "require('fs').writeFileSync('/data/much', Buffer.alloc(60_000_000))";
    await valueOf(owner('application.run', { applicationId: own, command: ['node', '-e', script] }));

    await setQuota(40 * MiB);
    expect(await table.note('deploys more with a full volume', 'as built', deployed())).toMatchObject({
      succeeded: false,
      said: expect.stringMatching(/may have 40 MiB of disk/),
    });
    const usage = await valueOf(owner('organization.usage', { organizationId }));
    expect(usage).toMatchObject({ used: { diskBytes: expect.any(Number) } });
    const used = /"used":\{[^}]*"diskBytes":(\d+)/.exec(JSON.stringify(usage))?.[1];
    expect(Number(used)).toBeGreaterThanOrEqual(60_000_000);
    await setQuota(null);
    const free = await deployed();
    await table.note('deploys more with a full volume', 'left out', free);
    expect(free).toMatchObject({ succeeded: true });
  });
});

describe.runIf(leavesOutWall(import.meta.url))('without limits', () => {
  beforeAll(async () => {
    await world.berth.stop();
    await world.berth.start({}, `${project}/test/attacks/without/limits.ts`);
  });

  it.each(Object.entries(attacks))('%s: succeeds', async (attack, run) => {
    expect(await table.note(attack, 'left out', run())).toMatchObject({ succeeded: true });
  });
});
