/** A server as set-up finds it: what is installed and runs there, and the programs that change that. */
import { createNetworks } from '../../server/src/deploy/spec/networks.ts';
import { proxyServiceName } from '../../server/src/domain/names/names.ts';
import { stages, type SetupStage } from '../../server/src/modules/server/setup/stages.ts';
import type { SetupContext } from '../../server/src/modules/server/setup/stage.ts';
import type { ProgramEnd, ServerShell, SwarmState } from '../../server/src/ports/host/server-shell.ts';
import { createEngineInMemory } from '../engine-in-memory/engine-in-memory.ts';
import { unixPrograms } from '../engine-in-memory/programs/programs.ts';
import { stepService } from '../engine-suite/fixture.ts';

export interface BareServer {
  hasApt: boolean;
  hasSystemd: boolean;
  freeKilobytes: number;
  username: string;
  /** Programs and packages that are there. */
  installed: Set<string>;
  /** Packages that apt has none of. */
  unknownPackages: Set<string>;
  /** Files with their content. */
  files: Map<string, string>;
  groups: Map<string, string[]>;
  engine: 'absent' | 'stopped' | 'running';
  /** It is started, and never answers. */
  isEngineBroken: boolean;
  apiVersion: string;
  swarm: SwarmState;
  /** What `ip` shows of its addresses, and of the one of its way out. */
  addresses: string;
  /** Who listens on which port. */
  listeners: Map<number, string>;
  /** It has begun a new sign-in. */
  signIns: number;
}

const inNoSwarm: SwarmState = {
  state: 'inactive',
  isManager: false,
  nodeAddress: '',
  nodeId: '',
  problem: '',
};

export const bareServer = (change: Partial<BareServer> = {}): BareServer => ({
  hasApt: true,
  hasSystemd: true,
  freeKilobytes: 40 * 1024 * 1024,
  username: 'root',
  installed: new Set(),
  unknownPackages: new Set(),
  files: new Map(),
  groups: new Map(),
  engine: 'absent',
  isEngineBroken: false,
  apiVersion: '1.41',
  swarm: inNoSwarm,
  addresses: '2: eth0    inet 203.0.113.7/24 brd 203.0.113.255 scope global eth0',
  listeners: new Map(),
  signIns: 0,
  ...change,
});

const done = (stdout = ''): ProgramEnd => ({ code: 0, stdout, stderr: '' });
const failed = (stderr: string, code = 1): ProgramEnd => ({ code, stdout: '', stderr });

type Given = readonly string[];
type Program = (server: BareServer, given: Given, stdin: string) => ProgramEnd;

