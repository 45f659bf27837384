import { afterAll, beforeAll, expect, it } from 'vitest';
import { createEngineInMemory } from '../../../../test/engine-in-memory/engine-in-memory.ts';
import { never, type Program, type Programs } from '../../../../test/engine-in-memory/programs/program.ts';
import { stepService } from '../../../../test/engine-suite/fixture.ts';
import { installVirtualTime } from '../../../../test/virtual-time/virtual-time.ts';
import { composeServiceLabel, organizationLabel, taskLabel } from '../../domain/names/labels.ts';
import { composeRef, ownerLabels } from '../../domain/names/service-ref.ts';
import type { Host } from '../../ports/host/host.ts';
import { waitUntilSo } from '../../ports/wait-until.ts';
import { createTerminals, type OpenedTerminal } from './terminal.ts';

let uninstall: () => void;
beforeAll(() => {
  uninstall = installVirtualTime();
});
afterAll(() => uninstall());

const busybox = '/berth/busybox';
const signal = new AbortController().signal;
const sized = { terminal: true, columns: 100, rows: 30 } as const;
const shopLabels = { [organizationLabel]: 'o', [ownerLabels.application]: 'shop' };

/** A shell: says where bash is, tells its size and its input, and ends by the word of its input. */
const shell =
  (bash: string): Program =>
  async ({ argv, input, write, terminal, env, pause }) => {
    if (argv.includes('command -v bash || true')) {
      await write('stdout', bash);
      return 0;
    }
    if (argv.some((word) => word.includes('kill -HUP'))) {
      hungUp.push(argv.at(-2) ?? '');
      return 0;
    }
    // The engine is told the size once it runs.
    await pause(10);
    const { columns } = terminal?.size() ?? { columns: 0 };
    await write('stdout', `${argv[0]} ${columns} ${env['TERM'] ?? 'no terminal'} ${env['BERTH_TERMINAL']}\n`);
    for await (const part of input) if (part.length > 0) return Number(Buffer.from(part).toString());
    return 0;
  };
const hungUp: string[] = [];

async function world(programs: Programs = { sh: shell(''), bash: shell('') }) {
  const memory = createEngineInMemory();
  memory.addImage('shop:1', { programs: { ...programs, forever: never }, command: ['forever'] });
  const { engine } = memory;
  const run = async (name: string, labels: Record<string, string>): Promise<void> => {
    const spec = stepService(name, [], { image: 'shop:1', command: ['forever'], labels });
    await engine.applyService(spec);
    await waitUntilSo(async () => (await engine.tasks(name))[0]?.state === 'running', { everyMs: 100 });
  };
  const placed = [
    { serviceId: 'shop', kind: 'application', name: 'Shop', serverId: null },
    { serviceId: 'stack', kind: 'compose', name: 'Stack', serverId: null },
    { serviceId: 'far', kind: 'application', name: 'Far', serverId: 'lost' },
  ];
  const terminals = createTerminals({
    // Of hosts and services no more is asked than this.
    hosts: { find: async (key) => (key === 'local' ? ({ engine } as unknown as Host) : undefined) },
    services: { placed: async () => placed as never },
    applicationOf: async () => ({ name: 'Preview 7', serverId: null }),
    busybox,
  });
  const open = (input: object = {}): Promise<OpenedTerminal> =>
    terminals.open('o', { serviceId: 'shop', ...sized, ...input }, signal);
  return { memory, engine, run, open, terminals };
}

async function firstLine({ program }: OpenedTerminal): Promise<string> {
  for await (const { bytes } of program.output) return Buffer.from(bytes).toString().trim();
  return '';
}

it('opens bash where there is one, with the size that was asked for, and tells how it ended', async () => {
  const { run, open, engine } = await world({ sh: shell('/bin/bash\n'), bash: shell('') });
  await run('shop', shopLabels);
  const opened = await open();
  expect(opened).toMatchObject({ serviceName: 'shop', command: ['/bin/bash'] });
  expect(opened.task).toBe((await engine.tasks('shop'))[0]?.id);
  await opened.program.write(Buffer.from('3'));
  const parts: string[] = [];
  for await (const { bytes } of opened.program.output) parts.push(Buffer.from(bytes).toString());
  expect(parts.join('')).toMatch(/^\/bin\/bash 100 xterm-256color \S+\n$/);
  expect(await opened.ended()).toBe(3);
});

it.each([
  ['sh, where bash is none', { sh: shell('not found') }, 'sh'],
  ['Berth’s own, where the image has none', { busybox: shell('') }, busybox],
])('opens %s', async (_, programs, expected) => {
  const { run, open } = await world(programs);
  await run('shop', shopLabels);
  const opened = await open();
  expect(opened.command[0]).toBe(expected);
  expect(await firstLine(opened)).toMatch(new RegExp(`^${expected} 100`));
});

