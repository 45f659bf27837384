import { expect, test } from 'vitest';
import { oneMachineFaults } from './one-machine.ts';

const at = (text: string, file = 'server/src/composition/installation/platform.ts') => [
  { file, number: 7, text },
];

test.each([
  ["  meshWorks: async () => existsSync('/proc/net/ip_vs'),", /looks at this machine's kernel/],
  ["const group = readFile('/sys/fs/cgroup/memory.max');", /looks at this machine's kernel/],
  ["import { release } from 'node:os';", /asks what this machine is/],
  ["const socket = '/var/run/docker.sock';", /names an engine's socket/],
  ['  probe: existsSync(host.probePath) ? 1 : 2,', /looks for the probe/],
  ['  createSwarmEngine({ socketPath: config.engineSocket }),', /for every host's/],
  ["  serverKey: application.serverId ?? 'local',", /writes the key/],
  ["  const rows = await database.run(routed, ['local']);", /writes the key/],
  ["    serverKey: 'local',", /writes the key/],
  ["import { createSwarmEngine } from '../adapters/engine/swarm.ts';", /reaches for an engine/],
])('%s is a fault that names its cure', (text, words) => {
  const faults = oneMachineFaults(at(text));
  expect(faults).toEqual([expect.stringMatching(words)]);
  expect(faults[0]).toMatch(/^server\/src\/composition\/installation\/platform\.ts:7 .*\. (Ask|Take|Use) /);
});

test('the adapter of the machine may, and tests, other programs, comments and what only looks alike', () => {
  const server = at('export const nothing = 1;');
  expect(
    oneMachineFaults([
      ...server,
      ...at("readFile('/proc/vmstat')", 'server/src/adapters/host/local/build-limits.ts'),
      ...at("serverKey: 'local',", 'server/src/modules/domain/domain.store.test.ts'),
      ...at("const socket = '/var/run/docker.sock';", 'setup/engine/engine.ts'),
      ...at(" * Read from '/proc/net/ip_vs'."),
      ...at("readdirSync('/proc')", 'server/src/shell/proc.ts'),
      ...at("return provider === 'local'", 'server/src/modules/destination/destination.ts'),
      ...at("map.get('driver') ?? 'local'"),
      ...at('test </proc/uptime'),
    ]),
  ).toEqual([]);
});

test('a check that sees nothing is a fault itself', () => {
  expect(oneMachineFaults([])).toEqual([expect.stringMatching(/saw no line/)]);
});
