/**
 * Keeps containers from Berth's port and the engine's, on each host whose packet filter is ours to set, and
 * on servers everybody but the nodes of their swarm from its ports.
 */
import { walledPorts } from '../domain/network/port-wall.ts';
import { localServer } from '../domain/names/server-key.ts';
import type { EngineView, SwarmNode } from '../ports/engine/engine-view.ts';
import type { Host } from '../ports/host/host.ts';

/** What the rules of a host are made of, and set with. */
export interface GuardedHost extends Pick<Host, 'key' | 'portWall'> {
  engineView: Pick<EngineView, 'bridges'> & {
    swarmNodes(): Promise<Pick<SwarmNode, 'address' | 'manager'>[]>;
  };
}

export interface PortGuard {
  /**
   * Puts the rules right; gives what it had to do, and once why it cannot. `peers` are the addresses of the
   * nodes of a server's swarm; of Berth's own machine nobody knows them.
   */
  guard(host: GuardedHost, peers?: readonly string[]): Promise<string[]>;
  /** Of Berth's own machine: undefined before the first look; a problem when there are no rules. */
  state(): { isSet: boolean; problem: string | null } | undefined;
}

export type CreatePortGuard = (port: number) => PortGuard;

export const createPortGuard: CreatePortGuard = (port) => {
  const problems = new Map<string, string | undefined>();
  return {
    async guard({ key, engineView, portWall }, peers) {
      if (!portWall) return [];
      const own = key === localServer ? port : undefined;
      const wanted = walledPorts(await engineView.bridges(), own, peers);
      const { changed, problem } = await portWall.ensure(wanted);
      const isNew = !problems.has(key) || problems.get(key) !== problem;
      problems.set(key, problem);
      if (problem !== undefined)
        return isNew
          ? [
              `ports: ${problem}; services' containers can reach ${reached(own)} of the swarm. Keep them ` +
                'closed by a firewall of your own',
            ]
          : [];
      return changed
        ? ["ports: the rules that keep containers away from the machine's own ports were missing; set again"]
        : [];
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
