/** The machines of the swarm, and the containers on this one. */
import { useState, type ReactElement } from 'react';
import { useAsk, useDo } from '../live/api.ts';
import { OutputDialog } from '../log/output-dialog.tsx';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Mark } from '../parts/mark.tsx';
import { Fault, SkeletonRows } from '../parts/notices.tsx';
import { Panel } from '../parts/page.tsx';

type Facts = Readonly<Record<string, unknown>>;
const text = (facts: Facts, ...names: string[]): string => {
  const found = names
    .map((name) => facts[name])
    .find((value) => typeof value === 'string' || typeof value === 'number');
  return found === undefined ? '' : String(found);
};

export function Nodes({ serverId }: { serverId?: string }): ReactElement {
  const input = serverId ? { serverId } : {};
  const { data, error } = useAsk('swarm.getNodes', input, { retry: false });
  const [node, setNode] = useState<string | undefined>();
  const rows = (data ?? []) as readonly Facts[];
  return (
    <>
      <Panel title="Swarm">
        {error && (
          <div className="p-3">
            <Fault error={error} />
          </div>
        )}
        {!data && !error && <SkeletonRows rows={1} />}
        <ul className="rows text-13">
          {rows.map((row) => {
            const status = text(row, 'Status', 'status', 'state');
            const id = text(row, 'ID', 'nodeId', 'id');
            return (
              <li key={id} className="flex min-h-(--row) items-center gap-4 pr-2 pl-4">
                <Mark of={/ready/i.test(status) ? 'up' : 'down'} word={status || 'Unknown'} />
                <span className="cut flex-1">{text(row, 'Hostname', 'hostname', 'name')}</span>
                <span className="text-faint max-sm:hidden">{text(row, 'ManagerStatus', 'role', 'Role')}</span>
                <Button small look="quiet" onClick={() => setNode(id)}>
                  Details
                </Button>
              </li>
            );
          })}
        </ul>
      </Panel>
      <Containers {...(serverId ? { serverId } : {})} />
      {node && <NodeInfo nodeId={node} input={input} onClose={() => setNode(undefined)} />}
    </>
  );
}

function NodeInfo({
  nodeId,
  input,
  onClose,
}: {
  nodeId: string;
  input: object;
  onClose: () => void;
}): ReactElement {
  const info = useAsk('swarm.getNodeInfo', { nodeId, ...input } as never, { retry: false });
  const apps = useAsk('swarm.getNodeApps', input as never, { retry: false });
  return (
    <Dialog title="Node" look="wide" onClose={onClose}>
      <Fault error={info.error ?? apps.error} />
      <pre className="max-h-[50dvh] overflow-auto rounded-md bg-sunken p-3 text-12" tabIndex={0}>
        {JSON.stringify({ node: info.data, services: apps.data }, null, 2)}
      </pre>
    </Dialog>
  );
}

function Containers({ serverId }: { serverId?: string }): ReactElement {
  const input = serverId ? { serverId } : {};
  const { data, error } = useAsk('container.getContainers', input, { retry: false, every: 15_000 });
  const restart = useDo('container.restartContainer');
  const [shown, setShown] = useState<string | undefined>();
  const [read, setRead] = useState<{ id: string; name: string } | undefined>();
  const rows = (data ?? []) as readonly Facts[];
  return (
    <Panel title={data ? `Containers: ${rows.length}` : 'Containers'}>
      {(error ?? restart.error) && (
        <div className="p-3">
          <Fault error={error ?? restart.error} />
        </div>
      )}
      <ul className="rows text-13">
        {rows.map((row) => {
          const id = text(row, 'containerId', 'Id', 'id');
          const state = text(row, 'state', 'State');
          return (
            <li
              key={id}
              className={
                'grid min-h-(--row) grid-cols-[76px_minmax(0,1fr)_max-content] items-center ' +
                'gap-x-4 pr-2 pl-4 ' +
                'md:grid-cols-[76px_minmax(0,1.3fr)_minmax(0,1fr)_168px_max-content]'
              }
            >
              <Mark of={state === 'running' ? 'up' : 'stopped'} word={state} />
              <span className="cut" title={text(row, 'name', 'Name')}>
                {text(row, 'name', 'Name')}
              </span>
              <code className="cut text-12 text-faint max-md:hidden" title={text(row, 'image', 'Image')}>
                {text(row, 'image', 'Image')}
              </code>
              <span className="cut text-12 text-faint max-md:hidden">{text(row, 'status', 'Status')}</span>
              <span className="flex items-center gap-1">
                <Button
                  small
                  look="quiet"
                  aria-label={`Logs of ${text(row, 'name')}`}
                  onClick={() => setRead({ id, name: text(row, 'name', 'Name') })}
                >
                  Logs
                </Button>
                <Button
                  small
                  look="quiet"
                  icon="eye"
                  aria-label={`Configuration of ${text(row, 'name')}`}
                  onClick={() => setShown(id)}
                />
                <Button
                  small
                  look="quiet"
                  icon="refresh"
                  aria-label={`Restart ${text(row, 'name')}`}
                  onClick={() => restart.mutate({ containerId: id, ...input } as never)}
                />
              </span>
            </li>
          );
        })}
      </ul>
      {read && (
        <OutputDialog
          of="container.logs"
          input={{ containerId: read.id, ...input }}
          name={read.name}
          onClose={() => setRead(undefined)}
        />
      )}
      {shown && <Configuration containerId={shown} input={input} onClose={() => setShown(undefined)} />}
    </Panel>
  );
}

function Configuration({
  containerId,
  input,
  onClose,
}: {
  containerId: string;
  input: object;
  onClose: () => void;
}): ReactElement {
  const { data, error } = useAsk('container.getConfig', { containerId, ...input } as never, { retry: false });
  return (
    <Dialog title="Container" look="wide" onClose={onClose}>
      <Fault error={error} />
      <pre className="max-h-[60dvh] overflow-auto rounded-md bg-sunken p-3 text-12" tabIndex={0}>
        {JSON.stringify(data, null, 2)}
      </pre>
    </Dialog>
  );
}
