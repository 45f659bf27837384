/** Below which domain a service is named: the nearest of its project, its server, the installation. */
import { AppError } from '../../domain/errors.ts';
import { isWithin } from '../../domain/routing/base-domain.ts';
import { localServer } from '../../domain/names/server-key.ts';
import type { CallContext } from '../../procedure/context.ts';
import type { BaseDomainStore, PlacedBase, ServicePlace } from './store.ts';

export interface BaseDomainDeps {
  store: Pick<BaseDomainStore, 'ofPlace' | 'below' | 'related' | 'placed'>;
  settings(): Promise<{ baseDomain: string | null; cloud?: boolean }>;
}

export interface BaseDomains {
  /** null: names of sslip.io. */
  nearest(place: ServicePlace): Promise<string | null>;
  /** Every one below which the organization's services on a server may be named. */
  on(serverKey: string, organizationId: string): Promise<string[]>;
  /** CONFLICT naming `host` for a host within a base domain of another organization. */
  requireNotOfOthers(asciiHost: string, organizationId: string): Promise<void>;
  /** Of projects and servers, each with the servers of its services. */
  placed(): Promise<PlacedBase[]>;
}

/** A machine that a name is to lead to. */
export interface LeadingMachine {
  /** null: Berth's own. */
  serverId: string | null;
  /** IP address or host name; null while nobody told it. */
  address: string | null;
}

/** What a base domain is asked for. */
export type ClaimingPlace = { projectId: string } | { serverId: string };

export interface Claim {
  place: ClaimingPlace;
  /** Absent: it stays. */
  wanted: string | null | undefined;
  present: string | null;
}

export interface BaseDomainClaims {
  /**
   * Makes a change of a project or server with the base domain that it is to have, undefined where that
   * stays. BAD_REQUEST naming `baseDomain` for one that cannot be used or leads elsewhere, CONFLICT for one
   * that overlaps with the installation's or with another organization's names, FORBIDDEN for members.
   */
  change<T>(
    context: Pick<CallContext, 'actor' | 'write'>,
    claim: Claim,
    work: (baseDomain: string | null | undefined) => Promise<T>,
  ): Promise<T>;
  /** CONFLICT naming `baseDomain` when the installation cannot have it since projects or servers have it. */
  requireFreeForAll(base: string): Promise<void>;
  /** CONFLICT naming `host` when Berth itself cannot have it. */
  requireOutside(host: string): Promise<void>;
}

export function createBaseDomains({ store, settings }: BaseDomainDeps): BaseDomains {
  const shared = async (serverKey: string): Promise<string | null> =>
    serverKey === localServer ? (await settings()).baseDomain : null;
  return {
    async nearest(place) {
      const { project, server } = await store.ofPlace(place);
      return project ?? server ?? (await shared(place.serverKey));
    },
    async on(serverKey, organizationId) {
      const all = [...(await store.below(organizationId, serverKey)), await shared(serverKey)];
      return all.filter((base) => base !== null);
    },
    async requireNotOfOthers(asciiHost, organizationId) {
      const name = asciiHost.replace(/^\*\./, '');
      const isOfOthers = (await store.related(name)).some(
        (held) => held.organizationId !== organizationId && isWithin(held.domain, name),
      );
      if (!isOfOthers) return;
      // Nobody learns which names others have.
      throw new AppError(
        'CONFLICT',
        `host: ${asciiHost} is within the base domain of another organization. Choose a host below a ` +
          'domain of your own.',
        { issues: [{ path: 'host', message: "is within another organization's base domain" }] },
      );
    },
    async placed() {
      const { cloud = false } = await settings();
      return (await store.placed()).filter(({ serverId }) => serverId !== null || !cloud);
    },
  };
}

export const noBaseDomains: BaseDomains = {
  nearest: async () => null,
  on: async () => [],
  requireNotOfOthers: async () => undefined,
  placed: async () => [],
};
