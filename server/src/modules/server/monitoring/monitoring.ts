/** Monitoring of servers: set up, read, and its thresholds told to the callback (decisions 15). */
import { AppError } from '../../../domain/errors.ts';
import type { Fact, TellFact } from '../../../domain/states/fact.ts';
import { Secret } from '../../../domain/secrets/secret.ts';
import type { Passing } from '../../../domain/resources/metrics.ts';
import type { TableRecord } from '../../../db/tables.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Host } from '../../../ports/host/host.ts';
import type { AgentProgram, CollectorSettings, MonitoringAgent } from '../../../ports/metrics.ts';
import type { Outgoing } from '../../../ports/outgoing.ts';
import type { ServerShell } from '../../../ports/host/server-shell.ts';
import type { Begun, Renewals } from '../../platform-service/platform-service.ts';
import { passingSentence, tellCallback } from './callback.ts';
import {
  agentServiceName,
  installAgent,
  installationDigest,
  putAgentBack,
  tidyAgent,
  type Installation,
} from './installation.ts';
import { waitUntilSo } from '../../../ports/wait-until.ts';

type ServerRecord = TableRecord<'server'>;
type Monitored = ServerRecord & {
  metricsConfig: NonNullable<ServerRecord['metricsConfig']>;
  metricsToken: string;
};

export interface MonitoringParts {
  servers: {
    find(where: { serverId: string }): Promise<ServerRecord | undefined>;
    list(where: object): Promise<ServerRecord[]>;
  };
  connected(serverId: string): Promise<{ host: Host; shell: ServerShell }>;
  /** Undefined for a server that is not connected. */
  find(serverId: string): Promise<Host | undefined>;
  agentOf(address: { socketPath: string; serverName: string; token: Secret }): MonitoringAgent;
  program(): Promise<AgentProgram>;
  image: string;
  renewals: Renewals;
  outgoing: Pick<Outgoing, 'request'>;
  tell: TellFact;
  clock: Clock;
  /** Writes what could not be told, or renewed, to Berth's own log. */
  onFault(error: unknown, serverId: string): void;
}

export interface ServerMonitoring {
  /** Lays the agent out as the record has it, and waits until it answers. */
  setUp(server: ServerRecord): Promise<void>;
  /** The same for a server whose swarm is another one now; nothing without monitoring. */
  setUpAgain(serverId: string): Promise<void>;
  /**
   * The agent of a server, with the token of its record unless given one. PRECONDITION_FAILED for a server
   * without monitoring.
   */
  agentOf(server: ServerRecord, token?: Secret): Promise<MonitoringAgent>;
  /**
   * Looks at every server with monitoring: tells what passed its threshold, and renews an agent of another
   * version than this Berth's.
   */
  look(): Promise<void>;
}

const setUpLimitMs = 12 * 60_000;
const answerLimitMs = 60_000;
const pauseMs = 500;
/** A callback that does not take it for so long is told no more of it. */
const toldWithinMs = 3_600_000;

export function createServerMonitoring(parts: MonitoringParts): ServerMonitoring {
  const looking = new Set<string>();
  return {
    setUp: (server) => setUp(parts, monitored(server)),
    async setUpAgain(serverId) {
      const server = await whenSetUp(parts, serverId);
      if (server?.metricsConfig) await setUp(parts, monitored(server));
    },
    async agentOf(server, token) {
      const { metricsToken, name, serverId } = monitored(server);
      const { host } = await parts.connected(serverId);
      return agentOn(parts, host, {
        serverName: `the server ${name}`,
        token: token ?? new Secret(metricsToken),
      });
    },
    async look() {
      const servers = (await parts.servers.list({})).filter(isMonitored);
      // One that hangs holds up nobody else's, nor its own next look.
      const ready = servers.filter(({ serverId }) => !looking.has(serverId));
      for (const server of ready) {
        looking.add(server.serverId);
        void lookAt(parts, server)
          .catch((error: unknown) => parts.onFault(error, server.serverId))
          .finally(() => looking.delete(server.serverId));
      }
    },
  };
}

const isMonitored = (server: ServerRecord): server is Monitored =>
  server.metricsConfig !== null && server.metricsToken !== null;

/** The server once no set-up of it is under way: one that left a cluster gets its own swarm by one. */
async function whenSetUp(
  { servers, clock }: Pick<MonitoringParts, 'servers' | 'clock'>,
  serverId: string,
): Promise<ServerRecord | undefined> {
  let server: ServerRecord | undefined;
  const isOver = async (): Promise<boolean> => {
    server = await servers.find({ serverId });
    return server?.setupStatus !== 'running';
  };
  await waitUntilSo(isOver, { everyMs: pauseMs, limitMs: setUpLimitMs, clock });
  return server;
}

function monitored(server: ServerRecord): Monitored {
  if (isMonitored(server)) return server;
  throw new AppError(
    'PRECONDITION_FAILED',
    `The server ${server.name} has no monitoring. Set it up with server.setupMonitoring.`,
  );
}

