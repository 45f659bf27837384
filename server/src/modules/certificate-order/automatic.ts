/** Certificates that Berth orders by itself: of base domains, and of wildcard domains with `acme`. */
import { coversHost } from '../../domain/certificates/certificate.ts';
import { AppError, badField } from '../../domain/errors.ts';
import { serverIdOf, serverKeyOf } from '../../domain/names/server-key.ts';
import { isPublicBase } from '../../domain/routing/base-domain.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DnsProviders } from '../dns-provider/dns-provider.ts';
import type { ByDns, HeldCertificate } from './by-dns.ts';
import type { CertificateOrders } from './certificate-order.ts';
import type { OrderStore } from './store.ts';

type Provider = Awaited<ReturnType<DnsProviders['found']>>;

/** A base domain whose wildcard certificate is for services of a server. */
export interface OrderedBase {
  domain: string;
  /** Whose DNS providers are asked, and who holds the certificate. */
  organizationId: string;
  serverId: string | null;
}

export interface AutomaticOrderDeps {
  store: Pick<OrderStore, 'list'>;
  orders: Pick<CertificateOrders, 'create'>;
  /** Newest first, without keys. */
  certificates(organizationId: string): Promise<HeldCertificate[]>;
  providers(organizationId: string): Promise<Provider[]>;
  /** The zone of the provider in which records for a name stand; undefined without one. */
  zoneFor(provider: Provider, name: string): Promise<object | undefined>;
  bases(): Promise<OrderedBase[]>;
  byDns: Pick<ByDns, 'isOrdered'>;
  clock: Clock;
}

export interface AutomaticOrders {
  /**
   * Finds the DNS provider by which a wildcard host can be proved; undefined when its certificate is there or
   * ordered already. Throws BAD_REQUEST naming `certificateType` when no provider serves its zone.
   */
  prepare(asciiHost: string, serverKey: string, organizationId: string): Promise<string | undefined>;
  /** Orders a certificate for a name, in the transaction of whatever needs it. */
  order(
    name: string,
    of: { serverKey: string; organizationId: string; dnsProviderId: string },
  ): Promise<void>;
  /** Orders what base domains lack, where a DNS provider serves their zone; resolves with whether it did. */
  lookAtBases(): Promise<boolean>;
}

/** Providers are asked about the same base domain again after this time. */
const lookAgainMs = 10 * 60_000;

export function createAutomaticOrders(deps: AutomaticOrderDeps): AutomaticOrders {
  const { orders, clock } = deps;
  const looked = new Map<string, number>();
  const order: AutomaticOrders['order'] = async (name, { serverKey, organizationId, dnsProviderId }) =>
    void (await orders.create(organizationId, {
      name,
      names: [name],
      dnsProviderId,
      serverId: serverIdOf(serverKey),
      isAutomatic: true,
    }));

  async function lookAtBase(base: OrderedBase): Promise<boolean> {
    const { domain, organizationId, serverId } = base;
    const wildcard = `*.${domain}`;
    if (!isPublicBase(domain) || (await isServed(deps, base))) return false;
    const providers = await deps.providers(organizationId);
    // Another provider, or a changed one, is asked at once.
    const key = JSON.stringify([
      base,
      providers.map(({ dnsProviderId, settings }) => [dnsProviderId, settings]),
    ]);
    if ((looked.get(key) ?? 0) > clock.now()) return false;
    looked.set(key, clock.now() + lookAgainMs);
    const { found } = await serving(deps, providers, domain);
    if (found === undefined) return false;
    try {
      await order(wildcard, { serverKey: serverKeyOf({ serverId }), organizationId, dnsProviderId: found });
      return true;
    } catch (error) {
      // It has as many orders as it may have; its names ask for certificates of their own.
      if (error instanceof AppError) return false;
      throw error;
    }
  }

  return {
    order,
    async prepare(asciiHost, serverKey, organizationId) {
      if (await deps.byDns.isOrdered(asciiHost, serverKey, organizationId)) return undefined;
      const providers = await deps.providers(organizationId);
      const { found, fault } = await serving(deps, providers, asciiHost.slice(2));
      if (found !== undefined) return found;
      throw noProvider(asciiHost, fault);
    },
    async lookAtBases() {
      for (const [key, until] of looked) if (until <= clock.now()) looked.delete(key);
      const ofOrganizations = Map.groupBy(await deps.bases(), ({ organizationId }) => organizationId);
      // A provider that does not answer holds up its own organization alone.
      const found = await Promise.all(
        [...ofOrganizations.values()].map(async (bases) => {
          let isAny = false;
          for (const base of bases) isAny = (await lookAtBase(base)) || isAny;
          return isAny;
        }),
      );
      return found.includes(true);
    },
  };
}

/** Whether the wildcard of a base domain is ordered, or has an unexpired certificate. */
async function isServed(
  { store, certificates, clock }: AutomaticOrderDeps,
  { domain, organizationId, serverId }: OrderedBase,
): Promise<boolean> {
  const wildcard = `*.${domain}`;
  const ordered = await store.list({ organizationId, serverId });
  if (ordered.some(({ names }) => names.includes(wildcard))) return true;
  return (await certificates(organizationId)).some(
    (record) =>
      record.serverId === serverId &&
      coversHost(record.subjectAlternativeNames, wildcard) &&
      Date.parse(record.expirationDate) > clock.now(),
  );
}

/** The first provider that serves the zone of a name, else why one of them could not be asked. */
async function serving(
  { zoneFor }: Pick<AutomaticOrderDeps, 'zoneFor'>,
  providers: readonly Provider[],
  name: string,
): Promise<{ found?: string; fault?: AppError }> {
  let fault: AppError | undefined;
  for (const provider of providers) {
    try {
      if (await zoneFor(provider, name)) return { found: provider.dnsProviderId };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      fault ??= error;
    }
  }
  return fault ? { fault } : {};
}

function noProvider(asciiHost: string, fault: AppError | undefined): AppError {
  const zone = asciiHost.slice(2);
  return badField(
    'certificateType',
    `acme cannot issue for the wildcard host ${asciiHost} yet: authorities check it by DNS records, and ` +
      (fault
        ? `the DNS provider could not be asked: ${fault.message} Or `
        : `no DNS provider of this organization serves the zone of ${zone}. Add one with ` +
          'dnsProvider.create, or ') +
      'upload a certificate of your own and use certificateType none',
  );
}
