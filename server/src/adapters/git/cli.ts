/** Git through the system's own program, with settings, keys and a home made for each run. */
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { AppError } from '../../domain/errors.ts';
import { isCommit, parseCommit, parseGitUrl, parseRefName } from '../../domain/git/git-source.ts';
import type { GitUrl } from '../../domain/git/git-source.ts';
import type { FetchedCommit, Git, GitSource } from '../../ports/git.ts';
import type { Gate, JudgedHost, Outgoing } from '../../ports/outgoing.ts';
import { createCall } from './call.ts';
import type { Call, CallOptions } from './call.ts';
import { createGitEnvironment } from './environment.ts';
import { fetchLfs } from './lfs.ts';
import { connectFailure, gitFailure, isMissingRef, submoduleFailure, wantsFullFetch } from './failures.ts';
import { createSshHosts, type SshHosts } from './ssh-hosts.ts';

export interface GitOptions {
  /** Absolute path of the program, 2.31 or newer. */
  gitPath: string;
  /**
   * Folder for the private files of runs; whatever a killed process left there may be removed at the next
   * start.
   */
  scratchRoot: string;
  /** File with the SSH host keys seen so far; one for the installation, kept. */
  knownHostsPath: string;
  outgoing: Pick<Outgoing, 'judge' | 'gate' | 'request'>;
}

/**
 * `checkout` throws BAD_REQUEST for an address, branch or commit that is none, NOT_FOUND for a repository,
 * branch or commit that is not there, PRECONDITION_FAILED for refused credentials or a changed host key,
 * SERVICE_UNAVAILABLE for a host that does not answer in time, and the signal's reason when aborted. On
 * failure nothing of `directory` remains.
 */
export function createGit(options: GitOptions): Git {
  return {
    checkout: async (source, directory, git) => {
      const url = parseGitUrl(source.url, 'url');
      const wanted = wantedOf(source, git.commit);
      git.signal.throwIfAborted();
      const by = { organizationId: source.organizationId };
      await using gate = await options.outgoing.gate(by, { namedPlain: true });
      await using environment = await createGitEnvironment(url, source, { ...options, proxy: gate.proxy });
      const sshHosts = createSshHosts(environment, options.outgoing, by);
      const sshHost = await sshHosts.admit(url);
      const { gitPath } = options;
      const call = createCall({ gitPath, environment, directory, place: url.url, access: source, git });
      const steps: Steps = {
        call,
        url,
        wanted,
        hasKey: source.sshKey !== undefined,
        gate,
        sshHost,
        sshHosts,
        directory,
        pullRefs:
          source.pullRefs === undefined ? [] : [`+${parsePullRefs(source.pullRefs)}:refs/berth/pull/*`],
        remote: url.protocol === 'file' ? pathToFileURL(url.url).href : url.url,
        onLine: (line) => git.onLine(line),
      };
      const { credentials } = source;
      const deadline = performance.now() + git.limitMs;
      const lfs = {
        call,
        directory,
        source: url,
        credentials,
        outgoing: options.outgoing,
        by,
        git,
        deadline,
      };
      try {
        await rm(directory, { recursive: true, force: true });
        await makeRepository(directory);
        if (wanted.kind === 'commit') await fetchCommit(steps, wanted.commit);
        else await fetchNamed(steps, wanted);
        const found = await checkOut(steps);
        const submodules = await fetchSubmodules(steps, source.submodules);
        await fetchLfs(lfs, submodules);
        return found;
      } catch (error) {
        await rm(directory, { recursive: true, force: true });
        throw error;
      }
    },
  };
}

/**
 * An empty repository, as `git init` makes one without a template (gitrepository-layout(5)): starting a
 * program for it takes ten times as long.
 */
async function makeRepository(directory: string): Promise<void> {
  const git = join(directory, '.git');
  for (const folder of ['objects', 'refs/heads']) await mkdir(join(git, folder), { recursive: true });
  await writeFile(join(git, 'HEAD'), 'ref: refs/heads/main\n');
  await writeFile(join(git, 'config'), '[core]\n\trepositoryformatversion = 0\n\tbare = false\n');
}

