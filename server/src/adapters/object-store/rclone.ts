/**
 * Objects in a store that rclone reaches: a bucket of a cloud, a folder of an SFTP server. The keys go by the
 * child's environment (rclone's documentation, "Config file" → environment variables).
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { isIPv4 } from 'node:net';
import { join } from 'node:path';
import { AppError } from '../../domain/errors.ts';
import type { ObjectStore, RemotePlace as Bucket, StoredObject, StoreUse } from '../../ports/object-store.ts';
import type { Outgoing, OutgoingBy } from '../../ports/outgoing.ts';
import { command } from '../../shell/command.ts';
import type { Command } from '../../shell/command.ts';
import { startPiped } from '../../shell/piped.ts';
import type { PipedChild } from '../../shell/piped.ts';
import { rcloneError } from './rclone-error.ts';
import { drained } from '../../ports/drained.ts';
import { limitedBytes } from '../../domain/text/limited-bytes.ts';
import { listedObject, readListing } from './rclone-listing.ts';
import { redirectOf } from './ask-bucket.ts';
import { addressOf, knownHosts, remotes } from './remotes.ts';
import { storeLimits, trialLimits, watchOver, type StoreLimits, type Watch } from './store-limits.ts';

/**
 * Retries of a whole upload would need the whole input again; single requests are tried anew. Of a listing's
 * times the server's own are asked for: the others cost a request for each object.
 */
const options = [
  '--config=',
  '--quiet',
  '--retries=1',
  '--use-server-modtime',
  // Parts of a size that reaches 300 GB within the 10,000 parts that S3 takes, and two of them in rclone's
  // memory.
  '--s3-chunk-size=32Mi',
  '--s3-upload-concurrency=2',
  '--buffer-size=1Mi',
] as const;

const patience: Record<StoreUse, { options: readonly string[]; limits: StoreLimits }> = {
  backups: {
    options: ['--low-level-retries=3', '--contimeout=15s', '--timeout=120s'],
    limits: storeLimits,
  },
  trial: { options: ['--low-level-retries=1', '--contimeout=5s', '--timeout=20s'], limits: trialLimits },
};

/**
 * rclone carries a library for terminals that works out the width of every character at each start, half of a
 * start's processor time, unless told not to.
 */
const noTerminal = { TCELL_MINIMIZE: '1' } as const;

/** One call of a store: its programs go out through a gate of its own. */
interface Bench extends AsyncDisposable {
  bucket: Bucket;
  make(verb: string, ...words: string[]): Command;
  remote(path: string): string;
  /** Why the last connection was not made. */
  fault(): AppError | undefined;
  limits: StoreLimits;
  /** What the store refuses every call with, asked of it. */
  redirect(): Promise<AppError | undefined>;
}

interface BenchOptions {
  rclonePath: string;
  scratch: string;
  outgoing: Pick<Outgoing, 'judge' | 'gate' | 'request'>;
  by: OutgoingBy;
  use: StoreUse;
  limits?: Partial<StoreLimits>;
}

async function openBench(
  place: Bucket,
  { rclonePath, scratch, outgoing, by, use, limits: changed }: BenchOptions,
): Promise<Bench> {
  const limits = { ...patience[use].limits, ...changed };
  const { endpoint, folder, settings } = remotes[place.provider];
  const bucket = { ...place, endpoint: endpoint(place) };
  const redirect = async (): Promise<AppError | undefined> =>
    bucket.provider === 's3' ? redirectOf(bucket, { outgoing, by, limitMs: limits.ask }) : undefined;
  // Go's programs go past a proxy to loopback (net/http, ProxyFromEnvironment), and SFTP knows none, so the
  // address is judged here.
  const { host, port } = addressOf(bucket.endpoint);
  const { addresses } = await outgoing.judge(host, by, port);
  const refused = await redirect();
  if (refused) throw refused;
  const address = addresses.find(isIPv4) ?? addresses[0];
  const known = await knownHostsFile(scratch, knownHosts(address, port, bucket.hostKey ?? ''));
  const gate = await outgoing.gate(by);
  const own = settings(place, { address, knownHostsFile: known.file });
  const env = { ...environmentOf(own), HTTP_PROXY: gate.proxy, HTTPS_PROXY: gate.proxy };
  return {
    bucket,
    make: (verb, ...words) =>
      command([rclonePath, verb, ...options, ...patience[use].options, ...words], { cwd: scratch, env }),
    remote: (path) => `store:${[folder(place), place.path, path].filter((part) => part !== '').join('/')}`,
    fault: gate.fault,
    limits,
    redirect,
    async [Symbol.asyncDispose]() {
      await gate[Symbol.asyncDispose]();
      await known.remove();
    },
  };
}

