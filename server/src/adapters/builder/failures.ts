/** Why a build failed, from what it printed, as a sentence for people. */
import { AppError } from '../../domain/errors.ts';
import type { ErrorCode } from '../../domain/errors.ts';
import { readBuildOutput, stepName, type FailedStep } from './build-output.ts';

/**
 * The failure as an error. A step that ended with an exit code is named first, and what its program printed
 * only adds a hint. `exitCode` undefined: a signal ended the program.
 */
export function buildFailure(lines: readonly string[], exitCode: number | undefined): AppError {
  const { ownLines, failedStep } = readBuildOutput(lines);
  if (failedStep !== undefined) return new AppError('PRECONDITION_FAILED', stepSentence(failedStep));
  for (const { pattern, code, sentence } of failures) {
    const match = ownLines.map((text) => pattern.exec(text)).findLast((found) => found !== null);
    if (match !== undefined && match !== null) return new AppError(code, sentence(match));
  }
  const last =
    lines.findLast((line) => line.trim() !== '' && !/^(#\d+ |-+$)/.test(line)) ?? 'it printed nothing';
  return new AppError(
    'PRECONDITION_FAILED',
    `The build failed${exitCode === undefined ? '' : ` with exit code ${exitCode}`}: ${last.slice(0, 500)}`,
  );
}

function stepSentence({ name, exitCode, output }: FailedStep): string {
  const hint = hints
    .filter(({ exitCodes }) => exitCodes === undefined || exitCodes.includes(exitCode))
    .map(({ pattern, sentence }) => {
      const match = output.map((text) => pattern.exec(text)).findLast((found) => found !== null);
      return match ? sentence(match) : undefined;
    })
    .find((text) => text !== undefined);
  return (
    `The build failed: the step "${name ?? '?'}" ended with exit code ${exitCode}; its output is in the ` +
    `log.${hint === undefined ? '' : ` ${hint}`}`
  );
}

/** The build was killed because it wanted more memory than it may have. */
export function outOfMemory(lines: readonly string[], memoryBytes: number): AppError {
  const step = stepName(lines);
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
  sentence(match: RegExpExecArray): string;
}

/** What the builder's own lines mean; the first row that matches speaks. */
export const failures: readonly Failure[] = [
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
    pattern:
      /^(?=.*not found: not found$|.*failed to (?:compute cache key|calculate checksum)|ERROR: ").*"([^"]+)":? not found/i,
    code: 'BAD_REQUEST',
    sentence: ([, path = '']) =>
      `The Dockerfile copies ${path}, which is not in the build context (or .dockerignore leaves it out).`,
  },
  {
    pattern:
      /([^\s"]{1,256}): (?:pull access denied|failed to (?:authorize|resolve)|(?<!" not found: )not found$|manifest unknown)|manifest for (\S{1,256}) not found/i,
    code: 'NOT_FOUND',
    sentence: ([, image, other = '']) =>
      `The base image ${image ?? other} does not exist, or its registry requires a login; check its name ` +
      'in the Dockerfile.',
  },
];

interface Hint {
  /** What the step's program printed. */
  pattern: RegExp;
  /** Only for these exit codes; absent: for any. */
  exitCodes?: readonly number[];
  sentence(match: RegExpExecArray): string;
}

/** What a failing step's output suggests; the first that matches is added. */
export const hints: readonly Hint[] = [
  {
    // dash, bash and busybox, in this order.
    pattern: /(?:sh: \d+: |: line \d+: |sh: )([^\s:]{1,100}): (?:command )?not found/,
    exitCodes: [127],
    sentence: ([, program = '']) =>
      `The program ${program} was not found: install it in an earlier step. If it comes from ` +
      'devDependencies, check that NODE_ENV=production does not leave them out.',
  },
  {
    pattern: /no space left on device|disk quota exceeded/i,
    sentence: ([words]) =>
      `The step printed "${words}": if the disk of the server that builds is full, remove old images and ` +
      'build cache, and deploy again.',
  },
  {
    pattern:
      /getaddrinfo (?:ENOTFOUND|EAI_AGAIN) (\S{1,200})|(?:Could not resolve|Temporary failure resolving) (?:host: )?'?([^\s']{1,200})/,
    sentence: ([, host, other = '']) =>
      `The name ${host ?? other} could not be resolved: check it, and the network of the server that builds.`,
  },
  {
    pattern: /Cannot connect to the Docker daemon|docker daemon is not running/i,
    sentence: () => 'Steps of a build cannot reach a container engine; run what needs one elsewhere.',
  },
  {
    pattern: /JavaScript heap out of memory/,
    sentence: () =>
      'Node.js ran out of heap: raise the memory of builds in the settings, and NODE_OPTIONS=' +
      '--max-old-space-size with it.',
  },
];