type Wanted = { kind: 'commit'; commit: string } | { kind: 'ref'; name: string } | { kind: 'default' };

interface Steps {
  call: Call;
  url: GitUrl;
  wanted: Wanted;
  hasKey: boolean;
  gate: Gate;
  /** The source's own, when it is fetched by ssh. */
  sshHost: JudgedHost | undefined;
  sshHosts: SshHosts;
  directory: string;
  pullRefs: readonly string[];
  /** Address for git. */
  remote: string;
  onLine(line: string): void;
}

function wantedOf(source: GitSource, commit: string | undefined): Wanted {
  if (commit !== undefined) return { kind: 'commit', commit: parseCommit(commit) };
  return source.branch === ''
    ? { kind: 'default' }
    : { kind: 'ref', name: parseRefName(source.branch, 'branch') };
}

function parsePullRefs(text: string): string {
  if (/^refs\/(pull|merge-requests)\/[0-9]{1,15}\/\*$/.test(text)) return text;
  throw new AppError('BAD_REQUEST', 'The refs of a pull request have a form that no git host uses.');
}

/**
 * Where the fetched commit is kept; a name of our own, so that no name of the repository's is ever resolved.
 */
const sourceRef = 'refs/berth/source';
const latest = ['--depth', '1'];

/**
 * A repository of this server is fetched from by this call alone: what it names itself, such as a submodule,
 * never is, since nobody allowed those folders.
 */
function fetch({ call, remote, url }: Steps, depth: readonly string[], refspecs: readonly string[]) {
  return call([
    ...(url.protocol === 'file' ? ['-c', 'protocol.file.allow=always'] : []),
    'fetch',
    '--progress',
    '--no-tags',
    '--no-recurse-submodules',
    '--no-auto-gc',
    ...depth,
    '--',
    remote,
    ...refspecs,
  ]);
}

/** A branch or tag, a ref by its full name, or a commit that stands in place of a branch. */
async function fetchNamed(steps: Steps, wanted: Exclude<Wanted, { kind: 'commit' }>): Promise<void> {
  if (wanted.kind === 'default') return fetchRef(steps, ['HEAD']);
  const { name } = wanted;
  const refs = [`refs/heads/${name}`, `refs/tags/${name}`];
  if (!isCommit(name)) return fetchRef(steps, name.startsWith('refs/') ? [name, ...refs] : refs);
  // A branch may have such a name too, and is what was asked for then.
  return fetchRef(steps, refs).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'NOT_FOUND') return fetchCommit(steps, name);
    throw error;
  });
}

/** The first of these that the repository has. */
async function fetchRef(
  steps: Steps,
  refs: readonly string[],
  depth: readonly string[] = latest,
): Promise<void> {
  const [ref = 'HEAD', ...others] = refs;
  const { ok, lines } = await fetch(steps, depth, [`+${ref}:${sourceRef}`]);
  if (ok) return;
  if (depth.length > 0 && wantsFullFetch(lines)) return fetchRef(steps, refs, []);
  if (isMissingRef(lines) && others.length > 0) return fetchRef(steps, others, depth);
  throw failure(steps, lines);
}

async function fetchCommit(steps: Steps, commit: string): Promise<void> {
  const single = await fetch(steps, latest, [`+${commit}:${sourceRef}`]);
  if (single.ok) return;
  if (!wantsFullFetch(single.lines)) throw failure(steps, single.lines);
  steps.onLine('The server does not serve this commit alone; fetching the whole history.');
  const full = await fetch(
    steps,
    [],
    ['+refs/heads/*:refs/berth/heads/*', '+refs/tags/*:refs/berth/tags/*', ...steps.pullRefs],
  );
  if (!full.ok) throw failure(steps, full.lines);
  if ((await steps.call(['update-ref', sourceRef, `${commit}^{commit}`], { quick: true })).ok) return;
  throw new AppError(
    'NOT_FOUND',
    steps.wanted.kind === 'commit'
      ? `The repository ${steps.url.url} no longer has ${nameOf(steps.wanted)}; deploy the branch instead.`
      : `The repository ${steps.url.url} has no branch, tag or commit ${commit}; check its spelling.`,
  );
}

