/** Certificates that Berth asks for by itself: DNS providers, authorities, renewals. */
import { createAcmeClient } from '../../adapters/acme/acme-client.ts';
import { createCertificates } from '../../modules/certificate/certificate.ts';
import type { BaseDomainClaims } from '../../modules/base-domain/base-domain.ts';
import { createBaseDomainClaims } from '../../modules/base-domain/claims.ts';
import { createAutomaticOrders, type AutomaticOrders } from '../../modules/certificate-order/automatic.ts';
import { createAuthorityOf } from '../../modules/certificate-order/authority.ts';
import {
  createCertificateOrders,
  type CertificateOrders,
} from '../../modules/certificate-order/certificate-order.ts';
import { createEndOf, createKeep } from '../../modules/certificate-order/keep-certificate.ts';
import { createIssue } from '../../modules/certificate-order/issue.ts';
import { createRenewing, type Renewing } from '../../modules/certificate-order/renewing.ts';
import {
  createChallengeRecords,
  type ChallengeRecords,
} from '../../modules/dns-provider/challenge-records.ts';
import type { Organizations } from '../../modules/organization/organization.ts';
import { createDnsCheck } from '../../modules/domain/dns-check.ts';
import { createByProgram, type ByProgram } from '../../modules/dns-provider/by-program.ts';
import {
  createDnsProviders,
  createMayRunPrograms,
  isByProgram,
  type MayRunPrograms,
} from '../../modules/dns-provider/dns-provider.ts';
import type { DnsProviderDeps } from '../../modules/dns-provider/handlers.ts';
import { createConnect, noted } from '../../modules/dns-provider/zone-access.ts';
import { createDnsRecords, type DnsRecords } from '../../modules/dns-record/dns-record.ts';
import { createTarget } from '../../modules/dns-record/target.ts';
import { serverAddressOf } from '../../modules/server/server-address.ts';
import type { NameServerAddress } from '../../modules/dns-provider/propagation.ts';
import type { Events } from '../../modules/event/event.ts';
import type { ChangeRoutes } from '../../ports/proxy.ts';
import { hostOfUrl } from '../../domain/access/own-host.ts';
import { serverKeyOf } from '../../domain/names/server-key.ts';
import type { Ground } from '../ground.ts';
import type { Product } from '../product.ts';

export interface Certifying {
  baseDomainClaims: BaseDomainClaims;
  automaticOrders: AutomaticOrders;
  dnsProviderDeps: Omit<DnsProviderDeps, 'changed'>;
  certificateOrders: CertificateOrders;
  renewing: Renewing;
  challengeRecords: ChallengeRecords;
  dnsRecords: DnsRecords;
}

export interface CertifyingParts extends Pick<Ground, 'stores' | 'clock'> {
  config: Pick<Ground['config'], 'url'>;
  installation: Pick<Ground['installation'], 'installationId'>;
  adapters: Pick<Ground['adapters'], 'outgoing' | 'names' | 'lego'>;
  log: Pick<Ground['log'], 'fault'>;
  accounts: { events: Pick<Events, 'tellAll'>; organizations: Pick<Organizations, 'standing'> };
  notifying: Pick<Product['notifying'], 'tell'>;
  settings: Pick<Product['settings'], 'get'>;
  bases: Product['bases'];
  byDns: Product['byDns'];
  changeRoutes: ChangeRoutes;
  /** Where a name server is asked; port 53 of its address unless given. */
  nameServerAddress?: NameServerAddress;
}

