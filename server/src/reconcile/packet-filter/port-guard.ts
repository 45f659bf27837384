/**
 * Keeps containers from Berth's port and the engine's, on each host whose packet filter is ours to set, and
 * on servers everybody but the nodes of their swarm from its ports.
 */
import { isDeepStrictEqual } from 'node:util';
import { walledPorts, type WalledPorts } from '../../domain/network/port-wall.ts';
import { localServer } from '../../domain/names/server-key.ts';
import { oneAtATimePerKey } from '../../domain/time/one-at-a-time.ts';
import type { EngineView, SwarmNode } from '../../ports/engine/engine-view.ts';
import type { Host } from '../../ports/host/host.ts';
import type { OutwardPolicy } from './outward-policy.ts';

/** What the rules of a host are made of, and set with. */
export interface GuardedHost extends Pick<Host, 'key' | 'portWall'> {
  engineView: Pick<EngineView, 'bridges'> & {
    swarmNodes(): Promise<Pick<SwarmNode, 'address' | 'manager'>[]>;
    containersBehind: EngineView['containersBehind'];
  };
}

export interface PortGuard {
  /**
   * Puts the rules right; gives what it had to do, and once why it cannot. `peers` are the addresses of the
   * nodes of a server's swarm; of Berth's own machine nobody knows them.
   */
  guard(host: GuardedHost, peers?: readonly string[]): Promise<string[]>;
  /**
   * Sets the rules once more when a container has started or ended on the host; does nothing where rules name
   * no containers. Never throws.
   */
  follow(host: GuardedHost): void;
  /** Of Berth's own machine: undefined before the first look; a problem when there are no rules. */
  state(): { isSet: boolean; problem: string | null } | undefined;
}

export type CreatePortGuard = (port: number, outwardOf?: OutwardPolicy) => PortGuard;

export const createPortGuard: CreatePortGuard = (port, outwardOf) => {
  const problems = new Map<string, string | undefined>();
  /** What was wanted of each host last: a change of that is no drift. */
  const last = new Map<string, WalledPorts>();
  /** By host: rules of an earlier look must not replace those of a later one. */
  const inTurn = oneAtATimePerKey();
  const due = new Set<string>();

  async function guardNow(host: GuardedHost, peers?: readonly string[]): Promise<string[]> {
    const { key, engineView, portWall } = host;
    if (!portWall) return [];
    const own = key === localServer ? port : undefined;
    const outward = await outwardOf?.(host);
    const wanted = walledPorts(await engineView.bridges(), own, { peers, outward });
    const { changed, problem } = await portWall.ensure(wanted);
    const former = last.get(key);
    last.set(key, wanted);
    const isNew = !problems.has(key) || problems.get(key) !== problem;
    problems.set(key, problem);
    if (problem !== undefined) return isNew ? [unset(problem, own)] : [];
    return [
      ...(changed && (former === undefined || isDeepStrictEqual(former, wanted)) ? [setAgain] : []),
      ...(changed && isClosing(wanted) && !isClosing(former) ? [closing] : []),
    ];
  }
  return {
    guard: (host, peers) => inTurn(host.key, () => guardNow(host, peers)),
    follow(host) {
      if (outwardOf === undefined || due.has(host.key)) return;
      due.add(host.key);
      const look = async (): Promise<void> => {
        due.delete(host.key);
        const former = last.get(host.key);
        // Before the first look of all there is nothing to follow.
        if (former === undefined || isDeepStrictEqual(former.outward, await outwardOf(host))) return;
        await guardNow(host, former.peers);
      };
      // What cannot be done now is told by the look of each minute.
      void inTurn(host.key, look).catch(() => undefined);
    },
    state() {
      if (!problems.has(localServer)) return undefined;
      const problem = problems.get(localServer);
      return { isSet: problem === undefined, problem: problem ?? null };
    },
  };
};

const reached = (own: number | undefined): string =>
  own === undefined ? 'the ports' : `Berth's own port ${own} and those`;

const isClosing = (wanted: WalledPorts | undefined): boolean =>
  wanted?.outward !== undefined && wanted.outward.open !== 'all';

const unset = (problem: string, own: number | undefined): string =>
  `ports: ${problem}; services' containers can reach ${reached(own)} of the swarm, the machine and its ` +
  'private networks. Keep them closed by a firewall of your own';

const setAgain =
  "ports: the rules that keep containers away from the machine's own ports were missing; set again";

const closing =
  'ports: services of organizations other than the first one and trusted ones reach private networks and ' +
  'this machine no longer, but for name resolution and the ports of the proxy. allowedPrivateNetworks ' +
  'opens a network to all, organization.setTrusted all of them to one organization';
