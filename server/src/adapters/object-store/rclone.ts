/**
 * Objects in a bucket of an S3 service, through rclone. The keys go by the child's environment (rclone's
 * documentation, "Config file" → environment variables).
 */
import { AppError } from '../../domain/errors.ts';
import type { ObjectStore, StorePlace, StoredObject } from '../../ports/object-store.ts';
import type { Outgoing, OutgoingBy } from '../../ports/outgoing.ts';
import { command } from '../../shell/command.ts';
import type { Command } from '../../shell/command.ts';
import { startPiped } from '../../shell/piped.ts';
import type { PipedChild } from '../../shell/piped.ts';
import { rcloneError } from './rclone-error.ts';
import { drained } from '../../ports/drained.ts';
import { limitedBytes } from '../../domain/text/limited-bytes.ts';
import { listedObject, readListing } from './rclone-listing.ts';

type Bucket = Extract<StorePlace, { provider: 's3' }>;

/**
 * Retries of a whole upload would need the whole input again; single requests are tried anew. Of a listing's
 * times the server's own are asked for: the others cost a request for each object.
 */
const options = [
  '--config=',
  '--quiet',
  '--retries=1',
  '--low-level-retries=3',
  '--contimeout=15s',
  '--timeout=120s',
  '--use-server-modtime',
  // Parts of a size that reaches 300 GB within the 10,000 parts that S3 takes, and two of them in rclone's
  // memory.
  '--s3-chunk-size=32Mi',
  '--s3-upload-concurrency=2',
  '--buffer-size=1Mi',
] as const;

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
}

interface BenchOptions {
  rclonePath: string;
  scratch: string;
  outgoing: Pick<Outgoing, 'judge' | 'gate'>;
  by: OutgoingBy;
}

async function openBench(
  bucket: Bucket,
  { rclonePath, scratch, outgoing, by }: BenchOptions,
): Promise<Bench> {
  // Go's programs go past a proxy to loopback (net/http, ProxyFromEnvironment), so that is judged here.
  await outgoing.judge(new URL(bucket.endpoint).hostname, by);
  const gate = await outgoing.gate(by);
  const env = { ...environmentOf(bucket), HTTP_PROXY: gate.proxy, HTTPS_PROXY: gate.proxy };
  return {
    bucket,
    make: (verb, ...words) => command([rclonePath, verb, ...options, ...words], { cwd: scratch, env }),
    remote: (path) => `store:${[bucket.bucket, bucket.path, path].filter((part) => part !== '').join('/')}`,
    fault: gate.fault,
    [Symbol.asyncDispose]: () => gate[Symbol.asyncDispose](),
  };
}

export function rcloneStore(bucket: Bucket, benchOptions: BenchOptions): ObjectStore {
  const at = async <T>(work: (bench: Bench) => Promise<T>): Promise<T> => {
    await using bench = await openBench(bucket, benchOptions);
    return await work(bench);
  };
  return {
    room: async () => undefined,
    write: (path, source, signal) =>
      at((bench) => feed(bench, startPiped(bench.make('rcat', bench.remote(path))), source, signal)),
    async *read(path, signal) {
      await using bench = await openBench(bucket, benchOptions);
      yield* read(bench, path, signal);
    },
    find: (path, signal) => at((bench) => find(bench, path, signal)),
    list: (path, signal) => at((bench) => list(bench, path, signal)),
    rename: (from, to, signal) =>
      at(async (bench) => {
        // rclone has nothing to say about a source that is not there.
        if (!(await find(bench, from, signal))) throw absent(bench, from);
        await collect(bench, bench.make('moveto', bench.remote(from), bench.remote(to)), signal);
      }),
    remove: (path, signal) =>
      at(async (bench) => {
        if (await find(bench, path, signal))
          await collect(bench, bench.make('deletefile', bench.remote(path)), signal);
      }),
  };
}

function environmentOf({ accessKey, secretAccessKey, region, endpoint }: Bucket): Command['env'] {
  const of = (name: string): string => `RCLONE_CONFIG_STORE_${name}`;
  return {
    ...noTerminal,
    [of('TYPE')]: 's3',
    [of('PROVIDER')]: 'Other',
    [of('ACCESS_KEY_ID')]: accessKey,
    [of('SECRET_ACCESS_KEY')]: secretAccessKey,
    [of('ENDPOINT')]: endpoint,
    ...(region === '' ? {} : { [of('REGION')]: region }),
    [of('ENV_AUTH')]: 'false',
    [of('NO_CHECK_BUCKET')]: 'true',
    [of('FORCE_PATH_STYLE')]: 'true',
  };
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
  try {
    for await (const chunk of source) {
      signal.throwIfAborted();
      if (child.stdin.write(chunk)) continue;
      // It has ended instead.
      if (!(await drained(child.stdin))) break;
    }
    signal.throwIfAborted();
  } catch (error) {
    child.kill();
    await child.ended.catch(() => undefined);
    throw error;
  } finally {
    stop();
  }
  child.stdin.end();
  await succeed(bench, child, signal);
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
  let bytes = 0;
  try {
    for await (const chunk of child.stdout) {
      const piece = asBytes(chunk);
      bytes += piece.length;
      yield piece;
    }
    await succeed(bench, child, signal);
    if (bytes !== object.bytes)
      throw new AppError(
        'SERVICE_UNAVAILABLE',
        `The store returned ${bytes} of the ${object.bytes} bytes of ${path}. Try again.`,
      );
  } finally {
    stop();
    child.kill();
  }
}

function absent({ bucket }: Bench, path: string): AppError {
  return new AppError('NOT_FOUND', `There is no object ${path} in the bucket ${bucket.bucket}.`);
}

async function find(bench: Bench, path: string, signal: AbortSignal): Promise<StoredObject | undefined> {
  const text = await collect(
    bench,
    bench.make('lsjson', '--stat', '--no-mimetype', bench.remote(path)),
    signal,
  );
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
  try {
    const objects = await readListing(child.stdout, path);
    await succeed(bench, child, signal);
    return objects;
  } finally {
    stop();
    child.kill();
  }
}

/** Bytes of an answer about one object. */
const answerLimit = 1024 * 1024;

/** What it prints, when it ends well. */
async function collect(bench: Bench, made: Command, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  const child = startPiped(made);
  child.stdin.end();
  const stop = onAbort(signal, child);
  try {
    const bytes = await limitedBytes(child.stdout.map(asBytes), answerLimit, 'The answer of the store');
    await succeed(bench, child, signal);
    return bytes.toString();
  } finally {
    stop();
    child.kill();
  }
}

async function succeed({ bucket, fault }: Bench, child: PipedChild, signal: AbortSignal): Promise<void> {
  const end = await child.ended;
  signal.throwIfAborted();
  if (end.exitCode !== 0) throw fault() ?? rcloneError(bucket, end);
}

function onAbort(signal: AbortSignal, child: PipedChild): () => void {
  const kill = (): void => child.kill();
  signal.addEventListener('abort', kill, { once: true });
  if (signal.aborted) kill();
  return () => signal.removeEventListener('abort', kill);
}

function asBytes(chunk: unknown): Uint8Array {
  return chunk instanceof Uint8Array ? chunk : Buffer.from(String(chunk));
}
