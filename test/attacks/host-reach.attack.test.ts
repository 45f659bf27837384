/**
 * A tenant, a member and a stranger who pushes, each on the way to the machine: by a compose file, by a
 * variable in it, by the next commit, by another branch, by a bind that nobody approved.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { growingPause } from '../bed/machine/pauses.ts';
import { bedOfRun } from '../bed/bed-of-run.ts';
import { tableStore } from '../../server/src/db/table-store.ts';
import { isoTime, randomId, systemClock } from '../../server/src/ports/clock.ts';
import { data, project } from '../e2e/fixtures/berth-host.ts';
import { valueOf, type Call } from '../e2e/fixtures/caller.ts';
import { createRepository, repositoriesFolder } from '../e2e/fixtures/repository.ts';
import { textOf } from '../http/interface-client.ts';
import { attackTable, leavesOutWall } from './support/attack.ts';
import { newName } from './support/deployments.ts';
import type { Outcome } from './support/rows.ts';
import { sharedHost, type Attacked, type Party } from './support/fixture.ts';

/** On the machine, for nobody's eyes. */
const folder = '/etc/berth-attacks';
const loot = 'the-machine-s-own-secret';
const table = attackTable('host reach');
let world: Attacked;

beforeAll(async () => {
  world = await sharedHost(await bedOfRun());
  const { host } = world.berth;
  await host.exec(['mkdir', '-p', folder]);
  await host.exec(['sh', '-c', `echo ${loot} > ${folder}/secret`]);
  await valueOf(
    world.installation.owner('settings.update', {
      localRepositoryPaths: [repositoriesFolder],
      buildsConcurrency: 4,
    }),
  );
});

/** A service that runs once and says what it finds; its words stand in the deployment's log. */
const spying = (volumes: string, more = ''): string => `
services:
  spy:
    image: berth/node:24
    command: ["node", "-e", "console.log(require('fs').readFileSync('/host/secret', 'utf8'))"]
    restart: "no"
    pull_policy: never
    ${more}
    volumes: ["${volumes}:/host"]
`;
/** It finds nothing, which is its own affair. */
const seen = spying('data').replace("readFileSync('/host/secret', 'utf8')", "readdirSync('/host')");
const harmless = `${seen}volumes: { data: }\n`;

async function compose(owner: Call, { environmentId }: Party, input: object): Promise<string> {
  const name = newName();
  const composeId = textOf(
    await valueOf(owner('compose.create', { name, appName: name, environmentId })),
    'composeId',
  );
  await valueOf(owner('compose.update', { composeId, ...input }));
  return composeId;
}

/** One that says what it finds before its release; its words stand in the deployment's log. */
async function spyingApplication({ owner, environmentId }: Party): Promise<string> {
  const name = newName();
  const made = await valueOf(owner('application.create', { name, appName: name, environmentId }));
  const applicationId = textOf(made, 'applicationId');
  await valueOf(
    owner('application.saveContainerProvider', { applicationId, containerImage: 'berth/node:24' }),
  );
  await valueOf(
    owner('application.update', {
      applicationId,
      preReleaseCommand: ['node', '-e', "console.log(require('fs').readFileSync('/host/secret', 'utf8'))"],
      command: 'node',
      args: ['-e', 'setInterval(() => {}, 1000)'],
    }),
  );
  return applicationId;
}

/** What the newest deployment came to. */
async function looted(owner: Call, service: object): Promise<Outcome> {
  const all = await valueOf(owner('deployment.all', service));
  const deploymentId = textOf(Array.isArray(all) ? all[0] : undefined, 'deploymentId');
  const pause = growingPause();
  for (const end = Date.now() + 120_000; Date.now() < end; await pause()) {
    const deployment = await valueOf(owner('deployment.one', { deploymentId }));
    const status = textOf(deployment, 'status');
    if (status === 'done' || status === 'error' || status === 'cancelled') {
      const log = JSON.stringify(await valueOf(owner('deployment.readLogs', { deploymentId })));
      const error =
        typeof deployment === 'object' && deployment !== null && 'errorMessage' in deployment
          ? String(deployment.errorMessage)
          : '';
      return log.includes(loot) ? { succeeded: true, said: loot } : { succeeded: false, said: error };
    }
  }
  throw new Error(`The deployment ${deploymentId} did not end.`);
}

type Attack = (world: Attacked) => Promise<Outcome>;

