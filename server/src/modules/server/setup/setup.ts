/** The set-up of a server as a durable job: accepted at once, its stages one after another, with a log. */
import { setTimeout as pause } from 'node:timers/promises';
import { AppError, sentenceOf } from '../../../domain/errors.ts';
import { oneLine } from '../../../domain/text/words.ts';
import type { TableRecord } from '../../../db/tables.ts';
import type { DeploymentLogs, LoggedLine, LogWriter } from '../../../ports/deployment-log.ts';
import type { Queue } from '../../../ports/queue.ts';
import type { SetupContext, Stage } from './stage.ts';
import { setupStages, stages, type SetupStage } from './stages.ts';

type ServerRecord = TableRecord<'server'>;

/** Kind of its jobs in the queue. */
export const serverSetupJob = 'serverSetup';

export interface SetupParts {
  servers: {
    find(where: { serverId: string }): Promise<ServerRecord | undefined>;
    update(where: { serverId: string }, patch: Partial<ServerRecord>): Promise<unknown>;
  };
  queue: Queue;
  logs: DeploymentLogs;
  /** What the stages work with; throws when the server cannot be reached. */
  contextOf(
    server: ServerRecord,
    more: Pick<SetupContext, 'signal' | 'say'>,
  ): Promise<Omit<SetupContext, 'facts'>>;
  /** Writes an unexpected failure to Berth's own log and gives the id it stands under. */
  onFault(error: unknown, serverId: string): string;
  stages?: Readonly<Record<SetupStage, Stage>>;
}

export interface ServerSetup {
  /** Within the caller's transaction; `wake` the queue after. One that is under way is given as it is. */
  accept(server: ServerRecord): Promise<ServerRecord>;
  wake(): void;
  /** Of a server whose record was removed: ends what is under way, and removes its log. */
  forget(serverId: string): Promise<void>;
  /** Handler of the queue's jobs; never throws for what went wrong inside. */
  run(job: Pick<TableRecord<'job'>, 'payload' | 'attempts'>, signal: AbortSignal): Promise<void>;
  /** Lines of the last set-up from a position on; with `live` as they come, until it is over. */
  follow(
    server: Pick<ServerRecord, 'serverId'>,
    options: { from: number; signal: AbortSignal; live: boolean },
  ): AsyncIterable<LoggedLine>;
}

/** So often may Berth end in the middle: each attempt goes on where the server is. */
const attemptsLimit = 20;
const limitMs = 60 * 60_000;
const longestError = 2000;

const logOf = (serverId: string): string => `server-${serverId}`;

export function createServerSetup(parts: SetupParts): ServerSetup {
  const { servers, queue, logs } = parts;
  const underWay = new Map<string, AbortController>();
  return {
    wake: queue.wake,
    async forget(serverId) {
      underWay.get(serverId)?.abort(new AppError('NOT_FOUND', 'The record of the server was removed.'));
      if (!underWay.has(serverId)) await logs.remove(logOf(serverId));
    },
    async accept(server) {
      const { serverId, name, sshKeyId, setupStatus } = server;
      if (sshKeyId === null)
        throw new AppError(
          'PRECONDITION_FAILED',
          `The server ${name} has no SSH key. Give it one with server.update, and put its public key ` +
            `into the user's authorized_keys.`,
        );
      if (setupStatus === 'running') return server;
      const state = { setupStatus: 'running', setupStage: null, setupError: null } as const;
      await servers.update({ serverId }, state);
      await logs.remove(logOf(serverId));
      const serviceKey = `server:${serverId}`;
      await queue.enqueue({ kind: serverSetupJob, payload: { serverId }, serviceKey, serverKey: serverId });
      return { ...server, ...state };
    },
    async run(job, signal) {
      const server = await servers.find({ serverId: job.payload['serverId'] ?? '' });
      if (server?.setupStatus !== 'running') return;
      const { serverId } = server;
      const removed = new AbortController();
      underWay.set(serverId, removed);
      const log = logs.writer(logOf(serverId), (text) => text);
      try {
        const either = AbortSignal.any([signal, removed.signal]);
        await attempt(parts, { server, attempts: job.attempts, signal: either, log });
      } finally {
        await log.close();
        underWay.delete(serverId);
        if (removed.signal.aborted) await logs.remove(logOf(serverId));
      }
    },
    follow: ({ serverId }, { live, ...options }) =>
      logs.follow(logOf(serverId), {
        ...options,
        isFinished: async () => !live || (await servers.find({ serverId }))?.setupStatus !== 'running',
      }),
  };
}

