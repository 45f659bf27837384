/**
 * Records that lego sets (go-acme/lego), which knows more than a hundred DNS providers. It has no command for
 * a record alone, so Berth is the authority that it talks to: lego sets the record, waits for it and asks for
 * the check, and removes it when that ends. The certificate is asked for by Berth itself.
 */
import { createPrivateKey } from 'node:crypto';
import { access, constants, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, sentenceOf } from '../../domain/errors.ts';
import type { Secret } from '../../domain/secrets/secret.ts';
import type { ChallengeProgram, ProgramChallenge } from '../../ports/certificates/challenge-program.ts';
import type { Gate, Outgoing } from '../../ports/outgoing.ts';
import { command, type Command } from '../../shell/command.ts';
import { startPiped, type PipedEnd } from '../../shell/piped.ts';
import { legoAuthority, type LegoAuthority } from './lego-authority.ts';

export interface LegoOptions {
  legoPath: string;
  scratch: string;
  outgoing: Pick<Outgoing, 'gate'>;
}

/** Milliseconds until the record is set and the name servers have it; providers have limits of their own. */
const setMs = 10 * 60_000;
/** Milliseconds for its removal. */
const removeMs = 120_000;
const stopMs = 10_000;
const keptOutput = 16 * 1024;
/** lego asks for an address although this authority sends nothing. */
const account = 'berth@localhost';

export function createLego({ legoPath, scratch, outgoing }: LegoOptions): ChallengeProgram {
  return {
    async set(challenge) {
      await requireInstalled(legoPath);
      await using made = new AsyncDisposableStack();
      const folder = await mkdtemp(join(scratch, 'lego-'));
      made.defer(() => rm(folder, { recursive: true, force: true }));
      const authority = made.use(await legoAuthority(challenge));
      const gate = made.use(await outgoing.gate(challenge.by));
      await writeKey(folder, authority, challenge.accountKey);
      const run = started(commandOf(legoPath, { folder, authority, gate, challenge }));
      made.defer(run.kill);
      await untilSet(run, authority, { gate, challenge });
      const kept = made.move();
      return {
        async remove() {
          await using _all = kept;
          authority.release();
          const end = await within(run.ended, removeMs);
          const [, why] = /cleaning up failed: *(.*)/.exec(run.said()) ?? [];
          if (end !== undefined && why === undefined) return;
          throw notRemoved(challenge, why ?? `it did not end within ${removeMs / 1000} seconds`);
        },
      };
    },
  };
}

async function requireInstalled(legoPath: string): Promise<void> {
  await access(legoPath, constants.X_OK).catch((cause: unknown) => {
    throw new AppError(
      'PRECONDITION_FAILED',
      `The program lego is not installed on the machine of Berth at ${legoPath}. Install it there (Debian: ` +
        'apt-get install lego), or let BERTH_LEGO name it.',
      { cause },
    );
  });
}

async function writeKey(folder: string, { host }: LegoAuthority, key: Secret): Promise<void> {
  const keys = join(folder, 'accounts', host.replace(':', '_'), account, 'keys');
  await mkdir(keys, { recursive: true, mode: 0o700 });
  const pem = createPrivateKey(key.reveal()).export({ type: 'sec1', format: 'pem' });
  await writeFile(join(keys, `${account}.key`), pem, { mode: 0o600 });
}

function commandOf(
  legoPath: string,
  of: { folder: string; authority: LegoAuthority; gate: Gate; challenge: ProgramChallenge },
): Command {
  const { provider, environment, awaitsNameServers, resolver, host } = of.challenge;
  return command(
    [
      legoPath,
      `--server=${of.authority.directoryUrl}`,
      `--path=${of.folder}`,
      `--email=${account}`,
      '--accept-tos',
      `--domains=${host}`,
      `--dns=${provider}`,
      ...(resolver === null ? [] : [`--dns.resolvers=${resolver}`]),
      ...(awaitsNameServers ? [] : ['--dns.disable-cp']),
      'run',
    ],
    {
      cwd: of.folder,
      env: { ...environment, HTTP_PROXY: of.gate.proxy, HTTPS_PROXY: of.gate.proxy },
    },
  );
}

interface Run {
  ended: Promise<PipedEnd>;
  said(): string;
  kill(): Promise<void>;
}

function started(command: Command): Run {
  const child = startPiped(command);
  child.stdin.end();
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-keptOutput);
  });
  let errors = '';
  child.ended.then(
    ({ stderr }) => void (errors = stderr),
    () => undefined,
  );
  return {
    ended: child.ended,
    said: () => `${output}\n${errors}`,
    async kill() {
      child.kill();
      await child.ended.catch(() => undefined);
    },
  };
}

/** Resolves when the program asks for the check; throws what it says when it ends before that. */
async function untilSet(
  run: Run,
  { asked, release }: LegoAuthority,
  { gate, challenge }: { gate: Gate; challenge: ProgramChallenge },
): Promise<void> {
  const { signal } = challenge;
  const stopped = Promise.withResolvers<'stopped'>();
  const stop = (): void => stopped.resolve('stopped');
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    const work = Promise.race([asked.then(() => 'set' as const), run.ended, stopped.promise]);
    const first = await within(work, setMs);
    if (first === 'set') return;
    // Whatever it has set by now goes again, if it comes to it in time.
    release();
    if (first === 'stopped' || first === undefined) await within(run.ended, stopMs);
    if (first === 'stopped') throw signal.reason;
    if (first === undefined) throw tooSlow(challenge);
    throw notSet(challenge, run.said(), gate.fault());
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Undefined: it took longer. */
async function within<T>(work: Promise<T>, limitMs: number): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), limitMs);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

const shownWords = 400;

function notSet({ provider, host }: ProgramChallenge, said: string, fault: AppError | undefined): AppError {
  const words = wordsOf(said);
  const missing = /unrecognized DNS provider/i.test(words)
    ? ` This lego has no provider of that name; "lego dnshelp" lists those that it has.`
    : '';
  const gate = fault ? ` ${sentenceOf(fault)}` : '';
  return new AppError(
    'PRECONDITION_FAILED',
    `lego did not set the TXT record of ${host} by its provider ${provider}: ${words}.${missing}${gate} ` +
      'Correct the variables with dnsProvider.update, and try it with dnsProvider.test.',
  );
}

function tooSlow({ provider, host }: ProgramChallenge): AppError {
  return new AppError(
    'SERVICE_UNAVAILABLE',
    `lego did not set the TXT record of ${host} by its provider ${provider} within ${setMs / 60_000} ` +
      'minutes, or the name servers of the zone do not have it. It is tried again automatically.',
  );
}

function notRemoved({ provider, host }: ProgramChallenge, why: string): AppError {
  return new AppError(
    'SERVICE_UNAVAILABLE',
    `lego could not remove the TXT record at _acme-challenge.${host} by its provider ${provider}: ${why}. ` +
      'Remove it by hand.',
  );
}

/** The last of what lego said, which has the reason, in one line of bounded length. */
function wordsOf(said: string): string {
  const lines = said
    .split('\n')
    .map((line) => line.replace(/^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d /, '').trim())
    .filter((line) => line !== '' && !/^\[INFO\]|^(Could not obtain|error: one or more)/.test(line));
  const [line = 'it said nothing'] = lines.slice(-1);
  const text = line.replaceAll(/[\s\p{Cc}]+/gu, ' ').replace(/\.$/, '');
  return text.length <= shownWords ? text : `${text.slice(0, shownWords)}…`;
}