/** By the first word, or by what is in the script of a shell. */
const programs: readonly [string | RegExp, Program][] = [
  ['true', () => done()],
  ['id', ({ groups, username }) => done((groups.get(username) ?? []).join(' '))],
  ['getent', ({ groups }) => (groups.has('docker') ? done('docker:x:999:') : failed('', 2))],
  [
    'usermod',
    ({ groups, username }, [, group = '']) => {
      groups.set(username, [...(groups.get(username) ?? []), group]);
      return done();
    },
  ],
  [
    'ss',
    ({ listeners }, given) => {
      const port = Number(given.at(-1)?.slice(1));
      return done(listeners.has(port) ? `LISTEN 0 511 *:${port} users:((${listeners.get(port)}))` : '');
    },
  ],
  ['ls', () => done()],
  ['dpkg', () => done()],
  ['apt-get', () => done()],
  ['env', install],
  ['rm', ({ files }, given) => (files.delete(given.at(-1) ?? ''), done())],
  [/os-release/, factsOf],
  [/^command -v (\S+)$/, ({ installed }, [name = '']) => (installed.has(name) ? done(name) : failed('', 1))],
  [/\$1" \] && exit 0/, writeAbsent],
  [/pidof -x apt-get/, () => done()],
  [/dockerd/, start],
  [/ip -o addr/, ({ addresses }) => done(addresses)],
];

function factsOf({ hasApt, hasSystemd, freeKilobytes }: BareServer): ProgramEnd {
  const words = [hasApt ? 'apt' : 'none', hasSystemd ? 'systemd' : 'none', 'x86_64', '6.1.0', freeKilobytes];
  return done([...words, 'Debian GNU/Linux 12 (bookworm)', ''].join('\n'));
}

function install(server: BareServer, given: Given): ProgramEnd {
  const names = given.slice(given.indexOf('--no-install-recommends') + 1).filter((one) => /^[a-z]/.test(one));
  const unknown = names.find((name) => server.unknownPackages.has(name));
  if (unknown !== undefined) return failed(`E: Unable to locate package ${unknown}`, 100);
  for (const name of names) server.installed.add(name);
  if (names.includes('docker.io')) {
    server.installed.add('dockerd');
    server.engine = 'stopped';
  }
  return done();
}

function writeAbsent({ files }: BareServer, [path = '']: Given, stdin: string): ProgramEnd {
  if (files.has(path)) return done();
  files.set(path, stdin);
  return done('made\n');
}

function start(server: BareServer): ProgramEnd {
  if (!server.isEngineBroken) server.engine = 'running';
  return done('started');
}

function shellOf(server: BareServer, further: typeof programs): ServerShell {
  const info = async () =>
    server.engine === 'running'
      ? { version: '20.10.24', apiVersion: server.apiVersion, swarm: server.swarm }
      : undefined;
  const all = [...further, ...programs];
  return {
    name: 'the server edge',
    address: '203.0.113.7',
    username: server.username,
    async run([name, ...given], { stdin = '' } = {}) {
      const script = name === 'sh' ? (given[1] ?? '') : undefined;
      const found = all.find(([what]) =>
        typeof what === 'string' ? what === name : script !== undefined && what.test(script),
      );
      if (!found) throw new Error(`The server has no program for ${[name, ...given].join(' ')}.`);
      const text = typeof stdin === 'string' ? stdin : Buffer.concat(await stdin.toArray()).toString();
      // The words after the name that a script is given; of "command -v", the program that is looked for.
      const words =
        script === undefined ? given : given.length > 2 ? given.slice(3) : script.split(' ').slice(2);
      return found[1](server, words, text);
    },
    signInAgain: () => void (server.signIns += 1),
    // Nothing else is asked of its engine here.
    engine: {
      info,
      async initSwarm(nodeAddress: string) {
        server.swarm = { ...inNoSwarm, state: 'active', isManager: true, nodeAddress, nodeId: 'n' };
      },
    } as ServerShell['engine'],
  };
}

export interface SetupWorld {
  said: string[];
  context: SetupContext;
  memory: ReturnType<typeof createEngineInMemory>;
  /** Images that Berth's own machine can give. */
  images: Set<string>;
  run(stage: SetupStage): Promise<string[]>;
}

export type Further = Parameters<typeof shellOf>[1];

/** What a stage works with on the server; the engine is the one in memory. */
export function setupWorld(
  server: BareServer,
  change: Partial<Pick<SetupContext, 'serverType' | 'isNode' | 'releases'>> = {},
  further: Further = [],
): SetupWorld {
  const [memory, said] = [createEngineInMemory(), [] as string[]];
  const { engine } = memory;
  const images = new Set(['caddy:2', 'builder:1']);
  const add = (tag: string): void =>
    memory.addImage(tag, { programs: unixPrograms, command: ['sleep', '1000'], sizeBytes: 1 });
  const networks = createNetworks({
    engine,
    environments: { networkIndex: async () => 1 },
    composes: { networkIndex: async () => 2 },
    proxyContainers: async () => [],
    pool: async () => '10.201.0.0/16',
    routes: async () => [],
    serverName: 'this server',
    onAvoided: () => undefined,
  });
  const context = {
    shell: shellOf(server, further),
    host: {
      engine,
      networks,
      folders: { data: '/data', proxy: '/proxy', composes: '/composes', builders: '/builders' },
      proxyPorts: { http: 80, https: 443 },
      standing: {},
      isPortFree: async (port: number) => !server.listeners.has(port),
      async fetchImage(reference: string) {
        if (images.has(reference)) add(reference);
        return images.has(reference);
      },
      proxy: { current: async () => ((await engine.service(proxyServiceName)) ? '{}' : undefined) },
      facts: async () => ({ hasProbe: server.apiVersion !== '' }),
    },
    serverType: 'deploy',
    isNode: false,
    signal: new AbortController().signal,
    say: (text: string) => void said.push(text),
    async settle() {
      if (await engine.image('caddy:2'))
        await engine.applyService(stepService(proxyServiceName, [], { image: 'caddy:2' }));
    },
    claim: async () => undefined,
    images: { proxy: 'caddy:2', builder: 'builder:1' },
    releases: { addresses: async () => [] },
    facts: { hasApt: false, hasSystemd: false },
    ...change,
    // Of a host, the stages ask no more than this.
  } as unknown as SetupContext;
  return { said, context, memory, images, run: (stage) => stages[stage](context) };
}