/** Fetches the submodules that `.gitmodules` names; resolves with their folders, from the source. */
async function fetchSubmodules(steps: Steps, isWanted: boolean): Promise<string[]> {
  if (!existsSync(join(steps.directory, '.gitmodules'))) return [];
  if (!isWanted) {
    steps.onLine(
      'The repository has submodules (.gitmodules), which are not fetched: enableSubmodules is off.',
    );
    return [];
  }
  await updateSubmodules(steps);
  const { stdout } = await steps.call(
    ['submodule', '--quiet', 'foreach', '--recursive', 'printf "%s\\n" "$displaypath"'],
    { quick: true },
  );
  return stdout.split('\n').filter((path) => path !== '');
}

async function updateSubmodules(steps: Steps): Promise<void> {
  // Submodules with relative addresses count from here.
  await must(steps, ['config', '--local', 'remote.origin.url', steps.remote], { quick: true });
  const update = ['submodule', 'update', '--init', '--recursive', '--progress'];
  if (steps.hasKey) await steps.sshHosts.admitSubmodules(steps.directory, steps.call);
  const shallow = await steps.call([...update, ...latest]);
  if (shallow.ok) return;
  const full = wantsFullFetch(shallow.lines) ? await steps.call(update) : shallow;
  if (full.ok) return;
  // One that came may have submodules of its own, from hosts that nobody asked for yet.
  if (steps.hasKey && (await steps.sshHosts.admitSubmodules(steps.directory, steps.call)))
    return updateSubmodules(steps);
  throw submoduleFailure(full.lines, steps.gate.fault());
}

/**
 * Writes the files; gives the commit that they are of. What git says of it last has its subject: another
 * program that looks it up would take as long as the files of a small repository.
 */
async function checkOut(steps: Steps): Promise<FetchedCommit> {
  const checkout = ['-c', 'core.abbrev=no', 'checkout', '--force', '--detach', sourceRef];
  const { lastLine } = await must(steps, checkout, { holdsLastLine: true });
  const head = await readFile(join(steps.directory, '.git/HEAD'), 'utf8');
  const said = `HEAD is now at ${head.trim()} `;
  // A secret that stands in the line was taken out of it, and a subject may hold anything but a line break.
  return lastLine.startsWith(said)
    ? {
        commit: parseCommit(head.trim()),
        subject: lastLine.slice(said.length, said.length + longestSubject),
        author: await authorOf(steps),
      }
    : lookUp(steps);
}

const longestSubject = 500;

async function lookUp(steps: Steps): Promise<FetchedCommit> {
  const log = await must(steps, ['log', '-1', '--no-show-signature', '--format=%H%n%s', sourceRef, '--'], {
    quick: true,
  });
  const [commit = '', subject = ''] = log.stdout.split('\n');
  return {
    commit: parseCommit(commit),
    subject: subject.slice(0, longestSubject),
    author: await authorOf(steps),
  };
}

const longestAuthor = 200;

async function authorOf(steps: Steps): Promise<string> {
  const log = await must(steps, ['log', '-1', '--no-show-signature', '--format=%an', sourceRef, '--'], {
    quick: true,
  });
  return (log.stdout.split('\n')[0] ?? '').slice(0, longestAuthor);
}

async function must(steps: Steps, args: readonly string[], options?: CallOptions) {
  const result = await steps.call(args, options);
  if (!result.ok) throw failure(steps, result.lines);
  return result;
}

function failure(steps: Steps, lines: readonly string[]): AppError {
  const fault = steps.gate.fault();
  if (fault) return fault;
  const failed = connectFailure(lines);
  if (failed !== undefined && steps.sshHost) return steps.sshHost.fault(failed);
  return gitFailure(lines, { source: steps.url, wanted: nameOf(steps.wanted), hasKey: steps.hasKey });
}

function nameOf(wanted: Wanted): string {
  if (wanted.kind === 'commit') return `commit ${wanted.commit}`;
  if (wanted.kind === 'default') return 'default branch';
  const hint = /^[0-9a-f]{7,39}$/.test(wanted.name) ? ' (a commit needs all of its 40 digits)' : '';
  return `branch or tag "${wanted.name}"${hint}`;
}