async function knownHostsFile(
  scratch: string,
  lines: string,
): Promise<{ file: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(scratch, 'known-hosts-'));
  const file = join(folder, 'known_hosts');
  await writeFile(file, lines, { mode: 0o600 });
  return { file, remove: () => rm(folder, { recursive: true, force: true }) };
}

export function rcloneStore(bucket: Bucket, benchOptions: BenchOptions): ObjectStore {
  const at = async <T>(work: (bench: Bench) => Promise<T>): Promise<T> => {
    await using bench = await openBench(bucket, benchOptions);
    return await work(bench);
  };
  return {
    room: async () => undefined,
    write: (path, source, signal) =>
      at((bench) =>
        feed(bench, startPiped(bench.make('rcat', bench.remote(path))), source, signal).catch(
          async (error: unknown) => {
            await removeBeginning(bench, path);
            throw toError(error);
          },
        ),
      ),
    async *read(path, signal) {
      await using bench = await openBench(bucket, benchOptions);
      yield* read(bench, path, signal);
    },
    find: (path, signal) => at((bench) => find(bench, path, signal)),
    list: (path, signal) => at((bench) => list(bench, path, signal)),
    rename: (from, to, signal) =>
      at(async (bench) => {
        // rclone has nothing to say about a source that is not there.
        const object = await find(bench, from, signal);
        if (!object) throw absent(bench, from);
        await collect(bench, bench.make('moveto', bench.remote(from), bench.remote(to)), {
          signal,
          limitMs: bench.limits.rename + (object.bytes / 1_000_000) * bench.limits.renameMegabyte,
          doing: `${from} was being renamed`,
        });
      }),
    remove: (path, signal) =>
      at(async (bench) => {
        if (await find(bench, path, signal))
          await collect(bench, bench.make('deletefile', bench.remote(path)), {
            signal,
            limitMs: bench.limits.call,
            doing: `${path} was being removed`,
          });
      }),
  };
}

function environmentOf(settings: Command['env']): Command['env'] {
  const named = Object.entries(settings).map(([name, value]) => [`RCLONE_CONFIG_STORE_${name}`, value]);
  return { ...noTerminal, ...Object.fromEntries(named) };
}

/** Removes the beginning of an object whose source broke, which a server with folders keeps. */
async function removeBeginning(bench: Bench, path: string): Promise<void> {
  if (!remotes[bench.bucket.provider].hasFolders) return;
  const child = startPiped(bench.make('deletefile', bench.remote(path)));
  child.stdin.end();
  child.stdout.resume();
  const watch = watchOver(child, bench.bucket.endpoint);
  watch.expect(bench.limits.call, 'the beginning of an object was being removed');
  await child.ended.catch(() => undefined);
  watch.rest();
}

/**
 * Its input closed, rclone would finish the object with what it has; so it is killed when the source fails.
 */
async function feed(
  bench: Bench,
  child: PipedChild,
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  child.stdout.resume();
  const stop = onAbort(signal, child);
  const watch = watchOver(child, bench.bucket.endpoint);
  try {
    for await (const chunk of source) {
      signal.throwIfAborted();
      if (child.stdin.write(chunk)) continue;
      watch.expect(bench.limits.writeIdle, 'an object was being stored');
      // It has ended instead.
      if (!(await drained(child.stdin))) break;
      watch.rest();
    }
    signal.throwIfAborted();
  } catch (error) {
    child.kill();
    await child.ended.catch(() => undefined);
    throw error;
  } finally {
    watch.rest();
    stop();
  }
  child.stdin.end();
  const stopLast = onAbort(signal, child);
  watch.expect(bench.limits.finish, 'the end of an object was being stored');
  if (!(await succeed(bench, child, { signal, watch }).finally(stopLast))) throw absent(bench, 'to write to');
}

/**
 * rclone gives nothing, and says nothing, for an object that is not there, so that is asked first; a
 * connection cut in its middle shows in the length.
 */
