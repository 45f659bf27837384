/** The stages of a deployment as a line of steps, each with its time where the server tells it. */
import type { ReactElement } from 'react';
import { Mark, type MarkName } from '../parts/mark.tsx';
import { Took } from '../parts/time.tsx';
import type { Deployment } from './deployment-record.ts';
import { stageWords } from './texts.ts';

interface Stage {
  name: string;
  startedAt: string | null;
  finishedAt: string | null;
}

const lists = {
  application: ['checkout', 'build', 'publish', 'release', 'await-healthy', 'route', 'post-release', 'prune'],
  compose: ['checkout', 'build', 'release', 'await-healthy', 'route', 'prune'],
  database: ['pull', 'release', 'await-healthy', 'verify-query'],
} as const;

/** With the times of the server, or without them by the stage that the record names. */
function stagesOf(deployment: Deployment): { stages: readonly Stage[]; isTimed: boolean } {
  const told = (deployment as { stages?: readonly Partial<Stage>[] }).stages;
  if (told && told.length > 0)
    return {
      isTimed: true,
      stages: withQueue(deployment, told).map(({ name = '', startedAt = null, finishedAt = null }) => ({
        name,
        startedAt,
        finishedAt,
      })),
    };
  const kind = deployment.databaseId ? 'database' : deployment.composeId ? 'compose' : 'application';
  const building = ['checkout', 'build', 'publish'];
  const names: readonly string[] = lists[kind];
  return {
    isTimed: false,
    stages: names
      .filter((name) => deployment.kind !== 'rollback' || !building.includes(name))
      .map((name) => ({ name, startedAt: null, finishedAt: null })),
  };
}

/** The wait before the first stage is part of the time that a person sees pass. */
function withQueue({ createdAt }: Deployment, stages: readonly Partial<Stage>[]): readonly Partial<Stage>[] {
  const [first] = stages;
  if (first?.name === 'queue' || !first?.startedAt) return stages;
  const waitedMs = Date.parse(first.startedAt) - Date.parse(createdAt);
  return waitedMs < leastWaitMs
    ? stages
    : [{ name: 'queue', startedAt: createdAt, finishedAt: first.startedAt }, ...stages];
}

const leastWaitMs = 1000;

export function Stages({
  deployment,
  isUnderWay,
}: {
  deployment: Deployment;
  isUnderWay: boolean;
}): ReactElement {
  const { stages, isTimed } = stagesOf(deployment);
  const at = stages.findIndex(({ name }) => name === deployment.stage);
  const markOf = (index: number, stage: Stage): MarkName => {
    if (deployment.status === 'done') return 'done';
    if (deployment.status === 'queued') return 'none';
    if (index === at)
      return isUnderWay ? 'running' : deployment.status === 'cancelled' ? 'cancelled' : 'failed';
    if (isTimed && stage.finishedAt !== null) return 'done';
    return index < at ? 'done' : 'none';
  };
  return (
    <ol tabIndex={0} className="panel mb-4 flex overflow-x-auto text-13" aria-label="Stages">
      {stages.map((stage, index) => {
        const mark = markOf(index, stage);
        return (
          <li
            key={`${stage.name}-${index}`}
            aria-current={mark === 'running' ? 'step' : undefined}
            className="flex min-w-max flex-1 flex-col gap-0.5 border-r border-line px-4 py-2.5 last:border-0"
          >
            <Mark of={mark} word={stageWords[stage.name] ?? stage.name} />
            {isTimed && (
              <span className="pl-4 text-12 text-faint">
                <Took from={stage.startedAt} to={stage.finishedAt} />
              </span>
            )}
          </li>
        );
      })}
    </ol>
  );
}
