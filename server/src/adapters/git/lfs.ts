/**
 * Files of Git LFS, fetched by Berth itself (git-lfs, docs/api/batch.md): the git-lfs program would connect
 * to whatever address a repository or a server names, past the judgement of outgoing connections.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, copyFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { AppError, sentenceOf } from '../../domain/errors.ts';
import { parseGitUrl, type GitUrl } from '../../domain/git/git-source.ts';
import type { Outgoing, OutgoingAnswer, OutgoingBy } from '../../ports/outgoing.ts';
import { endUnread } from '../../ports/outgoing.ts';
import { CheckoutPath } from '../files/checkout-path.ts';
import type { GitRun } from '../../ports/git.ts';
import type { Call } from './call.ts';
import type { GitAccess } from './environment.ts';
import { lfsFiles, type LfsFile } from './lfs-files.ts';

export interface LfsDeps {
  call: Call;
  directory: string;
  /** Where the source comes from; its host alone is given `credentials`. */
  source: GitUrl;
  credentials: GitAccess['credentials'];
  outgoing: Pick<Outgoing, 'request'>;
  by: OutgoingBy;
  git: Pick<GitRun, 'signal' | 'onLine'>;
  /** As `performance.now()` counts. */
  deadline: number;
}

/**
 * Replaces the pointers of the repository and of its submodules with their files. Throws PRECONDITION_FAILED
 * naming the files that cannot be had, SERVICE_UNAVAILABLE for a server that does not answer.
 */
export async function fetchLfs(deps: LfsDeps, submodules: readonly string[]): Promise<void> {
  for (const folder of ['', ...submodules]) {
    const files = await lfsFiles(deps.directory, folder, deps.call);
    if (files.length === 0) continue;
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    deps.git.onLine(`Fetching ${namesOf(files)}, kept with Git LFS (${megabytes(bytes)}).`);
    const source = folder === '' ? deps.source : await sourceOfSubmodule(deps, folder);
    if (source?.protocol === 'file') await copyObjects(source.url, files, deps);
    else await download(await endpointOf(deps, folder, source), files, deps);
  }
}

async function sourceOfSubmodule({ call }: LfsDeps, folder: string): Promise<GitUrl | undefined> {
  const { stdout } = await call(['-C', folder, 'config', '--get', 'remote.origin.url'], { quick: true });
  return stdout.trim() === '' ? undefined : parseGitUrl(stdout.trim(), 'url');
}

/** The folder of an LFS server, by `.lfsconfig` or beside the repository (docs/api/server-discovery.md). */
async function endpointOf(
  { call, directory, source: top }: LfsDeps,
  folder: string,
  source: GitUrl | undefined,
): Promise<URL> {
  const file = await CheckoutPath.resolve(directory, `${folder}/.lfsconfig`, { field: '.lfsconfig' });
  const named =
    file && (await call(['config', '--file', file.path, '--get', 'lfs.url'], { quick: true })).stdout.trim();
  const text = named || lfsBeside(source);
  const { url, protocol } = parseGitUrl(text, 'lfs.url in .lfsconfig');
  if (!isAllowed(protocol, top))
    throw new AppError(
      'PRECONDITION_FAILED',
      `The address ${url} of the repository's Git LFS server is not allowed: it has to be https, or http ` +
        'if the source is.',
    );
  return new URL(url.endsWith('/') ? url : `${url}/`);
}

