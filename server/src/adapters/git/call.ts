import { dirname } from 'node:path';
import { AppError } from '../../domain/errors.ts';
import { createRedactor, redactLines } from '../../domain/secrets/redactor.ts';
import type { GitRun } from '../../ports/git.ts';
import { command } from '../../shell/command.ts';
import { run } from '../../shell/run.ts';
import type { GitAccess, GitEnvironment } from './environment.ts';

export interface CallResult {
  ok: boolean;
  /** What git said, without secrets; the first 1,000 lines. */
  lines: string[];
  lastLine: string;
  stdout: string;
}

/**
 * Runs git with these arguments. Throws the signal's reason when aborted and SERVICE_UNAVAILABLE at the
 * limit; a failing git is a result.
 */
export type Call = (args: readonly string[], options?: CallOptions) => Promise<CallResult>;

export interface CallOptions {
  quick?: boolean;
  /** Keeps the last line out of the log when git is content: it is for the caller alone. */
  holdsLastLine?: boolean;
}

export interface CallContext {
  gitPath: string;
  environment: GitEnvironment;
  directory: string;
  /** Address for sentences. */
  place: string;
  access: GitAccess;
  git: GitRun;
}

/**
 * All calls of one checkout share its limit. A quick one (a look at what is there) gives its stdout and is
 * not made known as a child.
 */
export function createCall({ gitPath, environment, directory, place, access, git }: CallContext): Call {
  const secrets = createRedactor(
    [access.credentials?.password, access.sshKey].filter((secret) => secret !== undefined),
  );
  const deadline = performance.now() + git.limitMs;
  // Git looks for a repository in the folders above as well; it must find none there.
  const env = { ...environment.env, GIT_CEILING_DIRECTORIES: dirname(directory) };
  return async (args, { quick = false, holdsLastLine = false } = {}) => {
    // For this call alone: what begins like a key hides the lines after it, too.
    const redact = redactLines(secrets);
    const lines: string[] = [];
    let lastLine: string | undefined;
    const result = await run(command([gitPath, ...args], { cwd: directory, env }), {
      signal: git.signal,
      limitMs: Math.max(1, deadline - performance.now()),
      scratchDirectory: environment.scratchDirectory,
      captureStdout: quick,
      maxOutputBytes: 16 * 1024 * 1024,
      onChild: quick ? undefined : (child) => git.onChild(child),
      onLine: (line) => {
        const safe = redact(line);
        if (lines.length < 1000) lines.push(safe);
        if (!holdsLastLine) git.onLine(safe);
        else if (lastLine !== undefined) git.onLine(lastLine);
        lastLine = safe;
      },
    });
    if (result.ended === 'aborted') git.signal.throwIfAborted();
    if (result.ended === 'limit')
      throw new AppError(
        'SERVICE_UNAVAILABLE',
        `Fetching the source from ${place} took longer than ${Math.round(git.limitMs / 1000)} s and was ` +
          'ended.',
      );
    if (result.ended === 'output')
      throw new AppError(
        'SERVICE_UNAVAILABLE',
        `Fetching the source from ${place} printed more than 16 MiB and was ended.`,
      );
    const ok = result.exitCode === 0;
    if (holdsLastLine && !ok && lastLine !== undefined) git.onLine(lastLine);
    return { ok, lines, lastLine: lastLine ?? '', stdout: result.stdout };
  };
}
