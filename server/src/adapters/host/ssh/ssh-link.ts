/**
 * The one connection to a server: made when it is needed, kept, and made again after a pause that grows while
 * it fails. Meanwhile whoever asks is told why at once.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '../../../domain/errors.ts';
import { connectSsh, type SshClient, type SshTarget } from './ssh-client.ts';
import { SshFault } from './ssh-fault.ts';

export interface LinkOptions {
  /** Read anew for each connection; throws an AppError when there is none to be had. */
  target(): Promise<SshTarget>;
  /** Done on each new connection before anybody has it. */
  prepare(client: SshClient): Promise<void>;
  /** Whether a connection that is there still answers; throws when it does not. */
  check?: (client: SshClient) => Promise<unknown>;
  /** Milliseconds that `reachable` waits. */
  waitMs(): Promise<number>;
  connect?: (target: SshTarget) => Promise<SshClient>;
}

export interface SshLink {
  /** Throws AppError: SshFault, or why the server's address may not be connected to. */
  client(): Promise<SshClient>;
  /** Why there is no connection; undefined while there is one, or none was asked for. */
  fault(): AppError | undefined;
  /** Ends the connection; the next one is made at once, by the record as it is then. */
  reset(): void;
  /** Waits until there is a connection. Throws what does not mend by itself, at the end the last fault. */
  reachable(waiting: Waiting): Promise<void>;
}

export interface Waiting {
  signal: AbortSignal;
  /** Told once, when there is something to wait for. */
  onWait(fault: AppError, limitMs: number): void;
}

const firstPauseMs = 1000;
const longestPauseMs = 30_000;
const lookMs = 1000;

export function createSshLink({ connect = connectSsh, ...options }: LinkOptions): SshLink {
  const { target, prepare, waitMs, check } = options;
  const answering = async (): Promise<void> => {
    const present = await client();
    await check?.(present);
  };
  const outage = createOutage();
  let present: SshClient | undefined;
  let coming: Promise<SshClient> | undefined;
  let generation = 0;

  /** Tried again at once when it is cut: often it is there again. */
  function lost(former: SshClient, reason: AppError): void {
    if (present !== former) return;
    present = undefined;
    outage.begin(reason);
  }
  async function open(mine: number): Promise<SshClient> {
    try {
      const made = await connect(await target());
      void made.ended.then((reason) => lost(made, reason));
      try {
        await prepare(made);
        if (mine !== generation)
          throw new AppError('SERVICE_UNAVAILABLE', 'The record of the server was changed; try again.');
      } catch (error) {
        made.end();
        throw error;
      }
      present = made;
      outage.end();
      return made;
    } catch (error) {
      if (mine === generation) outage.failed(asFault(error));
      throw error;
    }
  }
  async function client(): Promise<SshClient> {
    if (present) return present;
    if (coming) return coming;
    outage.refuseTooSoon();
    const opening = open(generation).finally(() => {
      if (coming === opening) coming = undefined;
    });
    coming = opening;
    return opening;
  }
  return {
    client,
    fault: () => (present ? undefined : outage.fault()),
    reset() {
      generation += 1;
      const former = present;
      present = undefined;
      coming = undefined;
      outage.end();
      former?.end();
    },
    reachable: async (waiting) => awaitAnswer(answering, await waitMs(), waiting),
  };
}

/** Since when there is no connection, why, and when the next one is tried. */
function createOutage() {
  let reason: AppError | undefined;
  let since: Date | undefined;
  let failures = 0;
  let nextAt = 0;
  const fault = (): AppError | undefined => reason && sinceWhen(reason, since);
  return {
    fault,
    begin(why: AppError): void {
      [reason, since, nextAt] = [why, new Date(), 0];
    },
    failed(why: AppError): void {
      reason = why;
      since ??= new Date();
      nextAt = Date.now() + Math.min(firstPauseMs * 2 ** failures, longestPauseMs);
      failures += 1;
    },
    end(): void {
      [reason, since, failures, nextAt] = [undefined, undefined, 0, 0];
    },
    refuseTooSoon(): void {
      const present = fault();
      if (present && Date.now() < nextAt) throw present;
    },
  };
}

async function awaitAnswer(
  answering: () => Promise<void>,
  limitMs: number,
  { signal, onWait }: Waiting,
): Promise<void> {
  const end = Date.now() + limitMs;
  for (let isTold = false; ; isTold = true) {
    signal.throwIfAborted();
    try {
      await answering();
      return;
    } catch (error) {
      const reason = asFault(error);
      if (!mends(reason) || Date.now() >= end) throw reason;
      if (!isTold) onWait(reason, limitMs);
      await pause(lookMs, undefined, { signal });
    }
  }
}

function asFault(error: unknown): AppError {
  return error instanceof AppError
    ? error
    : new SshFault(error instanceof Error ? error.message : String(error), { mends: true, cause: error });
}

function mends(fault: AppError): boolean {
  return fault instanceof SshFault ? fault.mends : fault.code === 'SERVICE_UNAVAILABLE';
}

function sinceWhen(fault: AppError, since: Date | undefined): AppError {
  if (!(fault instanceof SshFault) || !fault.mends || since === undefined) return fault;
  return new SshFault(`${fault.message} (Unreachable since ${since.toISOString()}.)`, {
    mends: true,
    cause: fault,
  });
}