function lfsBeside(source: GitUrl | undefined): string {
  if (source === undefined || source.protocol === 'file') return '';
  const beside = (base: string): string => `${base.replace(/\/$/, '').replace(/\.git$/, '')}.git/info/lfs`;
  if (source.protocol !== 'ssh') return beside(source.url);
  const path = /^ssh:\/\//i.test(source.url)
    ? source.url.replace(/^ssh:\/\/[^/]*\//i, '')
    : source.url.replace(/^[^:]*:\/?/, '');
  return beside(`https://${source.host.replace(/:\d+$/, '')}/${path}`);
}

const isAllowed = (protocol: string, source: GitUrl): boolean =>
  protocol === 'https' || (protocol === 'http' && source.protocol === 'http');

const batchSize = 100;
const longestAnswer = 4 * 1024 * 1024;
const mediaType = 'application/vnd.git-lfs+json';

const answerShape = z.object({
  objects: z.array(
    z.object({
      oid: z.string(),
      error: z.object({ code: z.number(), message: z.string().optional() }).optional(),
      actions: z
        .object({
          download: z
            .object({ href: z.string().max(16_384), header: z.record(z.string(), z.string()).optional() })
            .optional(),
        })
        .optional(),
    }),
  ),
});
type Found = z.infer<typeof answerShape>['objects'][number];

async function download(endpoint: URL, files: readonly LfsFile[], deps: LfsDeps): Promise<void> {
  const byOid = new Map<string, LfsFile[]>();
  for (const file of files) byOid.set(file.oid, [...(byOid.get(file.oid) ?? []), file]);
  const wanted = [...byOid.values()];
  for (let from = 0; from < wanted.length; from += batchSize) {
    const part = wanted.slice(from, from + batchSize);
    const objects = await askBatch(
      endpoint,
      part.flatMap(([file]) => file ?? []),
      deps,
    );
    for (const same of part) await fetchOne(endpoint, same, { objects, deps });
  }
}

async function askBatch(endpoint: URL, files: readonly LfsFile[], deps: LfsDeps): Promise<Found[]> {
  const answer = await deps.outgoing.request(
    {
      url: new URL('objects/batch', endpoint).href,
      method: 'POST',
      headers: { accept: mediaType, 'content-type': mediaType, ...signIn(endpoint, deps) },
      body: JSON.stringify({
        operation: 'download',
        transfers: ['basic'],
        hash_algo: 'sha256',
        objects: files.map(({ oid, size }) => ({ oid, size })),
      }),
      limitMs: left(deps),
      maxBytes: longestAnswer,
    },
    deps.by,
  );
  if (answer.status !== 200) {
    await endUnread(answer);
    throw refusal(files, `${endpoint.href} answered ${answer.status}`, deps);
  }
  const parsed = answerShape.safeParse(parseJson(await textOf(answer, files, deps)));
  if (parsed.success) return parsed.data.objects;
  throw refusal(files, `${endpoint.href} sent no answer of Git LFS`, deps);
}

async function fetchOne(
  endpoint: URL,
  same: readonly LfsFile[],
  { objects, deps }: { objects: readonly Found[]; deps: LfsDeps },
): Promise<void> {
  const [file] = same;
  if (file === undefined) return;
  const found = objects.find(({ oid }) => oid === file.oid);
  const action = found?.actions?.download;
  if (action === undefined)
    throw refusal(
      same,
      found?.error === undefined
        ? `${endpoint.href} does not offer it`
        : `${endpoint.href} says ${found.error.code} ${found.error.message?.slice(0, 200) ?? ''}`.trim(),
      deps,
    );
  const answer = await follow(endpoint, action, { same, deps });
  await replace(answer.body, same, deps);
}

const mostRedirects = 5;

/** Where an object is, redirects followed; headers meant for one host are given to no other. */
async function follow(
  endpoint: URL,
  { href, header }: { href: string; header?: Record<string, string> | undefined },
  { same, deps }: { same: readonly LfsFile[]; deps: LfsDeps },
): Promise<OutgoingAnswer> {
  let url = URL.parse(href, endpoint.href);
  const first = url?.host;
  for (let hops = 0; url !== null && hops <= mostRedirects; hops += 1) {
    if (!isAllowed(url.protocol.replace(':', ''), deps.source))
      throw refusal(same, `its address at ${url.host} is not encrypted`, deps);
    const headers = url.host === first ? (header ?? signIn(url, deps)) : {};
    // One piece more, by which a file that is longer than it should be is told.
    const maxBytes = (same[0]?.size ?? 0) + longestAnswer;
    const request = { url: url.href, method: 'GET', headers, limitMs: left(deps), maxBytes };
    const answer = await deps.outgoing.request(request, deps.by);
    if (answer.status === 200) return answer;
    await endUnread(answer);
    if (answer.status < 300 || answer.status >= 400 || answer.location === undefined)
      throw refusal(same, `${url.host} answered ${answer.status}`, deps);
    url = URL.parse(answer.location, url.href);
  }
  throw refusal(same, 'its address is not valid, or leads from redirect to redirect', deps);
}

/** Objects of a repository on this server, as git-lfs keeps them in a bare repository or a work tree. */
async function copyObjects(repository: string, files: readonly LfsFile[], deps: LfsDeps): Promise<void> {
  for (const file of files) {
    const below = join('lfs/objects', file.oid.slice(0, 2), file.oid.slice(2, 4), file.oid);
    let source: string | undefined;
    for (const place of [join(repository, below), join(repository, '.git', below)])
      if ((await stat(place).catch(() => undefined))?.isFile() === true) source ??= place;
    if (source === undefined)
      throw refusal([file], `${repository} has no object ${file.oid}; run "git lfs fetch --all" there`, deps);
    await replace(createReadStream(source), [file], deps);
  }
}

/** Writes the file in place of its pointers, when it is the one that they name. */
async function replace(
  body: AsyncIterable<Uint8Array>,
  same: readonly LfsFile[],
  deps: LfsDeps,
): Promise<void> {
  const [file, ...others] = same;
  if (file === undefined) return;
  const partial = join(deps.directory, '.git', `berth-lfs-${file.oid}`);
  try {
    const hash = createHash('sha256');
    let bytes = 0;
    const out = createWriteStream(partial, { flags: 'w', mode: 0o600 });
    for await (const piece of piecesOf(body, same, deps)) {
      bytes += piece.length;
      if (bytes > file.size) break;
      hash.update(piece);
      if (!out.write(piece)) await once(out, 'drain');
    }
    out.end();
    await once(out, 'close');
    if (bytes !== file.size || hash.digest('hex') !== file.oid)
      throw refusal(same, `what came is not the file of ${file.size} bytes that the repository names`, deps);
    await chmod(partial, (await stat(file.path.path)).mode & 0o777);
    await rename(partial, file.path.path);
    for (const other of others) {
      // One small download may stand for as many copies as the repository has pointers.
      left(deps);
      await copyFile(file.path.path, other.path.path);
    }
  } finally {
    await rm(partial, { force: true });
  }
}

/** The pieces of a body until the checkout is ended; one that breaks off is a refusal. */
async function* piecesOf(
  body: AsyncIterable<Uint8Array>,
  files: readonly LfsFile[],
  deps: LfsDeps,
): AsyncGenerator<Uint8Array> {
  const ended = Promise.withResolvers<never>();
  ended.promise.catch(() => undefined);
  const onAbort = (): void => ended.reject(deps.git.signal.reason);
  deps.git.signal.addEventListener('abort', onAbort, { once: true });
  const pieces = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      left(deps);
      const { done, value } = await Promise.race([pieces.next(), ended.promise]).catch((error: unknown) => {
        deps.git.signal.throwIfAborted();
        throw refusal(files, `the connection broke off (${sentenceOf(error)})`, deps);
      });
      if (done === true) return;
      yield value;
    }
  } finally {
    deps.git.signal.removeEventListener('abort', onAbort);
    // A pending read would hold this up, and ends with the connection's limit.
    void pieces.return?.()?.catch(() => undefined);
  }
}

