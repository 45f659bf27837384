import type { ReactElement } from 'react';
import { Go } from '../frame/link.tsx';
import { useAsk } from '../live/api.ts';
import { useRights } from '../live/viewer.ts';
import { Button } from '../parts/button.tsx';
import { Mark, type MarkName } from '../parts/mark.tsx';
import { Empty, Notice, ReadFault, SkeletonRows } from '../parts/notices.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { useAsked } from '../frame/asked.ts';
import { AddServer } from './add-server.tsx';
import { Nodes } from './nodes.tsx';
import { texts } from './texts.ts';

export function Servers(): ReactElement {
  const { leads, viewer } = useRights();
  const { data, error } = useAsk('server.all', {}, { enabled: leads, retry: false });
  const [asked, setAsked] = useAsked(['add'] as const);
  const isAdding = asked === 'add';
  const setAdding = (is: boolean): void => setAsked(is ? 'add' : undefined);
  if (viewer && !leads)
    return (
      <Page title="Servers">
        <Notice tone="busy">Servers are shown to Owners and Admins of the organization.</Notice>
      </Page>
    );
  const add = (
    <Button look="primary" icon="plus" onClick={() => setAdding(true)}>
      Add server
    </Button>
  );
  return (
    <Page title="Servers" actions={data?.length ? add : undefined}>
      <ReadFault error={error} />
      <Panel title="Servers">
        {!data && !error && <SkeletonRows rows={3} />}
        {data?.length === 0 && (
          <Empty icon="server" title="No server besides this machine" action={add}>
            {texts.empty}
          </Empty>
        )}
        <div className="rows">
          {data?.map((server) => (
            <Go
              key={server.serverId}
              to={`/servers/${server.serverId}`}
              data-row
              className="flex min-h-(--row) items-center gap-4 px-4 text-13 no-underline"
            >
              <span className="cut flex-1 font-medium">{server.name}</span>
              <code className="cut text-12 text-faint max-sm:hidden">
                {server.username}@{server.ipAddress}
              </code>
              <span className="w-24 text-12 text-faint max-sm:hidden">
                {server.totalServices} {server.totalServices === 1 ? 'service' : 'services'}
              </span>
              <span className="w-28">
                <Mark {...stateOf(server)} />
              </span>
            </Go>
          ))}
        </div>
      </Panel>
      <Nodes />
      {isAdding && <AddServer onClose={() => setAdding(false)} />}
    </Page>
  );
}

/** What a server is good for, in a mark and a word. */
export function stateOf({ status, setupStatus }: { status: string; setupStatus: string }): {
  of: MarkName;
  word: string;
} {
  if (setupStatus === 'running') return { of: 'running', word: 'Being set up' };
  if (status === 'active') return { of: 'up', word: 'Set up' };
  return setupStatus === 'error'
    ? { of: 'failed', word: 'Set-up failed' }
    : { of: 'none', word: 'Not set up' };
}