function agentOn(
  { agentOf }: Pick<MonitoringParts, 'agentOf'>,
  { agent, name }: Host,
  { serverName, token }: { serverName: string; token: Secret },
): MonitoringAgent {
  if (agent === undefined)
    throw new AppError('PRECONDITION_FAILED', `No monitoring agent can run on ${name}.`);
  return agentOf({ socketPath: agent.socket, serverName, token });
}

async function installationOf(parts: MonitoringParts, server: Monitored): Promise<Installation> {
  const signal = AbortSignal.timeout(setUpLimitMs);
  return {
    ...(await parts.connected(server.serverId)),
    isNode: server.clusterServerId !== null,
    program: await parts.program(),
    settings: settingsOf(server),
    token: new Secret(server.metricsToken),
    image: parts.image,
    signal,
  };
}

async function setUp(parts: MonitoringParts, server: Monitored): Promise<void> {
  const installation = await installationOf(parts, server);
  await installAgent(installation);
  await untilItAnswers(parts, server, installation);
  await tidyAgent(installation);
}

async function untilItAnswers(
  parts: MonitoringParts,
  { name }: Monitored,
  installation: Installation,
): Promise<void> {
  const digest = installationDigest(installation);
  const { token, host } = installation;
  const agent = agentOn(parts, host, { serverName: `the server ${name}`, token });
  let seen: unknown;
  const answers = async (): Promise<boolean> => {
    seen = await agent.digest().catch((error: unknown) => error);
    return seen === digest;
  };
  if (await waitUntilSo(answers, { everyMs: pauseMs, limitMs: answerLimitMs, clock: parts.clock })) return;
  throw new AppError(
    'SERVICE_UNAVAILABLE',
    `The monitoring agent of ${host.name} was started and does not answer within ` +
      `${answerLimitMs / 1000} s. "docker service ps berth-monitoring" and "docker service logs ` +
      'berth-monitoring" there show why.',
    { cause: seen },
  );
}

/** With the way back: an agent that does not answer gives its place to the one before it. */
async function renew(parts: MonitoringParts, server: Monitored): Promise<void> {
  const installation = await installationOf(parts, server);
  const begin = async (): Promise<Begun<true>> => {
    await installAgent(installation);
    const outcome = outcomeOf(parts, server, installation);
    void outcome
      .catch((error: unknown) => error)
      .then((error) => error !== undefined && parts.onFault(error, server.serverId));
    return { result: true, outcome };
  };
  // The next look asks again, in its turn.
  await parts.renewals.take(`berth-monitoring ${installation.program.digest}`, begin);
}

async function outcomeOf(
  parts: MonitoringParts,
  server: Monitored,
  installation: Installation,
): Promise<AppError | undefined> {
  const { host } = installation;
  try {
    await untilItAnswers(parts, server, installation);
  } catch (cause) {
    // Of a server that cannot be reached nothing is concluded.
    if (host.whySilent?.() !== undefined) throw cause;
    await putAgentBack(installation);
    return new AppError(
      'SERVICE_UNAVAILABLE',
      `The monitoring agent of this version of Berth did not answer on ${host.name}; the former one runs ` +
        'again, and other servers keep theirs. Berth tries again in an hour, or when it is started again.',
      { cause },
    );
  }
  await tidyAgent(installation);
  return undefined;
}

function settingsOf({ metricsConfig: { server, containers } }: Monitored): CollectorSettings {
  return {
    refreshMs: server.refreshRate * 1000,
    containersRefreshMs: containers.refreshRate * 1000,
    retentionDays: server.retentionDays,
    cleanUpAt: server.cronJob,
    thresholds: server.thresholds,
    include: containers.services.include,
    exclude: containers.services.exclude,
  };
}

/** Of a server that cannot be reached nothing is concluded; its agent keeps what is to be told. */
async function lookAt(parts: MonitoringParts, server: Monitored): Promise<void> {
  const host = await parts.find(server.serverId).catch(() => undefined);
  if (host?.agent === undefined || host.whySilent?.() !== undefined) return;
  const serverName = `the server ${server.name}`;
  const token = new Secret(server.metricsToken);
  const agent = agentOn(parts, host, { serverName, token });
  const program = await parts.program();
  const digest = await agent.digest().catch(() => undefined);
  // One that runs and is another: this Berth is newer, or its own set-up was broken off.
  const isAnother = digest !== installationDigest({ program, settings: settingsOf(server), token });
  if (digest === undefined ? await isBrokenOff(host, server) : isAnother) await renew(parts, server);
  if (digest === undefined) return;
  for (const passing of await agent.passings()) {
    const isOld = parts.clock.now() - passing.at > toldWithinMs;
    if (!isOld) await tellCallback(parts, server, passing);
    await parts.tell(factOf(server, passing));
    await agent.told(passing.passing);
  }
}

/** A node's silent agent whose renewal a crash left half done; elsewhere the engine goes on by itself. */
const isBrokenOff = async ({ standing }: Host, { clusterServerId }: Monitored): Promise<boolean> =>
  clusterServerId !== null && (await standing.isUnsettled(agentServiceName));

function factOf({ organizationId, serverId, name }: Monitored, passing: Passing): Fact {
  return {
    event: 'thresholdPassed',
    organizationId,
    subject: { type: 'server', id: serverId, name },
    sentence: passingSentence(name, passing),
  };
}
