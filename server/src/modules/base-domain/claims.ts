/** Which base domains a project or server may have. */
import { AppError, badField } from '../../domain/errors.ts';
import { isWithin, overlaps, parseBaseDomain } from '../../domain/routing/base-domain.ts';
import type { CallContext } from '../../procedure/context.ts';
import type { BaseDomainClaims, ClaimingPlace } from './base-domain.ts';
import { createMachinesOf } from './machines.ts';
import type { BaseDomainStore, HeldBase, Machine } from './store.ts';

export interface ClaimDeps {
  store: Pick<BaseDomainStore, 'related' | 'hostsOfOthers' | 'serversOf' | 'machines' | 'claimAlone'>;
  settings(): Promise<{
    baseDomain: string | null;
    host: string | null;
    serverIp: string | null;
    cloud: boolean;
  }>;
  /** Host name in the address that Berth was started with, if it has one. */
  urlHost: string | undefined;
  dns: {
    /**
     * Throws BAD_REQUEST naming `baseDomain` where names below it certainly lead to none of the machines, and
     * with an owner also where that they do is not certain and no record says whose the domain is.
     */
    checkBase(base: string, machines: readonly (string | null)[], owner?: string): Promise<void>;
  };
  /** Whether the organization neither runs the installation nor is trusted by those who do. */
  isTenant(organizationId: string): Promise<boolean>;
  /** Called after a base domain came, changed or went. */
  changed(): void;
}

export function createBaseDomainClaims(deps: ClaimDeps): BaseDomainClaims {
  const { store } = deps;
  return {
    async change(context, claim, work) {
      const base = claim.wanted ? parseBaseDomain(claim.wanted) : claim.wanted;
      if (base === undefined || base === claim.present) return context.write(() => work(undefined));
      requirePeople(context);
      const { organizationId } = context.actor;
      if (base !== null) await requireUsable(deps, base, claim.place, organizationId);
      const result = await context.write(async () => {
        if (base !== null) await requireFree(deps, base, organizationId);
        return work(base);
      });
      deps.changed();
      return result;
    },
    async requireFreeForAll(base) {
      const [holder] = await store.related(base);
      if (holder) throw taken('baseDomain', base, `${relation(base, holder.domain)}, ${ofWhom(holder)}`);
    },
    async requireOutside(host) {
      const holder = (await store.related(host)).find(({ domain }) => isWithin(domain, host));
      if (holder) throw taken('host', host, `lies within ${holder.domain}, ${ofWhom(holder)}`);
    },
  };
}

function requirePeople({ actor }: Pick<CallContext, 'actor'>): void {
  if (actor.role !== 'member') return;
  throw new AppError(
    'FORBIDDEN',
    'baseDomain: only Owners and Admins may change it, since every name below it belongs to the whole ' +
      'organization then. Leave it as it is, or ask one of them.',
    { issues: [{ path: 'baseDomain', message: 'is for Owners and Admins' }] },
  );
}

/** What needs no transaction: the name itself, and where the DNS leads it. */
async function requireUsable(
  deps: ClaimDeps,
  base: string,
  place: ClaimingPlace,
  organizationId: string,
): Promise<void> {
  const { host } = await deps.settings();
  const within = [host, deps.urlHost].find((name) => name && isWithin(base, name));
  if (within)
    throw badField(
      'baseDomain',
      `cannot be ${base}: the host of Berth, ${within}, would be within it, and services could set cookies ` +
        'for it. Use a domain that Berth is not below',
    );
  const isTenant = await deps.isTenant(organizationId);
  // A record of a server that nobody has set up may name any machine.
  const counts = ({ isSetUp }: Machine): boolean => isSetUp || !isTenant;
  const machines = await createMachinesOf(deps)(place, organizationId, counts);
  const addresses = machines.map(({ address }) => address);
  await deps.dns.checkBase(base, addresses, isTenant ? organizationId : undefined);
}

/** In the transaction that stores it. */
async function requireFree(
  { store, settings }: ClaimDeps,
  base: string,
  organizationId: string,
): Promise<void> {
  await store.claimAlone();
  const { baseDomain } = await settings();
  if (baseDomain !== null && overlaps(base, baseDomain))
    throw taken('baseDomain', base, `${relation(base, baseDomain)}, the base domain of the installation`);
  // Nobody learns which names others have.
  if ((await store.related(base)).some((held) => held.organizationId !== organizationId))
    throw taken('baseDomain', base, 'is the base domain of another organization, or lies above or below it');
  if ((await store.hostsOfOthers(base, organizationId)).length > 0)
    throw taken('baseDomain', base, 'has hosts of another organization among its names');
}

function relation(base: string, other: string): string {
  if (base === other) return `is taken: ${other}`;
  return isWithin(other, base) ? `lies below ${other}` : `lies above ${other}`;
}

const ofWhom = ({ projectId }: HeldBase): string =>
  `the base domain of a ${projectId === null ? 'server' : 'project'}`;

const taken = (field: string, name: string, why: string): AppError =>
  new AppError('CONFLICT', `${field}: ${name} ${why}. Choose a domain that has nothing in common with it.`, {
    issues: [{ path: field, message: 'is taken' }],
  });