async function* read(bench: Bench, path: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const object = await find(bench, path, signal);
  if (!object) throw absent(bench, path);
  const child = startPiped(bench.make('cat', bench.remote(path)));
  child.stdin.end();
  const stop = onAbort(signal, child);
  const watch = watchOver(child, bench.bucket.endpoint);
  const idle = (): void => watch.expect(bench.limits.readIdle, `${path} was being read`);
  let bytes = 0;
  try {
    idle();
    for await (const chunk of child.stdout) {
      // The reader may take its time; the store may not.
      watch.rest();
      const piece = asBytes(chunk);
      bytes += piece.length;
      yield piece;
      idle();
    }
    await succeed(bench, child, { signal, watch });
    if (bytes !== object.bytes)
      throw new AppError(
        'SERVICE_UNAVAILABLE',
        `The store returned ${bytes} of the ${object.bytes} bytes of ${path}. Try again.`,
      );
  } finally {
    watch.rest();
    stop();
    child.kill();
  }
}

function absent({ bucket }: Bench, path: string): AppError {
  const where = bucket.bucket === '' ? `at ${bucket.endpoint}` : `in the bucket ${bucket.bucket}`;
  return new AppError('NOT_FOUND', `There is no object ${path} ${where}.`);
}

async function find(bench: Bench, path: string, signal: AbortSignal): Promise<StoredObject | undefined> {
  const text = await collect(bench, bench.make('lsjson', '--stat', '--no-mimetype', bench.remote(path)), {
    signal,
    limitMs: bench.limits.call,
    doing: `${path} was being looked up`,
  });
  if (text === undefined) return undefined;
  const found = listedObject.parse(JSON.parse(text));
  // What is not there is told as a folder.
  return found.IsDir
    ? undefined
    : { path, bytes: found.Size, modifiedAt: new Date(found.ModTime).toISOString() };
}

async function list(bench: Bench, path: string, signal: AbortSignal): Promise<StoredObject[]> {
  signal.throwIfAborted();
  const child = startPiped(
    bench.make('lsjson', '--recursive', '--files-only', '--no-mimetype', bench.remote(path)),
  );
  child.stdin.end();
  const stop = onAbort(signal, child);
  const watch = watchOver(child, bench.bucket.endpoint);
  try {
    watch.expect(bench.limits.list, 'its objects were being listed');
    const objects = await readListing(child.stdout, path);
    await succeed(bench, child, { signal, watch });
    return objects;
  } finally {
    watch.rest();
    stop();
    child.kill();
  }
}

/** Bytes of an answer about one object. */
const answerLimit = 1024 * 1024;

interface Calling {
  signal: AbortSignal;
  limitMs: number;
  /** What it does, for the error: "x was being removed". */
  doing: string;
}

/** What it prints, when it ends well; undefined for a path that is absent from a server with folders. */
async function collect(
  bench: Bench,
  made: Command,
  { signal, limitMs, doing }: Calling,
): Promise<string | undefined> {
  signal.throwIfAborted();
  const child = startPiped(made);
  child.stdin.end();
  const stop = onAbort(signal, child);
  const watch = watchOver(child, bench.bucket.endpoint);
  try {
    watch.expect(limitMs, doing);
    const bytes = await limitedBytes(child.stdout.map(asBytes), answerLimit, 'The answer of the store');
    return (await succeed(bench, child, { signal, watch })) ? bytes.toString() : undefined;
  } finally {
    watch.rest();
    stop();
    child.kill();
  }
}

/** False for a path that is absent from a server with folders. */
async function succeed(
  { bucket, fault, redirect }: Bench,
  child: PipedChild,
  { signal, watch }: { signal: AbortSignal; watch: Watch },
): Promise<boolean> {
  const end = await child.ended.finally(watch.rest);
  signal.throwIfAborted();
  const late = watch.late();
  // A store that redirects only some of its calls keeps rclone waiting.
  if (late) throw (await redirect()) ?? late;
  if (absentCodes.includes(end.exitCode ?? 0) && remotes[bucket.provider].hasFolders) return false;
  if (end.exitCode !== 0) throw fault() ?? rcloneError(bucket, end);
  return true;
}

/** rclone's documentation, "List of exit codes": directory or file not found. */
const absentCodes = [3, 4];

function onAbort(signal: AbortSignal, child: PipedChild): () => void {
  const kill = (): void => child.kill();
  signal.addEventListener('abort', kill, { once: true });
  if (signal.aborted) kill();
  return () => signal.removeEventListener('abort', kill);
}

const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

function asBytes(chunk: unknown): Uint8Array {
  return chunk instanceof Uint8Array ? chunk : Buffer.from(String(chunk));
}
