/** Asks before a roll back, and says which commit, settings and variables go back with it. */
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useGo } from '../frame/link.tsx';
import { ask, useAsk, useDo, type Answer } from '../live/api.ts';
import { Confirm } from '../parts/dialog.tsx';
import { Ago } from '../parts/time.tsx';
import { wordsOf } from './changed-words.ts';
import { titleOf, type Deployment } from './deployment-record.ts';
import { texts } from './texts.ts';

/** Only what was released from an image can be released again. */
export const canRollBack = ({ status, applicationId }: Deployment): boolean =>
  status === 'done' && applicationId !== null;

export function RollBack({
  deployment,
  name,
  onClose,
}: {
  deployment: Deployment;
  /** Of the service. */
  name: string;
  onClose: () => void;
}): ReactElement {
  const go = useGo();
  const rollback = useDo('deployment.rollback');
  const { deploymentId, commit, createdAt } = deployment;
  const undone = useUndone(deployment);
  return (
    <Confirm
      title={texts.rollbackTitle}
      verb="Roll back"
      isDanger={false}
      onClose={onClose}
      onConfirm={() =>
        rollback
          .mutateAsync({ deploymentId })
          .then((made: Answer<'deployment.rollback'>) => go(`/deployments/${made.deploymentId}`))
      }
    >
      <p className="[overflow-wrap:anywhere]">
        {name} gets “{titleOf(deployment)}”{commit && <> at commit {commit.slice(0, 7)}</>}, from{' '}
        <Ago at={createdAt} />.
      </p>
      {undone && undone.length > 0 && (
        <p className="[overflow-wrap:anywhere]">
          {texts.goesBack} {undone.join(', ')}.
        </p>
      )}
      <p>{texts.rollback}</p>
      <p>{texts.rollbackStays}</p>
    </Confirm>
  );
}

/** More would be no list that anybody reads. */
const mostLooked = 10;

/** The settings and variables, by name, that releases after this one changed. */
function useUndone({ applicationId, createdAt }: Deployment): string[] | undefined {
  const { data: all } = useAsk('deployment.all', { applicationId: applicationId ?? '' });
  const later = all
    ?.filter((one) => one.status === 'done' && one.createdAt > createdAt)
    .slice(0, mostLooked)
    .map((one) => one.deploymentId);
  const { data } = useQuery({
    queryKey: ['deployment.changes', 'after', later],
    queryFn: () =>
      Promise.all((later ?? []).map((deploymentId) => ask('deployment.changes', { deploymentId }))),
    enabled: later !== undefined,
  });
  return data && wordsOf(data.flatMap(({ changed }) => changed ?? []));
}
