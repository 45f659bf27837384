/**
 * Who let which service reach the machine, and whether that still holds (decisions 2 and 8): approvals of
 * mounts and of compose files.
 */
import {
  digestOf,
  everyService,
  canonical,
  uncovered,
  type Approval,
  type Danger,
} from '../../domain/access/danger.ts';
import { classRule, hostStandings, onOwnServer, type Standing } from '../../domain/access/permissions.ts';
import { AppError } from '../../domain/errors.ts';
import { localServer } from '../../domain/names/server-key.ts';
import type { ServiceRef } from '../../domain/names/service-ref.ts';
import { isoTime, type Clock } from '../../ports/clock.ts';
import { firstFreePort } from './dangers.ts';
import type { HostReachStore, KnownService } from './store.ts';
import type { Places } from './places.ts';

/** A person with host reach. */
export interface Approver {
  userId: string;
  organizationId: string;
}

/** Approvals as records, whatever the machine. */
export interface Approvals {
  /** An approval of these dangers, as the machine sees them, for the service as it is now. */
  approval(service: ServiceRef, dangers: readonly Danger[], by: Approver): Promise<Approval>;
  /** Whether an approval is for the service as it is now, by somebody who may still give it. */
  holds(
    approval: Approval,
    service: Pick<KnownService, 'subject' | 'organizationId' | 'serverKey' | 'machineSince'>,
  ): Promise<boolean>;
  /** What of these dangers nobody has approved for the service. */
  unapproved(service: ServiceRef, dangers: readonly Danger[]): Promise<Danger[]>;
  /** Whether the organization's Owners and Admins may reach Berth's own machine. */
  reachesHost(organizationId: string): Promise<boolean>;
  /** The same of the machine of this key. */
  reachesServer(organizationId: string, serverKey: string): Promise<boolean>;
  /**
   * Runs a change of the service's place or source by somebody who may approve: approvals of its mounts that
   * held before it hold after it.
   */
  keeping<T>(service: ServiceRef, by: Approver, change: () => Promise<T>): Promise<T>;
  /** The service as it is now. */
  find(service: ServiceRef): Promise<KnownService | undefined>;
}

/** The same with the machines that the services stand on. */
export interface HostReach extends Approvals {
  /** Of a server; of one that is not connected, as far as paths can be judged by themselves. */
  placesOf(serverKey: string): Promise<Places>;
  /** An approval of a bind of this path. */
  bindApproval(service: ServiceRef, hostPath: string, by: Approver): Promise<Approval>;
}

export interface ApprovalsParts {
  store: HostReachStore;
  clock: Clock;
  standingOf(organizationId: string): Promise<Standing>;
  /** Whether the server is the organization's own machine. */
  ownsServer(organizationId: string, place: { serverId: string }): Promise<boolean>;
}

/**
 * What of the dangers belongs to an approval: whoever may push to a repository was trusted with how its
 * services start.
 */
export function asApproved(
  { isRaw }: Pick<KnownService, 'isRaw'>,
  dangers: readonly Danger[],
): readonly Danger[] {
  return isRaw ? dangers : dangers.map(({ start: _start, ...danger }) => danger);
}

export function createHostReach(approvals: Approvals, placesOf: HostReach['placesOf']): HostReach {
  return {
    ...approvals,
    placesOf,
    async bindApproval(service, hostPath, by) {
      const places = await placesOf((await approvals.find(service))?.serverKey ?? localServer);
      const value = await places.real(hostPath, 'hostPath', 'would give the service');
      return approvals.approval(
        service,
        [{ service: everyService, what: 'bind', value, access: 'writable' }],
        by,
      );
    },
  };
}

export function createApprovals({ store, clock, standingOf, ownsServer }: ApprovalsParts): Approvals {
  const reachesHost = async (organizationId: string): Promise<boolean> =>
    hostStandings.includes(await standingOf(organizationId));
  const owns = async (organizationId: string, serverKey: string): Promise<boolean> =>
    serverKey !== localServer && ownsServer(organizationId, { serverId: serverKey });
  const stamp = (
    subject: string,
    dangers: readonly Danger[],
    { userId, organizationId }: Approver,
  ): Approval => ({
    digest: digestOf(subject, dangers),
    dangers: canonical(dangers),
    subject,
    userId,
    organizationId,
    at: isoTime(clock),
  });
  const holds = holdsBy(standingOf, owns);
  async function approval(service: ServiceRef, dangers: readonly Danger[], by: Approver): Promise<Approval> {
    const known = await store.find(service);
    return stamp(known?.subject ?? '', known ? asApproved(known, dangers) : dangers, by);
  }
  return {
    find: store.find,
    reachesHost,
    reachesServer: async (organizationId, serverKey) =>
      (await reachesHost(organizationId)) || owns(organizationId, serverKey),
    holds,
    approval,
    async unapproved(service, dangers) {
      const known = await store.find(service);
      if (!known) return canonical(dangers);
      const held: Danger[] = [];
      for (const one of known.approvals) if (await holds(one, known)) held.push(...one.dangers);
      return uncovered(asApproved(known, dangers), held);
    },
    async keeping(service, by, change) {
      const approved = (await store.mounts(service)).filter(({ approval }) => approval !== null);
      // Every change of a setting comes here, and most services bind nothing.
      if (approved.length === 0) return change();
      const before = await store.find(service);
      const held = [];
      for (const mount of before ? approved : [])
        if (before && mount.approval && (await holds(mount.approval, before))) held.push(mount);
      const value = await change();
      const after = await store.find(service);
      if (after && after.subject !== before?.subject)
        for (const { mountId, approval: given } of held)
          await store.approveMount(mountId, stamp(after.subject, given?.dangers ?? [], by));
      return value;
    },
  };
}

function holdsBy(
  standingOf: ApprovalsParts['standingOf'],
  owns: (organizationId: string, serverKey: string) => Promise<boolean>,
): Approvals['holds'] {
  return async (approval, { subject, organizationId, serverKey, machineSince }) => {
    if (approval.subject !== subject) return false;
    const standing = await standingOf(approval.organizationId);
    const isOwn = approval.organizationId === organizationId;
    // A tenant must not name another machine in the place of the one that it was given for.
    const isForFormer = machineSince !== null && approval.at <= machineSince;
    if (isForFormer && !(isOwn && hostStandings.includes(standing))) return false;
    if (standing === 'installation') return true;
    // Others answer for their own services alone.
    return isOwn && (standing === 'trusted' || owns(organizationId, serverKey));
  };
}

/**
 * Of a service that goes to another machine: FORBIDDEN for a port below 1024, with the ways out, when the
 * caller is not among those who may have one there.
 */
export async function requireLowPortsAllowed(
  name: string,
  ports: readonly { published: number; protocol: string }[],
  hasHostReach: () => Promise<boolean>,
): Promise<void> {
  const low = ports.find(({ published }) => published < firstFreePort);
  if (low === undefined || (await hasHostReach())) return;
  throw new AppError(
    'FORBIDDEN',
    `${name} publishes the port ${low.published}/${low.protocol}, below ${firstFreePort}, which would ` +
      `reach the other server itself. That needs an ${classRule('hostReach').words}${onOwnServer}. Ask ` +
      'one of them to move it, or publish another port first.',
  );
}