const cutsLimit = 3;
const pauseMs = 1000;

/** A stage that something out of reach ended begins again once the server answers; each looks first. */
async function again(stage: Stage, context: SetupContext): Promise<string[]> {
  const { host, signal, say } = context;
  for (let cuts = 0; ; cuts += 1) {
    try {
      return await stage(context);
    } catch (error) {
      const isCut = error instanceof AppError && error.code === 'SERVICE_UNAVAILABLE' && cuts < cutsLimit;
      if (!isCut || signal.aborted) throw error;
      say(`${error.message} Once more, as soon as it answers.`);
      await pause(pauseMs, undefined, { signal });
      await host.reachable?.({ signal, onWait: () => undefined });
    }
  }
}

interface Attempt {
  server: ServerRecord;
  attempts: number;
  signal: AbortSignal;
  log: LogWriter;
}

async function attempt(parts: SetupParts, { server, attempts, signal, log }: Attempt): Promise<void> {
  const { servers, onFault } = parts;
  const { serverId } = server;
  const finish = async (state: Partial<ServerRecord>): Promise<void> => {
    // The log is whole before anybody hears of the end.
    await log.close();
    await servers.update({ serverId }, state);
  };
  try {
    if (attempts > attemptsLimit)
      throw new AppError(
        'PRECONDITION_FAILED',
        `Berth was restarted ${attemptsLimit} times during this set-up. Start it again when Berth is stable.`,
      );
    if (attempts > 1) log.line(`Berth was restarted; continuing (attempt ${attempts}).`);
    const changes = await runStages(parts, { server, signal, log });
    for (const change of changes) log.line(`Changed: ${change}.`);
    log.line(lastLine(changes, attempts));
    await finish({ status: 'active', setupStatus: 'done', setupError: null });
  } catch (error) {
    if (signal.aborted) return log.line(`Interrupted: ${sentenceOf(signal.reason)}`);
    const told =
      error instanceof AppError
        ? error.message
        : `Something went wrong inside Berth (${onFault(error, serverId)}); its log has it under this id.`;
    log.line(`Failed: ${told}`);
    await finish({ setupStatus: 'error', setupError: told.slice(0, longestError) });
  }
}

/** What an attempt that was broken off changed is not known any more. */
function lastLine(changes: readonly string[], attempts: number): string {
  if (changes.length > 0) return 'Done.';
  return attempts > 1
    ? 'Done. After the restart nothing was missing any more.'
    : 'Done. Everything was already there; nothing was changed.';
}

/** Gives what was changed. */
async function runStages(
  { servers, contextOf, stages: table = stages }: SetupParts,
  { server, signal, log }: Pick<Attempt, 'server' | 'signal' | 'log'>,
): Promise<string[]> {
  const { serverId } = server;
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
  const say = (text: string): void => log.line(`   ${oneLine(text, 1000)}`);
  await servers.update({ serverId }, { setupStage: 'connect' });
  const context: SetupContext = {
    ...(await contextOf(server, { signal: bounded, say })),
    facts: { hasApt: false, hasSystemd: false },
  };
  const changes: string[] = [];
  for (const name of setupStages) {
    bounded.throwIfAborted();
    log.line(`── ${name}`);
    await servers.update({ serverId }, { setupStage: name });
    changes.push(...(await again(table[name], context)));
  }
  return changes;
}
