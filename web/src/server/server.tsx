/** One server: set-up, what is installed and how safe it is, its containers. */
import { useParams } from '@tanstack/react-router';
import { useEffect, useState, type ReactElement } from 'react';
import type { FieldChange } from '../form/form-field.tsx';
import { Form } from '../form/form.tsx';
import { useGo } from '../frame/link.tsx';
import { useAsk, useDo } from '../live/api.ts';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { Mark } from '../parts/mark.tsx';
import { Fault } from '../parts/notices.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { PendingPage } from '../parts/pending-page.tsx';
import { KeptVolumes } from '../backup/kept-volumes.tsx';
import { Cluster } from './cluster.tsx';
import { ForgetServer } from './forget-server.tsx';
import { Monitoring } from './monitoring.tsx';
import { Nodes } from './nodes.tsx';
import { ServerMetrics } from './server-metrics.tsx';
import { stateOf } from './servers.tsx';
import { HostKey, SetupLog } from './setup-log.tsx';
import { BaseDomainRecord } from '../settings/base-domain-record.tsx';
import { texts } from './texts.ts';

const setupReadMs = 2_000;

/** With the record that it needs. */
const baseDomainOf = (serverId: string): FieldChange => ({
  label: 'Base domain of services',
  help: texts.baseDomain,
  example: 'edge.example.com',
  below: ({ baseDomain }) =>
    typeof baseDomain === 'string' && baseDomain !== '' ? (
      <BaseDomainRecord base={baseDomain} of={{ serverId }} />
    ) : null,
});

export function ServerPage(): ReactElement {
  const { serverId = '' }: { serverId?: string } = useParams({ strict: false });
  const [isRunning, setRunning] = useState(false);
  const { data: server, error } = useAsk(
    'server.one',
    { serverId },
    { every: isRunning ? setupReadMs : false },
  );
  const [attempt, setAttempt] = useState(0);
  const setup = useDo('server.setup');
  useEffect(() => setRunning(server?.setupStatus === 'running'), [server?.setupStatus]);
  const remove = useDo('server.remove');
  const go = useGo();
  const [isRemoving, setRemoving] = useState(false);
  if (!server) return <PendingPage title="Server" error={error} />;
  const isActive = server.status === 'active';
  return (
    <Page
      title={server.name}
      mark={<Mark {...stateOf(server)} />}
      about={<code>{`${server.username}@${server.ipAddress}:${server.port}`}</code>}
      actions={
        <Button
          look={isActive ? '' : 'primary'}
          isBusy={setup.isPending || server.setupStatus === 'running'}
          onClick={() => setup.mutate({ serverId }, { onSuccess: () => setAttempt(attempt + 1) })}
        >
          {isActive ? 'Set up again' : 'Set up'}
        </Button>
      }
    >
      <div className="mb-4 empty:hidden">
        <Fault error={setup.error} />
      </div>
      <SetupLog server={server} attempt={attempt} />
      {isActive && server.metricsConfig !== null && <ServerMetrics serverId={serverId} />}
      <Checks serverId={serverId} />
      {isActive && server.serverType === 'deploy' && <Cluster server={server} />}
      {isActive && server.clusterServerId === null && <Nodes serverId={serverId} />}
      {isActive && <Monitoring key={server.serverId} server={server} />}
      <Panel title="Settings" isPadded>
        <Form
          of="server.update"
          show={[
            'name',
            'description',
            'ipAddress',
            'port',
            'username',
            'serverType',
            'buildsConcurrency',
            'baseDomain',
          ]}
          change={{ baseDomain: baseDomainOf(serverId) }}
          fixed={{ serverId }}
          stored={{ ...server }}
          verb="Save"
        />
      </Panel>
      {isActive && <KeptVolumes serverId={serverId} />}
      <HostKey server={server} />
      <Panel title="Remove" isPadded>
        <div className="flex flex-wrap items-center gap-4 text-13">
          <p className="flex-1 basis-60 text-muted">
            Only a server without services can be removed. Nothing on it is changed.
          </p>
          <Button look="danger" onClick={() => setRemoving(true)}>
            Remove server
          </Button>
        </div>
        <ForgetServer server={server} />
      </Panel>
      {isRemoving && (
        <Confirm
          title={`Remove ${server.name}?`}
          verb="Remove"
          typed={server.name}
          onClose={() => setRemoving(false)}
          onConfirm={() => remove.mutateAsync({ serverId }).then(() => go('/servers'))}
        >
          <p>Berth forgets it. The machine and what runs on it stay as they are.</p>
        </Confirm>
      )}
    </Page>
  );
}

function Checks({ serverId }: { serverId: string }): ReactElement {
  const [isAsked, setAsked] = useState(false);
  const options = { enabled: isAsked, retry: false };
  const programs = useAsk('server.validate', { serverId }, options);
  const security = useAsk('server.security', { serverId }, options);
  return (
    <Panel
      title="Checks"
      actions={
        <Button
          small
          isBusy={programs.isFetching || security.isFetching}
          onClick={() =>
            isAsked ? void Promise.all([programs.refetch(), security.refetch()]) : setAsked(true)
          }
        >
          Look now
        </Button>
      }
    >
      <div className="grid gap-2 p-4 text-13 empty:hidden">
        <Fault error={programs.error ?? security.error} />
        {programs.data && <Tree value={programs.data} />}
        {security.data && <Tree value={security.data} />}
        {!isAsked && (
          <p className="text-faint">What is installed, and how safely SSH and the firewall are set up.</p>
        )}
      </div>
    </Panel>
  );
}

/** Facts of the server as words. */
function Tree({ value }: { value: object }): ReactElement {
  return (
    <dl className="facts">
      {Object.entries(value).map(([name, one]) => (
        <div key={name} className="contents">
          <dt>{name.replaceAll(/([A-Z])/g, ' $1').toLowerCase()}</dt>
          <dd>
            {one !== null && typeof one === 'object'
              ? Object.entries(one)
                  .map(([part, is]) => `${part}: ${String(is)}`)
                  .join(', ')
              : String(one)}
          </dd>
        </div>
      ))}
    </dl>
  );
}
