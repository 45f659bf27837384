import type { ContainerEnd, TaskState } from '../ports/engine.ts';

/**
 * One sentence on why a task of a release failed, from the engine's words and exit code. `end` tells what only the node knows (out of memory); `hasRun`
 * says whether the task was seen running, which with a health check means healthy.
 */
export function failureReason(
  task: TaskState | undefined,
  end: ContainerEnd | undefined,
  hasRun: boolean,
): string {
  if (task === undefined) return 'The engine gave up the new version and names no task that failed.';
  const row = reasons.find((each) => each.applies(task, end));
  return row === undefined ? endedBy(task) : row.sentence(task, hasRun);
}

interface Reason {
  applies(task: TaskState, end: ContainerEnd | undefined): boolean;
  sentence(task: TaskState, hasRun: boolean): string;
}

/** The first row that applies speaks. */
const reasons: readonly Reason[] = [
  {
    applies: (task) =>
      /no such image|manifest unknown|manifest for .* not found|pull access denied|repository .* not found/i.test(
        task.error,
      ),
    sentence: (task) => `The image ${task.image} was not found: ${task.error}.`,
  },
  {
    applies: (task) => /unhealthy container/i.test(task.error),
    sentence: (_, hasRun) =>
      hasRun
        ? 'It was healthy first, then its health check kept failing.'
        : 'It never became healthy: its health check kept failing until the engine gave up.',
  },
  {
    applies: (_, end) => end?.outOfMemory === true,
    sentence: (task) =>
      `It ran out of memory and was killed (exit code ${task.exitCode ?? 137}). Raise its memory limit, or make it need less.`,
  },
  {
    applies: (task) => task.exitCode === 137 && isPlainExit(task),
    sentence: () => 'It was killed (exit code 137), which often means that it ran out of memory.',
  },
  {
    applies: (task) => task.exitCode === 127 && isPlainExit(task),
    sentence: () => 'Its program was not found in the image (exit code 127).',
  },
  {
    applies: (task) => task.exitCode === 126 && isPlainExit(task),
    sentence: () =>
      'Its program may not be executed (exit code 126); see the rights of the file in the image.',
  },
  {
    applies: (task) => task.state === 'complete',
    sentence: () => 'Its program ended by itself with exit code 0; a service has to keep running.',
  },
  {
    applies: (task) => task.exitCode !== undefined && isPlainExit(task),
    sentence: (task) => `Its program ended with exit code ${task.exitCode}.`,
  },
];

/** True when the engine's words say no more than the exit code does. */
function isPlainExit(task: TaskState): boolean {
  return task.error === '' || /^task: non-zero exit \(\d+\)$/.test(task.error);
}

function endedBy(task: TaskState): string {
  if (task.error === '') return `Its task ended as ${task.state}.`;
  const code = task.exitCode === undefined || task.exitCode === 0 ? '' : ` (exit code ${task.exitCode})`;
  return `The engine could not run it${code}: ${task.error}`;
}
