/** The cluster of a server: its nodes, and what may be done with each. */
import { useState, type ReactElement } from 'react';
import { Go } from '../frame/link.tsx';
import { useAsk, useDo } from '../live/api.ts';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { Mark } from '../parts/mark.tsx';
import { Fault, SkeletonRows } from '../parts/notices.tsx';
import { Panel } from '../parts/page.tsx';

interface Place {
  serverId: string;
  clusterServerId: string | null;
}

interface Node {
  nodeId: string;
  serverId: string | null;
  name: string;
  isHead: boolean;
  role: string;
  isLeader: boolean;
  availability: string;
  state: string;
  message: string;
  tasks: number;
}

export function Cluster({ server: { serverId, clusterServerId } }: { server: Place }): ReactElement {
  const nodes = useAsk('cluster.nodes', { serverId }, { retry: false, every: 15_000 });
  const { data: servers = [] } = useAsk('server.all', {});
  const head = servers.find((one) => one.serverId === clusterServerId);
  const rows: readonly Node[] = nodes.data ?? [];
  return (
    <Panel title="Cluster">
      <div className="grid gap-3 p-4 text-13 empty:hidden">
        <Fault error={nodes.error} />
        {head && (
          <p className="text-muted">
            A node of the cluster of <Go to={`/servers/${head.serverId}`}>{head.name}</Go>. Services name that
            server and run on all its nodes.
          </p>
        )}
      </div>
      {!nodes.data && !nodes.error && <SkeletonRows rows={1} />}
      <ul className="rows text-13">
        {rows.map((node) => (
          <NodeRow key={node.nodeId} node={node} />
        ))}
      </ul>
      {clusterServerId === null && <Join serverId={serverId} />}
    </Panel>
  );
}

const statesOf: Readonly<Record<string, { of: 'up' | 'down' | 'unreachable'; word: string }>> = {
  ready: { of: 'up', word: 'Ready' },
  down: { of: 'down', word: 'Down' },
  disconnected: { of: 'unreachable', word: 'Disconnected' },
};

const availabilities: Readonly<Record<string, string>> = {
  pause: 'gets no new tasks',
  drain: 'drained',
};

function NodeRow({ node }: { node: Node }): ReactElement {
  const { name, state, role, isHead, isLeader, availability, tasks, serverId, message } = node;
  const mark = statesOf[state] ?? { of: 'unreachable', word: 'Unknown' };
  const about = [isHead ? 'head' : '', isLeader ? 'leader' : role, availabilities[availability] ?? '']
    .filter((word) => word !== '')
    .join(', ');
  return (
    <li className="flex min-h-(--row) flex-wrap items-center gap-x-4 pr-2 pl-4" title={message}>
      <Mark {...mark} />
      <span className="cut flex-1 basis-24" title={name}>
        {name}
      </span>
      <span className="text-faint">{about}</span>
      <span className="text-faint max-sm:hidden">{tasks === 1 ? '1 task' : `${tasks} tasks`}</span>
      {serverId !== null && !isHead && <NodeActions node={node} nodeServerId={serverId} />}
    </li>
  );
}

type Change = 'drain' | 'leave' | 'remove';

const asked: Readonly<Record<Change, { verb: string; words: string }>> = {
  drain: {
    verb: 'Drain',
    words: 'Each service that runs there is started on another node and checked before it ends there.',
  },
  leave: {
    verb: 'Leave',
    words: 'It is drained, leaves the cluster, and is set up with a swarm of its own again.',
  },
  remove: { verb: 'Remove', words: 'The cluster forgets the lost node. Its server stays as one not set up.' },
};

function NodeActions({ node, nodeServerId }: { node: Node; nodeServerId: string }): ReactElement {
  const [asking, setAsking] = useState<Change | undefined>();
  const doing = {
    drain: useDo('cluster.drain'),
    leave: useDo('cluster.leave'),
    remove: useDo('cluster.remove'),
  };
  const activate = useDo('cluster.activate');
  const promote = useDo('cluster.promote');
  const demote = useDo('cluster.demote');
  const isManager = node.role === 'manager';
  const error = activate.error ?? promote.error ?? demote.error;
  return (
    <>
      <span className="flex gap-1">
        {node.availability === 'active' ? (
          <Button small look="quiet" onClick={() => setAsking('drain')}>
            Drain
          </Button>
        ) : (
          <Button
            small
            look="quiet"
            isBusy={activate.isPending}
            onClick={() => activate.mutate({ nodeServerId })}
          >
            Activate
          </Button>
        )}
        <Button
          small
          look="quiet"
          isBusy={promote.isPending || demote.isPending}
          onClick={() => (isManager ? demote : promote).mutate({ nodeServerId })}
        >
          {isManager ? 'Make worker' : 'Make manager'}
        </Button>
        <Button small look="quiet" onClick={() => setAsking(node.state === 'ready' ? 'leave' : 'remove')}>
          {node.state === 'ready' ? 'Leave' : 'Remove'}
        </Button>
      </span>
      {error && (
        <div className="w-full py-2">
          <Fault error={error} />
        </div>
      )}
      {asking && (
        <Confirm
          title={`${asked[asking].verb} ${node.name}?`}
          verb={asked[asking].verb}
          onClose={() => setAsking(undefined)}
          onConfirm={() => doing[asking].mutateAsync({ nodeServerId })}
        >
          <p>{asked[asking].words}</p>
        </Confirm>
      )}
    </>
  );
}

function Join({ serverId }: { serverId: string }): ReactElement | null {
  const { data: servers = [] } = useAsk('server.all', {});
  const join = useDo('cluster.join');
  const [target, setTarget] = useState('');
  const [role, setRole] = useState<'worker' | 'manager'>('worker');
  const free = servers.filter(
    (one) =>
      one.serverId !== serverId &&
      one.serverType === 'deploy' &&
      one.status === 'active' &&
      one.clusterServerId === null,
  );
  if (free.length === 0) return null;
  return (
    <form
      className="flex flex-wrap items-end gap-3 p-4 text-13"
      onSubmit={(event) => {
        event.preventDefault();
        join.mutate({ serverId, nodeServerId: target, role }, { onSuccess: () => setTarget('') });
      }}
    >
      <div className="field">
        <label htmlFor="join-server">Add a node</label>
        <select
          id="join-server"
          className="input"
          value={target}
          onChange={(event) => setTarget(event.target.value)}
        >
          <option value="">Choose a server…</option>
          {free.map((one) => (
            <option key={one.serverId} value={one.serverId}>
              {one.name}
            </option>
          ))}
        </select>
      </div>
      <div className="field">
        <label htmlFor="join-role">Role</label>
        <select
          id="join-role"
          className="input"
          value={role}
          onChange={(event) => setRole(event.target.value === 'manager' ? 'manager' : 'worker')}
        >
          <option value="worker">Worker</option>
          <option value="manager">Manager</option>
        </select>
      </div>
      <Button type="submit" disabled={target === ''} isBusy={join.isPending}>
        Join
      </Button>
      <div className="w-full empty:hidden">
        <Fault error={join.error} />
      </div>
    </form>
  );
}
