/** Compose files are judged at every deployment: of real repositories, with the variables of the moment. */
import { testInstallation } from '../../../../test/installation.ts';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { hostReachOn } from '../../../../test/http/host-reach.ts';
import { createPeople, type People } from '../../../../test/http/people.ts';
import { createPlace, type Place } from '../../../../test/http/places.ts';
import {
  addCommit,
  createGitFixture,
  makeRepository,
  type GitFixture,
} from '../../../../test/integration/git/git-fixture.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { plainCompose } from '../../../../test/world/plain-compose.ts';
import { createSwarmEngine } from '../../adapters/engine/swarm.ts';
import { createWorkFiles } from '../../adapters/files/work-files.ts';
import { createStores, type Stores } from '../../composition/stores.ts';
import type { Database } from '../../db/database.ts';
import type { ComposeRecord, DeploymentRecord } from '../../db/tables.ts';
import type { EnvBlocks } from '../../domain/variables/env.ts';
import { createComposeApprovals, type ComposeApprovals } from '../../modules/compose/approvals.ts';
import { createComposes, type Composes } from '../../modules/compose/compose.ts';
import { createServers } from '../../modules/server/server.ts';
import { createServiceNames } from '../../modules/service-name/service-name.ts';
import { randomId, systemClock } from '../../ports/clock.ts';
import { createFileJudge } from './judge-file.ts';
import { composeVariables } from '../../domain/variables/compose-variables.ts';
import { readComposeFile } from './read-file.ts';
import { plainDeployment } from '../../../../test/world/plain-deployment.ts';

const harmless = 'services:\n  web: { image: "nginx:1" }\n';
const withHost = 'services:\n  web: { image: "nginx:1", volumes: ["/etc:/host"], cap_add: [SYS_ADMIN] }\n';

