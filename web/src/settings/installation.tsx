/** Settings of the whole installation, its builders, its own backup, approvals, quotas. */
import type { ReactElement } from 'react';
import { Form } from '../form/form.tsx';
import { useAsk, useDo, refresh } from '../live/api.ts';
import { Button } from '../parts/button.tsx';
import { Mark } from '../parts/mark.tsx';
import { Fault, SkeletonRows } from '../parts/notices.tsx';
import { OnThisPage } from '../parts/on-this-page.tsx';
import { Panel } from '../parts/page.tsx';
import { Ago, Took } from '../parts/time.tsx';
import { ServerMetrics } from '../server/server-metrics.tsx';
import { KeptVolumes } from '../backup/kept-volumes.tsx';
import { scheduleWords } from '../backup/schedule-words.ts';
import { BaseDomainRecord } from './base-domain-record.tsx';
import { groups, words } from './installation-fields.ts';
import { Builders, CleanUp, FormerVolumes, PortWall } from './machine.tsx';
import { FormerIncarnation, ThingsOfOthers, UnfinishedDeletions, UnknownServices } from './unknown.tsx';
import { Organizations } from '../organization/organizations.tsx';

export function Installation(): ReactElement {
  const { data: settings, error } = useAsk('settings.get', {}, { retry: false });
  return (
    <OnThisPage>
      <div className="mb-4 empty:hidden">
        <Fault error={error} />
      </div>
      {settings ? (
        groups.map(({ title, fields }) => (
          <Panel key={title} title={title} isPadded>
            <Form
              of="settings.update"
              show={fields}
              change={{ ...words, baseDomain: { ...words.baseDomain, below: recordOfBase } }}
              stored={{ ...settings }}
              verb="Save"
              columns
            />
          </Panel>
        ))
      ) : (
        <Panel>
          <SkeletonRows rows={8} />
        </Panel>
      )}
      <OwnBackup />
      <Waiting />
      <Organizations />
      <ServerMetrics />
      <CleanUp />
      <FormerVolumes />
      <KeptVolumes serverId={null} />
      <UnfinishedDeletions />
      <UnknownServices />
      <ThingsOfOthers />
      <FormerIncarnation />
      <Builders />
      <PortWall />
    </OnThisPage>
  );
}

/** Below the field of the base domain. */
const recordOfBase = ({ baseDomain, serverIp }: Readonly<Record<string, unknown>>): ReactElement | null =>
  typeof baseDomain === 'string' && baseDomain !== '' ? (
    <BaseDomainRecord base={baseDomain} of={{ serverIp: typeof serverIp === 'string' ? serverIp : '' }} />
  ) : null;

function OwnBackup(): ReactElement {
  const { data, error } = useAsk('installationBackup.get', {}, { retry: false });
  const runs = useAsk('installationBackup.runs', {}, { retry: false });
  const { data: destinations = [] } = useAsk('destination.all', {}, { retry: false });
  const run = useDo('installationBackup.run');
  const stored = data?.backup ?? undefined;
  const list = (runs.data ?? []) as readonly {
    backupRunId?: string;
    status: string;
    createdAt: string;
    startedAt: string | null;
    finishedAt: string | null;
    errorMessage: string | null;
  }[];
  return (
    <Panel
      title="Backup of Berth itself"
      isPadded
      actions={
        <Button
          small
          isBusy={run.isPending}
          onClick={() => run.mutate({} as never, { onSettled: () => void refresh('installationBackup') })}
        >
          Back up now
        </Button>
      }
    >
      <div className="grid gap-4">
        <Fault error={error ?? run.error} />
        <Form
          of="installationBackup.set"
          show={[
            'destinationId',
            'schedule',
            'timeZone',
            'passphrase',
            'keepLatestCount',
            'prefix',
            'alarmAfterHours',
            'enabled',
          ]}
          change={{
            ...scheduleWords,
            prefix: { label: 'Folder at the destination', isFolded: true },
            passphrase: {
              as: 'password',
              help: 'Seals the keys in the backup. Keep it elsewhere: without it nothing can be restored.',
            },
            destinationId: {
              label: 'Destination',
              options: destinations.map(({ destinationId, name }) => ({ value: destinationId, label: name })),
            },
          }}
          {...(stored && { stored: { ...stored } })}
          verb="Save"
        />
        <ul className="grid gap-1 text-13">
          {list.slice(0, 5).map((one, at) => (
            <li key={at} className="flex gap-4">
              <Mark of={one.status === 'error' ? 'failed' : one.status === 'done' ? 'done' : 'running'} />
              <span className="flex-1 text-faint">{one.errorMessage ?? ''}</span>
              <Took from={one.startedAt} to={one.finishedAt} />
              <Ago at={one.createdAt} />
            </li>
          ))}
        </ul>
      </div>
    </Panel>
  );
}

/** Compose services that ask for more of the machine than anybody approved. */
function Waiting(): ReactElement | null {
  const { data } = useAsk('compose.awaitingApproval', {}, { retry: false });
  const approve = useDo('compose.approve');
  if (!data || data.length === 0) return null;
  return (
    <Panel title="Waiting for approval">
      <ul className="rows text-13">
        {data.map((one) => {
          const facts: Readonly<Record<string, unknown>> = one;
          const composeId = String(facts['composeId']);
          return (
            <li key={composeId} className="flex min-h-(--row) items-center gap-3 pr-2 pl-4">
              <span className="cut flex-1">{String(facts['name'] ?? composeId)}</span>
              <Button
                small
                isBusy={approve.isPending}
                onClick={() => approve.mutate({ composeId, digest: String(facts['digest']) })}
              >
                Approve
              </Button>
            </li>
          );
        })}
      </ul>
      <Fault error={approve.error} />
    </Panel>
  );
}