function signIn(url: URL, { source, credentials }: LfsDeps): Record<string, string> {
  if (credentials === undefined || url.host !== source.host) return {};
  const { username, password } = credentials;
  return { authorization: `Basic ${Buffer.from(`${username}:${password.reveal()}`).toString('base64')}` };
}

/** Milliseconds until the checkout has to be done; throws when there are none. */
function left({ deadline, git: { signal } }: Pick<LfsDeps, 'deadline' | 'git'>): number {
  signal.throwIfAborted();
  const ms = deadline - performance.now();
  if (ms > 0) return Math.ceil(ms);
  throw new AppError('SERVICE_UNAVAILABLE', 'Fetching the files of Git LFS took too long and was ended.');
}

async function textOf({ body }: OutgoingAnswer, files: readonly LfsFile[], deps: LfsDeps): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of piecesOf(body, files, deps)) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refusal(files: readonly LfsFile[], why: string, { source, credentials }: LfsDeps): AppError {
  const way =
    source.protocol === 'ssh'
      ? ' Berth fetches them over https: use the https address of the repository, with a user and token if ' +
        'it is private.'
      : source.protocol === 'file'
        ? ''
        : credentials === undefined
          ? ' If the repository is private, its address needs a user and token.'
          : ' Check that the objects were pushed (git lfs push --all) and that the token may read them.';
  return new AppError(
    'PRECONDITION_FAILED',
    `The repository keeps ${namesOf(files)} with Git LFS, and the build would find pointers in their ` +
      `place: ${why}.${way}`,
  );
}

function namesOf(files: readonly LfsFile[]): string {
  const [first] = files;
  return files.length === 1 ? (first?.name ?? '') : `${first?.name ?? ''} and ${files.length - 1} more files`;
}

const megabytes = (bytes: number): string =>
  bytes < 1e6 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
