/** Why a build failed, from what it printed, as a sentence for people. */
import { AppError } from '../../domain/errors.ts';
import type { ErrorCode } from '../../domain/errors.ts';

/**
 * The failure as an error; the first row that matches says it. `exitCode` undefined: a signal ended the
 * program.
 */
export function buildFailure(lines: readonly string[], exitCode: number | undefined): AppError {
  // The reason stands in BuildKit's last words, on one line; what a step printed may be anything.
  const texts = lines.slice(-100).map((line) => line.slice(0, 2000));
  for (const { pattern, code, sentence } of failures) {
    const match = texts.map((text) => pattern.exec(text)).findLast((found) => found !== null);
    if (match !== undefined && match !== null) return new AppError(code, sentence(match, lines));
  }
  const last =
    lines.findLast((line) => line.trim() !== '' && !/^(#\d+ |-+$)/.test(line)) ?? 'it printed nothing';
  return new AppError(
    'PRECONDITION_FAILED',
    `The build failed${exitCode === undefined ? '' : ` with exit code ${exitCode}`}: ${last.slice(0, 500)}`,
  );
}

/** The build was killed because it wanted more memory than it may have. */
export function outOfMemory(lines: readonly string[], memoryBytes: number): AppError {
  const step = stepOf(lines);
  return new AppError(
    'PRECONDITION_FAILED',
    `The build ran out of memory: ${step === undefined ? 'a step' : `the step "${step}"`} was killed at ` +
      `the limit of ${Math.round(memoryBytes / 1024 / 1024)} MiB. Raise the memory of builds in the ` +
      'settings, or make the build need less.',
  );
}

interface Failure {
  pattern: RegExp;
  code: ErrorCode;
  sentence(match: RegExpExecArray, lines: readonly string[]): string;
}

const failures: readonly Failure[] = [
  {
    pattern: /no space left on device|disk quota exceeded/i,
    code: 'PRECONDITION_FAILED',
    sentence: () =>
      'The disk of the server that builds is full; remove old images and build cache, and deploy again.',
  },
  {
    pattern: /Cannot connect to the Docker daemon|error during connect|docker daemon is not running/i,
    code: 'SERVICE_UNAVAILABLE',
    sentence: () =>
      'The container engine does not answer, so nothing can be built; start it and deploy again.',
  },
  {
    // Its own words, not a step's, which have a number before them.
    pattern:
      /^(?:ERROR: )?(?:unexpected EOF|(?:failed to receive status: )?rpc error: code = (?:Unavailable|Canceled) .*)$/,
    code: 'SERVICE_UNAVAILABLE',
    sentence: () =>
      'The container engine ended the build; it was stopped or restarted meanwhile. Deploy again when ' +
      'it runs.',
  },
  {
    pattern:
      /failed to do request: (?:Head|Get) "?https?:\/\/([^/\s"]+)\/v2\/([^\s"]+)\/manifests\/([^\s"?]+)"?: (.*)/i,
    code: 'SERVICE_UNAVAILABLE',
    sentence: ([, host = '', name = '', tag = '', why = '']) =>
      `The base image ${name}:${tag} cannot be pulled, since its registry ${host} does not answer ` +
      `(${why.slice(0, 200)}); check the name, and the network of the server that builds.`,
  },
  {
    pattern: /target stage (\S+) could not be found/i,
    code: 'BAD_REQUEST',
    sentence: ([, stage = '']) =>
      `The Dockerfile has no stage named ${stage}; check the build stage of the application.`,
  },
  {
    pattern: /(dockerfile parse error.*|the Dockerfile cannot be empty|unknown instruction: .*)/i,
    code: 'BAD_REQUEST',
    sentence: ([, why = '']) => `The Dockerfile cannot be read: ${why.slice(0, 300)}`,
  },
  {
    pattern: /secret (\S+?):? not found/i,
    code: 'BAD_REQUEST',
    sentence: ([, name = '']) =>
      `The Dockerfile needs the build secret ${name}, which the application does not have; add it to ` +
      'the build secrets.',
  },
  {
    pattern: /failed to (?:compute cache key|calculate checksum)[^"]*"([^"]+)":? not found/i,
    code: 'BAD_REQUEST',
    sentence: ([, path = '']) =>
      `The Dockerfile copies ${path}, which is not in the build context (or .dockerignore leaves it out).`,
  },
  {
    pattern:
      /([^\s"]{1,256}): (?:pull access denied|failed to (?:authorize|resolve)|not found$|manifest unknown)|manifest for (\S{1,256}) not found/i,
    code: 'NOT_FOUND',
    sentence: ([, image, other = '']) =>
      `The base image ${image ?? other} does not exist, or its registry requires a login; check its name ` +
      'in the Dockerfile.',
  },
  {
    pattern: /^(?=.{0,80}(?:executor failed running \[|process ")).*: exit code: (\d{1,10})/,
    code: 'PRECONDITION_FAILED',
    sentence: ([, exitCode = ''], lines) =>
      `The build failed: the step "${stepOf(lines) ?? '?'}" ended with exit code ${exitCode}; its ` +
      'output is in the log.',
  },
];

/** BuildKit repeats the failed step as ` > [2/3] RUN …:` before its last words. */
function stepOf(lines: readonly string[]): string | undefined {
  const line = lines.findLast((text) => /^ > \[[^\]]*\] /.test(text));
  return line
    ?.replace(/^ > \[[^\]]*\] /, '')
    .replace(/:\s*$/, '')
    .slice(0, 200);
}