const attacks: Readonly<Record<string, Attack>> = {
  "a tenant's Owner binds a folder of the machine": async ({ tenant }) => {
    const composeId = await compose(tenant.owner, tenant, { composeFile: spying(folder) });
    await valueOf(tenant.owner('compose.deploy', { composeId }));
    return looted(tenant.owner, { composeId });
  },
  "a tenant's Owner adds a capability of the machine": async ({ tenant }) => {
    const composeId = await compose(tenant.owner, tenant, {
      composeFile: spying(folder, 'cap_add: [SYS_ADMIN]'),
    });
    await valueOf(tenant.owner('compose.deploy', { composeId }));
    return looted(tenant.owner, { composeId });
  },
  "a tenant's Member leads there through a process": async ({ tenant }) => {
    const composeId = await compose(tenant.member, tenant, {
      composeFile: spying(`/proc/self/root${folder}`),
    });
    await valueOf(tenant.member('compose.deploy', { composeId }));
    return looted(tenant.member, { composeId });
  },
  'a member sets the variable that a file of the Owner binds': async ({ installation }) => {
    const composeId = await compose(installation.owner, installation, {
      composeFile: spying('${WHERE:-./data}'),
    });
    await valueOf(installation.member('compose.saveEnvironment', { composeId, env: `WHERE=${folder}` }));
    await valueOf(installation.member('compose.deploy', { composeId }));
    return looted(installation.owner, { composeId });
  },
  'a member sets the variable of the project that a file of the Owner binds': async ({ installation }) => {
    const { owner, member, projectId } = installation;
    await valueOf(owner('project.update', { projectId, env: 'WHERE=./data' }));
    const composeId = await compose(owner, installation, { composeFile: spying('${{project.WHERE}}') });
    await valueOf(member('project.update', { projectId, env: `WHERE=${folder}` }));
    await valueOf(member('compose.deploy', { composeId }));
    return looted(owner, { composeId });
  },
  'the next commit adds a bind and SYS_ADMIN, through an unsigned webhook': async ({
    berth,
    installation,
  }) => {
    const repository = await createRepository(berth.host, `stack-${randomId(6)}`, {
      'compose.yml': harmless,
    });
    const composeId = await compose(installation.owner, installation, {
      sourceType: 'git',
      customGitUrl: repository.url,
      customGitBranch: 'main',
      composePath: 'compose.yml',
    });
    await valueOf(installation.owner('compose.deploy', { composeId }));
    await looted(installation.owner, { composeId });
    await repository.commit({ 'compose.yml': spying(folder, 'cap_add: [SYS_ADMIN]') });
    const token = textOf(await valueOf(installation.owner('compose.one', { composeId })), 'refreshToken');
    const hook = await fetch(`${berth.url}/api/deploy/compose/${token}`, { method: 'POST' });
    if (!hook.ok) throw new Error(`The webhook was answered ${hook.status}: ${await hook.text()}`);
    return looted(installation.owner, { composeId });
  },
  'a member leads an approved file to another branch': async ({ berth, installation }) => {
    const repository = await createRepository(berth.host, `branches-${randomId(6)}`, {
      'compose.yml': spying(folder).replace("readFileSync('/host/secret', 'utf8')", "existsSync('/host')"),
    });
    await repository.commit({ 'compose.yml': spying(folder) }, 'evil');
    const composeId = await compose(installation.owner, installation, {
      sourceType: 'git',
      customGitUrl: repository.url,
      customGitBranch: 'main',
      composePath: 'compose.yml',
    });
    await valueOf(installation.owner('compose.deploy', { composeId }));
    await looted(installation.owner, { composeId });
    const one = await valueOf(installation.owner('compose.one', { composeId }));
    if (typeof one === 'object' && one !== null && 'awaitsApproval' in one && one.awaitsApproval)
      await valueOf(
        installation.owner('compose.approve', { composeId, digest: textOf(one.awaitsApproval, 'digest') }),
      );
    await valueOf(installation.member('compose.update', { composeId, customGitBranch: 'evil' }));
    await valueOf(installation.member('compose.deploy', { composeId }));
    return looted(installation.owner, { composeId });
  },
  "a tenant's Owner mounts a folder of the machine": async ({ tenant }) => {
    const applicationId = await spyingApplication(tenant);
    const mount = { applicationId, type: 'bind', hostPath: folder, mountPath: '/host' };
    const made = await tenant.owner('mount.create', mount);
    if (made.status !== 200) return { succeeded: false, said: made.text };
    await valueOf(tenant.owner('application.deploy', { applicationId }));
    return looted(tenant.owner, { applicationId });
  },
  'a bind in the record that nobody approved': async ({ database, tenant }) => {
    const applicationId = await spyingApplication(tenant);
    await tableStore(database, 'mount').insert({
      isSecret: false,
      mountId: randomId(),
      organizationId: tenant.organizationId,
      type: 'bind',
      hostPath: folder,
      volumeName: null,
      filePath: null,
      content: null,
      mountPath: '/host',
      serviceType: 'application',
      applicationId,
      databaseId: null,
      composeId: null,
      approval: null,
      createdAt: isoTime(systemClock),
    });
    await valueOf(tenant.member('application.deploy', { applicationId }));
    return looted(tenant.owner, { applicationId });
  },
};

describe('with the walls as built', () => {
  it.each(Object.entries(attacks))('%s: held', async (attack, run) => {
    expect(await table.note(attack, 'as built', run(world))).toMatchObject({
      succeeded: false,
      said: expect.stringMatching(/would reach the server itself|leads through a process/),
    });
  });

  it('what the people of the installation approve runs', async () => {
    const { installation } = world;
    const composeId = await compose(installation.owner, installation, { composeFile: spying(folder) });
    await valueOf(installation.member('compose.deploy', { composeId }));
    expect(await looted(installation.owner, { composeId })).toMatchObject({ succeeded: true });
  });

  it.each([
    ['tenant', '/etc', 403],
    ['tenant', '/run/containerd', 403],
    ['installation', data, 403],
    ['tenant', '/proc/self/root/etc', 403],
    ['installation', '/proc/self/root/etc', 403],
    ['installation', '/var/lib/docker/volumes', 403],
    ['installation', '/', 403],
  ] as const)('%s: a mount of %s is refused', async (who, hostPath, status) => {
    const { owner, environmentId } = world[who];
    const name = newName();
    const applicationId = textOf(
      await valueOf(owner('application.create', { name, appName: name, environmentId })),
      'applicationId',
    );
    const answer = await owner('mount.create', { applicationId, type: 'bind', hostPath, mountPath: '/x' });
    expect(answer.status).toBe(status);
  });
});

describe.runIf(leavesOutWall(import.meta.url))('without the wall before the machine', () => {
  beforeAll(async () => {
    await world.berth.stop();
    await world.berth.start({}, `${project}/test/attacks/without/host-reach.ts`);
  });

  it.each(Object.entries(attacks))('%s: succeeds', async (attack, run) => {
    expect(await table.note(attack, 'left out', run(world))).toEqual({ succeeded: true, said: loot });
  });
});