export function createCertifying(parts: CertifyingParts): Certifying {
  const { stores, adapters, clock, log, accounts, notifying, settings, bases, changeRoutes } = parts;
  const mayRunPrograms = createMayRunPrograms(accounts.organizations.standing);
  const dnsProviders = createDnsProviders(stores.dnsProviders, clock, mayRunPrograms);
  const challengeRecords = challengeRecordsOf(parts);
  const byProgram = byProgramOf(parts, challengeRecords, mayRunPrograms);
  const certificates = createCertificates(stores.certificates, clock);
  const store = stores.certificateOrders;
  const certificateOrders = createCertificateOrders(store, clock);
  const automaticOrders = automaticOrdersOf(parts, certificateOrders, challengeRecords);
  const renewing = createRenewing({
    store,
    clock,
    issue: createIssue({
      store,
      acme: createAcmeClient({ outgoing: adapters.outgoing, clock }),
      clock,
      dnsProviders,
      challengeRecords,
      byProgram: {
        isFor: isByProgram,
        set: byProgram.set,
        onFault: (error) => void log.fault(error, 'TXT record at a DNS provider'),
      },
      authorityOf: createAuthorityOf({
        resolver: (certificateResolverId, organizationId) =>
          stores.certificateResolvers.find({ certificateResolverId, organizationId }),
        settings: settings.get,
        installation: stores.organizations.first,
      }),
    }),
    keep: createKeep({ store, certificates, changeRoutes }),
    endOf: createEndOf({ certificates }),
    isNeeded: bases.isNeeded,
    firstFailed: (order) =>
      changeRoutes(serverKeyOf(order), store.transaction, async () => undefined, { mayWait: true }),
    lookAtBases: automaticOrders.lookAtBases,
    changed: (order) => tellChanged(accounts.events, order),
    tell: notifying.tell,
    sweep: challengeRecords.sweep,
    onFault: (error) => void log.fault(error, 'certificates by DNS'),
  });
  return {
    baseDomainClaims: claimsOf(parts, renewing),
    renewing,
    challengeRecords,
    dnsRecords: dnsRecordsOf(parts),
    dnsProviderDeps: {
      dnsProviders,
      test: (provider, host) => (isByProgram(provider) ? byProgram : challengeRecords).test(provider, host),
    },
    certificateOrders,
    automaticOrders,
  };
}

function claimsOf(
  { stores, accounts, adapters, settings, config, log }: CertifyingParts,
  renewing: Renewing,
): BaseDomainClaims {
  return createBaseDomainClaims({
    store: stores.baseDomains,
    settings: settings.get,
    urlHost: hostOfUrl(config.url),
    dns: createDnsCheck({ names: adapters.names, settings: settings.get }),
    isTenant: async (organizationId) => (await accounts.organizations.standing(organizationId)) === 'tenant',
    changed: () => void renewing.tick().catch((error: unknown) => log.fault(error, 'certificates by DNS')),
  });
}

function byProgramOf(
  { stores, adapters, settings, clock }: CertifyingParts,
  { zoneFor }: ChallengeRecords,
  mayRunPrograms: MayRunPrograms,
): ByProgram {
  return createByProgram({
    store: stores.dnsProviders,
    program: adapters.lego,
    mayRunPrograms,
    zoneFor,
    resolver: async () => (await settings.get()).dnsResolver,
    clock,
  });
}

function challengeRecordsOf({
  stores,
  adapters,
  settings,
  clock,
  log,
  nameServerAddress,
}: CertifyingParts): ChallengeRecords {
  return createChallengeRecords({
    store: stores.dnsProviders,
    outgoing: adapters.outgoing,
    names: adapters.names,
    resolver: async () => (await settings.get()).dnsResolver,
    clock,
    ...(nameServerAddress ? { nameServerAddress } : {}),
    onFault: (error) => void log.fault(error, 'TXT record at a DNS provider'),
  });
}

function dnsRecordsOf({ stores, adapters, settings, clock, log, installation }: CertifyingParts): DnsRecords {
  const { outgoing, names } = adapters;
  return createDnsRecords({
    store: stores.dnsRecords,
    providers: stores.dnsProviders,
    connect: createConnect({ outgoing, clock }),
    noted: (provider, work) => noted({ store: stores.dnsProviders, clock }, provider, work),
    target: createTarget({
      addressOf: serverAddressOf(stores, settings),
      lookUp: async (host) => names.lookUp(host, (await settings.get()).dnsResolver),
    }),
    installationId: installation.installationId,
    baseDomain: async () => (await settings.get()).baseDomain,
    clock,
    onFault: (error) => void log.fault(error, 'records at a DNS provider'),
  });
}

function automaticOrdersOf(
  { stores, bases, byDns, clock }: CertifyingParts,
  orders: CertificateOrders,
  { zoneFor }: ChallengeRecords,
): AutomaticOrders {
  return createAutomaticOrders({
    store: stores.certificateOrders,
    orders,
    certificates: stores.certificates.shown,
    providers: (organizationId) => stores.dnsProviders.list({ organizationId }),
    zoneFor,
    bases: bases.bases,
    byDns,
    clock,
  });
}

async function tellChanged(
  events: Pick<Events, 'tellAll'>,
  { certificateOrderId, organizationId }: { certificateOrderId: string; organizationId: string },
): Promise<void> {
  const nowhere = {
    organizationId,
    projectId: null,
    environmentId: null,
    serviceId: null,
    formerProjectId: null,
    formerEnvironmentId: null,
    userId: null,
    status: null,
    stage: null,
  };
  const changed = { ...nowhere, what: 'updated', resourceId: certificateOrderId } as const;
  await events.tellAll([
    { ...changed, kind: 'certificateOrder' },
    { ...changed, kind: 'certificate' },
  ]);
}
