/** A server with monitoring: its agent runs on the engine in memory, and answers as it was laid out. */
import { Readable } from 'node:stream';
import { AppError } from '../../server/src/domain/errors.ts';
import type { Passing } from '../../server/src/domain/resources/metrics.ts';
import type { Fact } from '../../server/src/domain/states/fact.ts';
import { createRenewals } from '../../server/src/modules/platform-service/platform-service.ts';
import { agentServiceName } from '../../server/src/modules/server/monitoring/installation.ts';
import {
  createServerMonitoring,
  type MonitoringParts,
  type ServerMonitoring,
} from '../../server/src/modules/server/monitoring/monitoring.ts';
import { systemClock } from '../../server/src/ports/clock.ts';
import type { StandingContainer } from '../../server/src/ports/engine/standing.ts';
import type { Host } from '../../server/src/ports/host/host.ts';
import type { AgentProgram, MonitoringAgent } from '../../server/src/ports/metrics.ts';
import { never } from '../engine-in-memory/programs/program.ts';
import { plainServer } from '../world/plain-server.ts';
import { bareServer, setupWorld, type BareServer, type Further } from './bare-server.ts';

type ServerRecord = Awaited<ReturnType<MonitoringParts['servers']['list']>>[number];

const metricsConfig: NonNullable<ServerRecord['metricsConfig']> = {
  server: {
    refreshRate: 60,
    port: 4500,
    urlCallback: 'https://ops.example.com/thresholds',
    retentionDays: 7,
    cronJob: '0 0 * * *',
    thresholds: { cpu: 80, memory: 90 },
  },
  containers: { refreshRate: 60, services: { include: [], exclude: [] } },
};

export const agentProgram = (digest: string): AgentProgram => ({
  files: [{ path: 'agent.js', content: `agent ${digest}` }],
  entry: 'agent.js',
  digest,
  node: { version: '24', architecture: 'x86_64', compressed: () => Readable.from([Buffer.from('node')]) },
});

export interface MonitoredServer {
  server: BareServer;
  record: ServerRecord;
  program: AgentProgram;
  /** Programs of agents, by their digest, that do not answer. */
  broken: Set<string>;
  whySilent: string | undefined;
  /** On a node, the agent stands beside all services; undefined while there is none. */
  standing: { now: StandingContainer | undefined; former: StandingContainer | undefined };
  passings: Passing[];
  /** Status of the callback's answer, and what it was sent. */
  callback: { status: number; bodies: Record<string, unknown>[]; headers: Record<string, string>[] };
  facts: Fact[];
  faults: unknown[];
  monitoring: ServerMonitoring;
  memory: ReturnType<typeof setupWorld>['memory'];
  images: Set<string>;
  /** The program that the agent runs which answers; undefined when none does. */
  answering(): Promise<string | undefined>;
}

const done = (stdout = '') => ({ code: 0, stdout, stderr: '' });

/** What lays the agent out: files of the server, by their paths. */
const programs: Further = [
  ['uname', () => done('x86_64\n')],
  ['test', ({ files }, given) => ({ ...done(), code: files.has(given.at(-1) ?? '') ? 0 : 1 })],
  [/\.part/, ({ files }, [path = ''], stdin) => (files.set(path, stdin), done())],
  [
    /rm -rf/,
    ({ files }, [folder = '', ...kept]) => {
      for (const path of files.keys())
        if (!kept.includes(path.slice(folder.length + 1).split('/')[0] ?? '')) files.delete(path);
      return done();
    },
  ],
];

export function monitoredServer(change: Partial<ServerRecord> = {}): MonitoredServer {
  const server = bareServer({ engine: 'running' });
  const { context, memory, images } = setupWorld(server, {}, programs);
  memory.state.mountedPrograms = { 'node-24': never };
  const record: ServerRecord = {
    ...plainServer,
    serverId: 'edge',
    organizationId: 'o',
    name: 'edge',
    metricsConfig,
    metricsToken: 'of the monitoring',
    createdAt: '2026-01-01T00:00:00.000Z',
    ...change,
  };
  const state: Omit<MonitoredServer, 'monitoring'> = {
    server,
    record,
    program: agentProgram('one'),
    broken: new Set(),
    whySilent: undefined,
    standing: { now: undefined, former: undefined },
    passings: [],
    callback: { status: 204, bodies: [], headers: [] },
    facts: [],
    faults: [],
    memory,
    images,
    answering: async () => programOf(await runningOn(state)),
  };
  const host = hostOf(context.host, () => state);
  const agent = {
    async digest() {
      const running = await runningOn(state);
      if (running === undefined || state.broken.has(programOf(running) ?? ''))
        throw new AppError('SERVICE_UNAVAILABLE', 'The agent does not answer.');
      return running.env[0]?.split('=')[1] ?? '';
    },
    passings: async () => state.passings,
    told: async (upTo: number) =>
      void (state.passings = state.passings.filter(({ passing }) => passing > upTo)),
  };
  return Object.assign(state, {
    monitoring: createServerMonitoring({
      ...partsOf(() => state),
      connected: async () => ({ host, shell: context.shell }),
      find: async () => host,
      // Its figures are for others.
      agentOf: () => agent as unknown as MonitoringAgent,
    }),
  });
}

type Running = { command: readonly string[]; env: readonly string[] } | undefined;

/** What runs at this moment, wherever it stands. */
async function runningOn({
  record,
  standing,
  memory,
}: Pick<MonitoredServer, 'record' | 'standing' | 'memory'>): Promise<Running> {
  if (record.clusterServerId !== null) return standing.now;
  const [task] = await memory.engine.tasks(agentServiceName);
  const service = [...memory.state.services.values()].find(({ spec }) => spec.Name === agentServiceName);
  const made = service?.spec.TaskTemplate.ContainerSpec;
  return task?.state === 'running' ? { command: made?.Command ?? [], env: made?.Env ?? [] } : undefined;
}

const programOf = (running: Running): string | undefined =>
  /program-([^/]+)/.exec(running?.command.join(' ') ?? '')?.[1];

function hostOf(plain: Host, state: () => Omit<MonitoredServer, 'monitoring'>): Host {
  const standing = {
    async replace(container: StandingContainer) {
      state().standing = { now: container, former: state().standing.now };
      return true;
    },
    settle: async () => void (state().standing.former = undefined),
    putBack: async () => void (state().standing = { now: state().standing.former, former: undefined }),
    isUnsettled: async () => state().standing.former !== undefined,
    remove: async () => void (state().standing = { now: undefined, former: undefined }),
  };
  return {
    ...plain,
    name: 'the server edge',
    agent: { socket: '/run/edge.sock', engineSocket: '/var/run/docker.sock', proc: '/proc' },
    whySilent: () => state().whySilent,
    // The agent asks for no more.
    standing: { ...plain.standing, ...standing },
  };
}

function partsOf(
  state: () => Omit<MonitoredServer, 'monitoring'>,
): Omit<MonitoringParts, 'connected' | 'find' | 'agentOf'> {
  async function* empty(): AsyncGenerator<Uint8Array> {}
  return {
    servers: { find: async () => state().record, list: async () => [state().record] },
    program: async () => state().program,
    image: 'builder:1',
    renewals: createRenewals(systemClock),
    outgoing: {
      async request({ body, headers }) {
        state().callback.bodies.push(JSON.parse(String(body)));
        state().callback.headers.push({ ...headers });
        return { status: state().callback.status, body: empty(), location: undefined };
      },
    },
    tell: async (fact) => void state().facts.push(fact),
    clock: systemClock,
    onFault: (error) => void state().faults.push(error),
  };
}