eachDatabase('compose files that reach the machine', (test) => {
  let git: GitFixture;
  let bare: string;
  let database: Database;
  let stores: Stores;
  let composes: Composes;
  let approvals: ComposeApprovals;
  let people: People;
  let place: Place;
  let blocks: Omit<EnvBlocks, 'service'>;
  let judgeFile: ReturnType<typeof createFileJudge>;
  let repositories = 0;
  /** What the file that was read last asks for. */
  let planned = '';

  beforeAll(() => void (git = createGitFixture()));
  afterAll(() => git[Symbol.dispose]());
  beforeEach(async () => {
    bare = join(git.folder, `stack-${(repositories += 1)}.git`);
    makeRepository(bare, { 'compose.yml': harmless });
    database = await test.open();
    stores = createStores(database);
    people = await createPeople(database);
    place = await createPlace(database, people.owner, 'Shop');
    blocks = { project: '', environment: '' };
    composes = createComposes(
      stores.composes,
      { names: createServiceNames(stores.serviceNames), localRepositoryPaths: async () => [git.folder] },
      systemClock,
    );
    const hostReach = hostReachOn(database, ['/var/lib/berth']);
    approvals = createComposeApprovals({ composes, hostReach, envBlocks: async () => blocks });
    judgeFile = createFileJudge({ hostReach, composes, clock: systemClock });
  });

  const compose = async (change: Partial<ComposeRecord>): Promise<ComposeRecord> => {
    const record = {
      ...plainCompose,
      composeId: randomId(),
      organizationId: people.owner.organizationId,
      environmentId: place.environmentId,
      name: 'Stack',
      appName: 'stack',
      refreshToken: randomId(),
      createdAt: '2026-01-01T00:00:00.000Z',
      composePath: 'compose.yml',
      customGitUrl: bare,
      customGitBranch: 'main',
      ...change,
    };
    await stores.composes.insert(record);
    return record;
  };
  const now = async ({ composeId }: Pick<ComposeRecord, 'composeId'>): Promise<ComposeRecord> => {
    const found = await composes.find(composeId);
    if (!found) throw new Error('It is gone.');
    return found;
  };

  /** What the first stage of a deployment comes to, whoever caused it. */
  async function deployed(given: ComposeRecord): Promise<string> {
    const record = await now(given);
    const deploymentId = randomId();
    const deployment: DeploymentRecord = {
      ...plainDeployment,
      deploymentId,
      organizationId: record.organizationId,
      composeId: record.composeId,
      title: 'Push',
      status: 'running',
      createdAt: '',
    };
    const { all, plain, blocks: seen } = composeVariables(record, blocks);
    const workRoot = join(git.folder, 'work');
    mkdirSync(workRoot, { recursive: true });
    try {
      await readComposeFile({
        engine: createSwarmEngine({
          installation: testInstallation,
          socketPath: join(tmpdir(), 'berth-no-engine'),
          clock: systemClock,
        }),
        clock: systemClock,
        deployment,
        log: { line: () => undefined, close: async () => undefined },
        signal: AbortSignal.timeout(20_000),
        save: async (patch) => void Object.assign(deployment, patch),
        onChild: async () => undefined,
        hide: () => undefined,
        diskLeft: async () => Infinity,
        settings: async () => ({ buildMemoryBytes: 0, buildNanoCpus: 0, minFreeDisk: 0, keptImages: 1 }),
        git: git.git,
        fileSystem: createWorkFiles(),
        localRepositoryPaths: async () => [git.folder],
        workRoot,
        records: {
          reserve: async () => undefined,
          mounts: async () => [],
          sshPrivateKey: async () => '',
          gitLink: () => Promise.reject(new Error('There is no link.')),
        },
        pinnedCommit: undefined,
        compose: record,
        blocks: seen,
        ownVariables: all,
        variables: all,
        plainVariables: plain,
        webPorts: [80],
        judgeFile: async (given, plan, id) => {
          planned = JSON.stringify(plan.services);
          await judgeFile(given, plan, id);
        },
      });
      return 'read';
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }
  const awaited = async (of: ComposeRecord): Promise<NonNullable<ComposeRecord['awaitsApproval']>> => {
    const { awaitsApproval } = await now(of);
    if (!awaitsApproval) throw new Error('Nothing waits.');
    return awaitsApproval;
  };

  it('are approved for the machine that they were judged on, not for one it became', async () => {
    const servers = createServers(stores.servers, systemClock);
    const { organizationId } = people.owner;
    const { serverId } = await servers.create(organizationId, {
      name: 'Far',
      ipAddress: '203.0.113.7',
      port: 22,
      username: 'root',
      serverType: 'deploy',
      buildsConcurrency: 1,
    });
    const stack = await compose({ serverId, sourceType: 'raw', composeFile: withHost });
    await deployed(stack);
    const waiting = await now(stack);
    const digest = waiting.awaitsApproval?.digest ?? '';
    await servers.update(serverId, organizationId, { ipAddress: '203.0.113.8' });
    await expect(approvals.approve(waiting, digest, people.owner)).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    await stores.servers.update({ serverId }, { machineSince: '2026-01-01T00:00:00.000Z' });
    expect(await approvals.approve(waiting, digest, people.owner)).toMatchObject({ digest });
  });

  it('of a repository see the variables of their service alone', async () => {
    blocks = { project: 'TEAM=blue', environment: 'ZONE=north' };
    const stack = await compose({ sourceType: 'git', env: 'TAG=${{project.TEAM}}\nODD=$${{project.TEAM}}' });
    for (const [text, expected] of [
      ['${{TAG}}', '"a blue"'],
      ['${TAG}', '"a blue"'],
      ['${{ODD}}', '"a ${{project.TEAM}}"'],
    ] as const) {
      addCommit(bare, 'main', {
        'compose.yml': `services:\n  web: { image: "a:1", command: ["a ${text}"] }\n`,
      });
      expect([await deployed(stack), planned]).toEqual(['read', expect.stringContaining(expected)]);
    }
    for (const inner of ['project.TEAM', 'environment.ZONE', 'TEAM', 'ZONE', 'cache.URL', 'my cache.URL']) {
      addCommit(bare, 'main', { 'compose.yml': `services:\n  web: { image: "a:\${{${inner}}}" }\n` });
      expect(await deployed(stack)).toMatch(/sees only the variables of its compose service: pass it on/);
    }
    // A file of the record is written by who may read them.
    const raw = await compose({
      composeFile: 'services:\n  web: { image: "a:${{project.TEAM}}-${{ZONE}}" }\n',
      appName: 'raw',
    });
    expect([await deployed(raw), planned]).toEqual(['read', expect.stringContaining('a:blue-north')]);
  });

  it('of a repository wait with what the next commit adds, and are approved by its digest', async () => {
    const stack = await compose({ sourceType: 'git' });
    expect(await deployed(stack)).toBe('read');
    const publishing = (port: number): string =>
      `services:\n  web: {image: "nginx:1", ports: ["${port}:80"]}\n`;
    addCommit(bare, 'main', { 'compose.yml': publishing(80) });
    expect(await deployed(stack), 'the proxy listens there, so it is not published').toBe('read');
    addCommit(bare, 'main', { 'compose.yml': publishing(81) });
    expect(await deployed(stack)).toContain('web publishes the port 81/tcp, below 1024');
    addCommit(bare, 'main', { 'compose.yml': withHost });
    const refused = await deployed(stack);
    const { digest, dangers } = await awaited(stack);
    expect(refused).toContain(
      'web binds /etc of the server, writable; web adds the capability CAP_SYS_ADMIN; web runs nginx.',
    );
    expect(refused).toContain(`compose.approve {composeId, digest}`);
    expect(refused).toContain(digest);
    expect(dangers).toEqual([
      { service: 'web', what: 'bind', value: '/etc', access: 'writable', image: 'nginx' },
      { service: 'web', what: 'capability', value: 'CAP_SYS_ADMIN', image: 'nginx' },
    ]);
    expect(await approvals.waiting(undefined)).toMatchObject([{ composeId: stack.composeId, digest }]);
    expect(await approvals.waiting('organization-other')).toEqual([]);
    await expect(approvals.approve(await now(stack), '0'.repeat(64), people.owner)).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    await approvals.approve(await now(stack), digest, people.owner);
    expect(await deployed(stack)).toBe('read');
    expect(await approvals.shown(await now(stack))).toMatchObject({
      approval: { digest, approvedBy: people.owner.userId },
      awaitsApproval: null,
    });
    // Whoever pushes next gets what was approved, and less, but no more.
    addCommit(bare, 'main', { 'compose.yml': withHost.replace(', cap_add: [SYS_ADMIN]', '') });
    expect(await deployed(stack)).toBe('read');
    const started = withHost.replace('nginx:1"', 'nginx:2", user: root, command: [sh]');
    addCommit(bare, 'main', { 'compose.yml': started });
    expect(await deployed(stack)).toBe('read');
    addCommit(bare, 'main', { 'compose.yml': withHost.replace('nginx:1', 'evil.example.com/x:1') });
    expect(await deployed(stack)).toContain('web runs evil.example.com/x.');
    addCommit(bare, 'main', { 'compose.yml': withHost.replace('/etc', '/root') });
    expect(await deployed(stack)).toMatch(/^(?!.*CAP_SYS_ADMIN).*web binds \/root of the server/s);
    await expect(approvals.approve(await now(stack), digest, people.owner)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('something else now'),
    });
    addCommit(bare, 'main', { 'compose.yml': withHost.replace('/etc', '/') });
    expect(await deployed(stack)).toContain('which controls this server');
  });

  it('take no approval along to another source or place', async () => {
    const other = join(git.folder, `other-${repositories}.git`);
    makeRepository(other, { 'compose.yml': withHost });
    addCommit(bare, 'main', { 'compose.yml': withHost });
    const { environmentId } = await createPlace(database, people.owner, 'Else');
    for (const change of [
      { customGitUrl: other },
      { composePath: './compose.yml' },
      { environmentId },
      { sourceType: 'raw' as const, composeFile: withHost },
    ]) {
      const stack = await compose({ sourceType: 'git' });
      expect(await deployed(stack)).toContain('nobody entitled to has approved it');
      const { digest } = await awaited(stack);
      await stores.composes.update({ composeId: stack.composeId }, change);
      await expect(approvals.approve(await now(stack), digest, people.owner)).rejects.toMatchObject({
        code: 'CONFLICT',
      });
      await stores.composes.update({ composeId: stack.composeId }, stack);
      await deployed(stack);
      await approvals.approve(await now(stack), digest, people.owner);
      expect(await deployed(stack)).toBe('read');
      await stores.composes.update({ composeId: stack.composeId }, change);
      expect(await deployed(stack)).toContain('nobody entitled to has approved it');
      expect(await approvals.shown(await now(stack))).toMatchObject({ approval: null });
    }
  });

  it("of the record wait when a member's variable makes them reach the machine", async () => {
    const text =
      'services:\n  web: { image: "nginx:1", volumes: ["${{project.DIR}}:/data", "${WHERE:-./x}:/more"] }\n';
    const stack = await compose({ sourceType: 'raw', composeFile: text });
    blocks = { project: 'DIR=./data', environment: '' };
    await approvals.saved(await now(stack), people.owner);
    expect(await deployed(stack)).toBe('read');
    blocks = { project: 'DIR=/etc', environment: '' };
    expect(await deployed(stack)).toContain('web binds /etc of the server');
    blocks = { project: 'DIR=./data', environment: '' };
    await stores.composes.update({ composeId: stack.composeId }, { env: 'WHERE=/root' });
    expect(await deployed(stack)).toContain('web binds /root of the server');
    // An Owner who saves the file looks at the file, not at its variables.
    await approvals.saved(await now(stack), people.owner);
    expect(await deployed(stack)).toContain('web binds /root of the server');
    await approvals.approve(await now(stack), (await awaited(stack)).digest, people.owner);
    expect(await deployed(stack)).toBe('read');
    await approvals.saved(await now(stack), people.owner);
    expect(await deployed(stack)).toBe('read');
  });

  it('of the record are approved as they are written when somebody with host reach saves them', async () => {
    const stack = await compose({ sourceType: 'raw', composeFile: withHost });
    expect(await deployed(stack)).toContain('nobody entitled to has approved it');
    await approvals.saved(await now(stack), people.owner);
    expect(await deployed(stack)).toBe('read');
    for (const [from, to] of [
      ['nginx:1"', 'evil.example.com/x:1"'],
      ['nginx:1"', 'nginx:1", user: root'],
      ['nginx:1"', 'nginx:1", command: [sh]'],
      ['nginx:1"', 'nginx:1", entrypoint: [sh]'],
    ] as const) {
      const composeFile = withHost.replace(from, to);
      await stores.composes.update({ composeId: stack.composeId }, { composeFile });
      expect(await deployed(stack)).toContain('nobody entitled to has approved it');
    }
    const newer = withHost.replace('nginx:1', 'nginx:2').replace('/host', '/host:ro');
    await stores.composes.update({ composeId: stack.composeId }, { composeFile: newer });
    await approvals.savedByOthers(await now(stack));
    expect(await deployed(stack)).toBe('read');
    await approvals.saved(await now(stack), people.owner);
    await stores.composes.update({ composeId: stack.composeId }, { composeFile: withHost });
    expect(await deployed(stack)).toContain('web binds /etc of the server, writable');
    await stores.composes.update({ composeId: stack.composeId }, { composeFile: harmless });
    await approvals.saved(await now(stack), people.owner);
    await stores.composes.update({ composeId: stack.composeId }, { composeFile: withHost });
    expect(await deployed(stack)).toContain('nobody entitled to has approved it');
  });
});
