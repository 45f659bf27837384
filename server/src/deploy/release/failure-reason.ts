import type { ContainerEnd } from '../../ports/engine/container-end.ts';
import type { TaskState } from '../../ports/engine/engine.ts';

/**
 * One sentence on why a task of a release failed, from the engine's words and exit code. `end` tells what
 * only the node knows (out of memory); `hasRun` says whether the task was seen running, which with a health
 * check means healthy.
 */
export function failureReason(
  task: TaskState | undefined,
  end: ContainerEnd | undefined,
  hasRun: boolean,
  failedCheck: string | undefined = end?.failedCheck,
): string {
  if (task === undefined) return 'The engine gave up on the new version and names no failed task.';
  const row = reasons.find((each) => each.applies(task, end));
  return row === undefined ? endedBy(task) : row.sentence(task, { end, hasRun, failedCheck });
}

interface Reason {
  applies(task: TaskState, end: ContainerEnd | undefined): boolean;
  sentence(task: TaskState, seen: Seen): string;
}

interface Seen {
  end: ContainerEnd | undefined;
  hasRun: boolean;
  /** What the health check said last. */
  failedCheck: string | undefined;
}

/** The first row that applies speaks. */
const reasons: readonly Reason[] = [
  {
    applies: (task) =>
      /no such image|manifest unknown|pull access denied|(manifest for|repository) .* not found/i.test(
        task.error,
      ),
    sentence: (task) => `The image ${task.image} was not found: ${task.error}.`,
  },
  {
    // One that ends in good order when the engine asks it to has no error.
    applies: (task, end) => /unhealthy container/i.test(task.error) || end?.unhealthy === true,
    sentence: (_, { failedCheck, hasRun }) =>
      (hasRun
        ? 'Its health check passed at first, then kept failing'
        : 'It never became healthy: its health check kept failing until the engine gave up') +
      (failedCheck === undefined ? '.' : `; at last it said: ${checkWords(failedCheck)}.`),
  },
  {
    applies: (_, end) => end?.outOfMemory === true,
    sentence: (task) =>
      `It ran out of memory and was killed (exit code ${task.exitCode ?? 137}). Raise its memory limit, ` +
      'or make it need less.',
  },
  {
    applies: (task) => task.exitCode === 137 && isPlainExit(task),
    sentence: (_, { end }) =>
      end === undefined
        ? 'It was killed (exit code 137); whether for its memory can no longer be determined.'
        : // What the kernel tells of it reaches the engine by another way, and too late on a busy machine.
          'It was killed (exit code 137). The engine saw no lack of memory, but can miss one on a busy ' +
          'machine: unless something else killed it, raise its memory limit.',
  },
  {
    applies: (task) => task.exitCode === 127 && isPlainExit(task),
    sentence: () => 'Its program was not found in the image (exit code 127).',
  },
  {
    applies: (task) => task.exitCode === 126 && isPlainExit(task),
    sentence: () =>
      "Its program is not executable (exit code 126); check the file's permissions in the image.",
  },
  {
    applies: (task) => task.state === 'complete',
    sentence: () => 'Its program ended by itself with exit code 0; a service has to keep running.',
  },
  {
    applies: (task) => task.exitCode !== undefined && isPlainExit(task),
    sentence: (task, { end }) => `Its program ended with exit code ${task.exitCode}.${volumeHint(end)}`,
  },
];

/**
 * A new volume takes the owner of the folder that the image has in its place, and belongs to root where the
 * image has none (engine documentation, volumes).
 */
function volumeHint(end: ContainerEnd | undefined): string {
  const [path] = end?.volumes ?? [];
  if (end?.user === undefined || path === undefined) return '';
  return (
    ` It runs as the user ${end.user} with a volume at ${path}. When its log says EACCES or "permission ` +
    'denied", that volume belongs to root: make the folder in the Dockerfile before USER (RUN mkdir -p ' +
    `${path} && chown ${end.user} ${path}) and mount a new volume, since one that has data keeps its owner.`
  );
}

const checkWordsLimit = 300;

/** Our probe's own sentence, or the last line of another's output. */
export function checkWords(output: string): string {
  const line = output.trim().split('\n').at(-1) ?? '';
  return line
    .replace(/^berth: /, '')
    .replace(/\.$/, '')
    .slice(0, checkWordsLimit);
}

/** True when the engine's words say no more than the exit code does. */
export function isPlainExit({ error }: Pick<TaskState, 'error'>): boolean {
  return error === '' || /^task: non-zero exit \(\d+\)$/.test(error);
}

function endedBy(task: TaskState): string {
  if (task.error === '') return `Its task ended as ${task.state}.`;
  const code = task.exitCode === undefined || task.exitCode === 0 ? '' : ` (exit code ${task.exitCode})`;
  return `The engine could not run it${code}: ${task.error}`;
}