it('runs the program that was asked for, without a terminal where none is wanted', async () => {
  const { run, open } = await world();
  await run('shop', shopLabels);
  const opened = await open({ command: ['bash', '-l'], terminal: false });
  expect(opened.command).toEqual(['bash', '-l']);
  expect(await firstLine(opened)).toMatch(/^bash 0 no terminal \S+$/);
});

it('hangs up what bears the mark of this program', async () => {
  const { run, open } = await world();
  await run('shop', shopLabels);
  const opened = await open();
  const mark = (await firstLine(opened)).split(' ').at(-1);
  await opened.hangUp();
  expect(hungUp.at(-1)).toBe(mark);
});

it('tells the end of a container from that of a program that was killed in it', async () => {
  const { run, open, engine } = await world();
  await run('shop', shopLabels);
  const killed = await open();
  await killed.program.write(Buffer.from('137'));
  expect(await killed.ended()).toBe(137);
  const opened = await open();
  await engine.removeService('shop', { limitMs: 10_000 });
  expect(await opened.ended()).toBeUndefined();
});

it('asks which service of a compose service is meant, and opens that one', async () => {
  const { run, open } = await world();
  const labels = { [organizationLabel]: 'o', [ownerLabels.compose]: composeRef('stack').serviceId };
  await run('stack-web', { ...labels, [composeServiceLabel]: 'web' });
  expect((await open({ serviceId: 'stack' })).serviceName).toBe('web');
  await run('stack-worker', { ...labels, [composeServiceLabel]: 'worker' });
  await expect(open({ serviceId: 'stack' })).rejects.toThrow(
    /serviceName: is required; there are (web, worker|worker, web)/,
  );
  await expect(open({ serviceId: 'stack', serviceName: 'db' })).rejects.toThrow(
    'serviceName: is no service of it that runs',
  );
  expect((await open({ serviceId: 'stack', serviceName: 'worker' })).serviceName).toBe('worker');
});

it('opens a preview by its own id', async () => {
  const { run, open } = await world();
  await run('preview', { [organizationLabel]: 'o', [ownerLabels.previewDeployment]: 'seven' });
  const input = { serviceId: undefined, previewDeploymentId: 'seven' };
  expect((await open(input)).serviceName).toBe('preview');
  await expect(open({ ...input, previewDeploymentId: 'eight' })).rejects.toThrow(
    'Nothing of Preview 7 is running',
  );
});

it('opens nothing of another organization, of what runs once, and where nothing runs', async () => {
  const { run, open, engine } = await world();
  await expect(open({ serviceId: 'gone' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(open({ serviceId: 'far' })).rejects.toThrow('Nothing of Far is running');
  await run('theirs', { ...shopLabels, [organizationLabel]: 'theirs' });
  await run('once', { ...shopLabels, [taskLabel]: 'run' });
  await expect(open()).rejects.toThrow('Nothing of Shop is running, so there is no container to open.');
  await run('shop', shopLabels);
  await expect(open({ task: 'another' })).rejects.toThrow('The task named in task is not running');
  await engine.scaleService('shop', 0);
  await waitUntilSo(async () => (await engine.tasks('shop'))[0]?.state !== 'running', { everyMs: 100 });
  await expect(open()).rejects.toThrow('No task of the service runs at this moment.');
});

it('connects to a port in the container, where Berth’s program is there', async () => {
  const listening: Program = async ({ argv, write }) => {
    if (argv[1] !== 'true') await write('stdout', argv.at(-1) ?? '');
    return 0;
  };
  const { run, terminals } = await world({ busybox: listening });
  await run('shop', shopLabels);
  const opened = await terminals.forward('o', { serviceId: 'shop', port: 5432 }, signal);
  expect(await firstLine(opened)).toBe('5432');
  const bare = await world();
  await bare.run('shop', shopLabels);
  await expect(bare.terminals.forward('o', { serviceId: 'shop', port: 5432 }, signal)).rejects.toThrow(
    "The container does not have Berth's program to connect with",
  );
});

it('says of a container that no engine of Berth’s has where it is', async () => {
  const { run, open, memory } = await world();
  await run('shop', shopLabels);
  memory.state.containers.clear();
  await expect(open()).rejects.toMatchObject({ code: 'NOT_FOUND' });
  memory.state.nodeId = 'another';
  const [task] = memory.state.tasks.values();
  await expect(open()).rejects.toThrow(
    `It runs on the node ${Reflect.get(task ?? {}, 'nodeId')} of the swarm, which is not a server of Berth's`,
  );
});
