/** What stands on machines without a record of this installation. */
import { useState, type ReactElement } from 'react';
import { Form } from '../form/form.tsx';
import { toast } from '../frame/toasts.tsx';
import { useAsk, useDo } from '../live/api.ts';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { Fault } from '../parts/notices.tsx';
import { Panel } from '../parts/page.tsx';
import { Ago } from '../parts/time.tsx';

const ownMachine = 'local';

/** Services of this installation that none of its records names. */
export function UnknownServices(): ReactElement | null {
  const { data } = useAsk('cleanup.unknown', {}, { retry: false });
  const { data: servers } = useAsk('server.all', {}, { retry: false });
  const remove = useDo('cleanup.removeUnknown');
  const [asked, setAsked] = useState<{ serverKey: string; name: string }>();
  if (!data || data.length === 0) return null;
  const machineOf = (serverKey: string): string =>
    serverKey === ownMachine
      ? 'this machine'
      : (servers?.find(({ serverId }) => serverId === serverKey)?.name ?? serverKey);
  return (
    <Panel title="Services without a record">
      <div className="grid gap-2 p-3">
        <p className="text-13 text-faint">
          Berth made them, and none of its records names them. Their volumes stay when they are removed.
        </p>
        <Fault error={remove.error} />
      </div>
      <ul className="rows text-13">
        {data.map(({ serverKey, name, owner, seenAt, removedAt }) => (
          <li key={`${serverKey} ${name}`} className="flex min-h-(--row) flex-wrap items-center gap-x-4 px-4">
            <span className="cut min-w-32 flex-1 font-medium" title={owner}>
              {name}
            </span>
            <span className="text-faint">on {machineOf(serverKey)}</span>
            <span className="text-faint max-sm:hidden">
              found <Ago at={seenAt} />
            </span>
            <span className="text-faint">
              {removedAt === null ? (
                'goes on'
              ) : (
                <>
                  stopped, removed <Ago at={removedAt} />
                </>
              )}
            </span>
            <Button small onClick={() => setAsked({ serverKey, name })}>
              Remove now
            </Button>
          </li>
        ))}
      </ul>
      {asked && (
        <Confirm
          title={`Remove ${asked.name}?`}
          verb="Remove"
          onClose={() => setAsked(undefined)}
          onConfirm={() =>
            remove.mutateAsync({
              name: asked.name,
              ...(asked.serverKey === ownMachine ? {} : { serverId: asked.serverKey }),
            })
          }
        >
          <p>The service on {machineOf(asked.serverKey)} ends with its containers. Its volumes stay.</p>
        </Confirm>
      )}
    </Panel>
  );
}

/** Deletions that removed a service whose containers go on. */
export function UnfinishedDeletions(): ReactElement | null {
  const { data } = useAsk('cleanup.unfinished', {}, { retry: false });
  if (!data || data.length === 0) return null;
  return (
    <Panel title="Deletions that go on">
      <p className="p-3 text-13 text-faint">
        Berth removed these services, and some of their containers have not ended. It tries again each minute;
        starting or deploying the service ends that.
      </p>
      <ul className="rows text-13">
        {data.map(({ serviceId, name, since, reason, tries }) => (
          <li key={serviceId} className="flex min-h-(--row) flex-wrap items-center gap-x-4 px-4">
            <span className="cut min-w-32 font-medium">{name}</span>
            <span className="text-faint">
              deleted <Ago at={since} />, {tries} {tries === 1 ? 'try' : 'tries'}
            </span>
            <span className="cut min-w-32 flex-1 text-faint" title={reason}>
              {reason}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** What other installations have on the engine of Berth's machine. */
export function ThingsOfOthers(): ReactElement | null {
  const { data } = useAsk('cleanup.others', {}, { retry: false });
  if (!data || data.length === 0) return null;
  return (
    <Panel title="Of other installations">
      <ul className="rows text-13">
        {data.map(({ kind, name, installationId }) => (
          <li key={`${kind} ${name}`} className="flex min-h-(--row) items-center gap-4 px-4">
            <span className="w-24 shrink-0 text-faint">{kind}</span>
            <span className="cut flex-1" title={name}>
              {name}
            </span>
            <span className="cut text-faint">{installationId ?? 'from before there were ids'}</span>
          </li>
        ))}
      </ul>
      <p className="px-4 py-2 text-13 text-faint">Berth never touches them.</p>
    </Panel>
  );
}

/** For servers that a restored or moved Berth finds kept by the one before it. */
export function FormerIncarnation(): ReactElement {
  return (
    <Panel title="Servers kept by a former Berth" isPadded>
      <div className="grid gap-4 text-13">
        <p className="text-muted">
          Each restore of this installation begins a new incarnation. A server that a former one keeps refuses
          this Berth and names that incarnation. Once it has ended for good, give it up here, then set the
          server up again.
        </p>
        <Form
          of="cleanup.giveUp"
          change={{ incarnationId: { label: 'Former incarnation' } }}
          verb="Give up"
          onDone={() => toast('The former incarnation is given up')}
        />
      </div>
    </Panel>
  );
}
