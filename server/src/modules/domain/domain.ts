/** Domains: host and path → service. A change is in the database and on the proxy, or in neither. */
import { AppError, badField } from '../../domain/errors.ts';
import { parseHost } from '../../domain/names/names.ts';
import type { Scope } from '../../domain/access/permissions.ts';
import { parseRoutePath } from '../../domain/routing/route-path.ts';
import { checkAddressLists, checkWildcardCertificate } from './route-rules.ts';
import {
  checkRules,
  newDomain,
  newName,
  ownerNames,
  refuseChange,
  sharedFields,
  type DomainChange,
  type GivenDomain,
  type DomainOwner,
} from './new-domain.ts';
import { usualPort } from '../../domain/network/shown-port.ts';
import { isoTime, type Clock } from '../../ports/clock.ts';
import type { DomainRecord } from '../../db/tables.ts';
import type { HostRules } from '../own-host/own-host.ts';
import { checkComposeService } from './compose-service.ts';
import {
  hostFor,
  noSurroundings,
  withCertificate,
  type DomainSurroundings,
  type NamedPlace,
} from './naming.ts';
import type { DomainStore } from './store.ts';

export type DomainInput = GivenDomain;

/** Whether the caller reaches what stands there; absent: Berth itself asks, which reaches everything. */
export type Reaches = (place: Scope) => boolean;

export interface Domains {
  /**
   * CONFLICT when host and path are taken on the service's server, or the host belongs to services that the
   * caller does not reach.
   */
  create(
    organizationId: string,
    owner: DomainOwner,
    input: DomainInput,
    reaches?: Reaches,
  ): Promise<DomainRecord>;
  /** A host of a customer, which leads to whatever the domain does; CONFLICT and BAD_REQUEST as `create`. */
  createOnDemand(of: DomainRecord, host: string): Promise<DomainRecord>;
  update(
    domainId: string,
    organizationId: string,
    input: DomainChange,
    reaches?: Reaches,
  ): Promise<DomainRecord>;
  one(domainId: string, organizationId: string): Promise<DomainRecord>;
  /** Newest first. */
  byApplication(applicationId: string, organizationId: string): Promise<DomainRecord[]>;
  /** Newest first. */
  byCompose(composeId: string, organizationId: string): Promise<DomainRecord[]>;
  remove(domainId: string, organizationId: string): Promise<DomainRecord>;
  /**
   * A host for a service that has none: `<name>-<project>` below the base domain that is nearest to it, else
   * a test name that resolves to the address.
   */
  generate(appName: string, place: NamedPlace): Promise<string>;
  /** CONFLICT when a domain of the service may not be on this server, as if it were made there. */
  requireFreeOn(service: MovingService, serverKey: string, reaches?: Reaches): Promise<void>;
  /** The same; then they are on it. */
  moveTo(service: MovingService, serverKey: string): Promise<void>;
  /** Leads the domains of the application that have no port of their own to this one. */
  follow(applicationId: string, port: number): Promise<void>;
  /** Key of the server that a domain of this owner is on. */
  serverKeyOf(owner: DomainOwner): Promise<string>;
}

/** What goes to another server with its domains. */
export type MovingService = { applicationId: string } | { composeId: string };

/** `hosts` says what a service may be reached by. */
export function createDomains(
  store: DomainStore,
  clock: Clock,
  hosts: Pick<HostRules, 'check'>,
  surroundings: DomainSurroundings = noSurroundings,
): Domains {
  const parts = { store, hosts, surroundings, reaches: everything };
  return {
    one: (domainId, organizationId) => one(store, domainId, organizationId),
    async create(organizationId, owner, input, reaches = everything) {
      const { applicationId = null, composeId = null, previewDeploymentId = null } = owner;
      const serverKey = await store.serverKeyOf({ applicationId, composeId, previewDeploymentId });
      const whole = await withCertificate(input, { serverKey, organizationId }, surroundings);
      return create(
        { ...parts, reaches },
        { ...newDomain(whole, owner), organizationId, createdAt: isoTime(clock) },
        whole,
      );
    },
    createOnDemand: (of, host) =>
      create(
        parts,
        { ...of, ...newName(host), createdAt: isoTime(clock), allowOnDemand: null, onDemandOf: of.domainId },
        of,
      ),
    serverKeyOf: ({ applicationId = null, composeId = null, previewDeploymentId = null }) =>
      store.serverKeyOf({ applicationId, composeId, previewDeploymentId }),
    update: (domainId, organizationId, input, reaches = everything) =>
      update({ ...parts, reaches }, domainId, organizationId, input),
    requireFreeOn: (service, serverKey, reaches = everything) =>
      requireFreeOn({ ...parts, reaches }, service, serverKey),
    moveTo: (service, serverKey) =>
      store.transaction(async () => {
        await requireFreeOn(parts, service, serverKey);
        await store.update(service, { serverKey });
      }),
    follow: async (applicationId, port) =>
      void (await store.update({ applicationId, ownPort: null }, { port })),
    byApplication: (applicationId, organizationId) =>
      store.list({ applicationId, organizationId }, { by: ['createdAt', 'domainId'], direction: 'desc' }),
    byCompose: (composeId, organizationId) =>
      store.list({ composeId, organizationId }, { by: ['createdAt', 'domainId'], direction: 'desc' }),
    async remove(domainId, organizationId) {
      const present = await one(store, domainId, organizationId);
      await store.remove({ onDemandOf: domainId, organizationId });
      await store.remove({ domainId, organizationId });
      return present;
    },
    generate: (appName, place) => hostFor(store, surroundings, appName, place),
  };
}

interface DomainParts {
  store: DomainStore;
  hosts: Pick<HostRules, 'check'>;
  reaches: Reaches;
  surroundings: DomainSurroundings;
}

const everything: Reaches = () => true;

async function create(
  { store, hosts, reaches, surroundings }: DomainParts,
  record: DomainRecord,
  input: DomainInput,
): Promise<DomainRecord> {
  const serverKey = await store.serverKeyOf(record);
  await check(store, record, input);
  await checkWildcardCertificate({ ...record, serverKey }, surroundings.isOrdered);
  checkAddressLists(record, (await surroundings.settings()).trustedProxies);
  await hosts.check(record.asciiHost, serverKey);
  await checkComposeService(store, record);
  return store.transaction(async () => {
    record.serverKey = await store.serverKeyOf(record);
    record.port = await portOf(store, record);
    await refuseTaken({ store, surroundings, reaches }, record);
    record.uniqueConfigKey = await store.nextConfigKey();
    await store.insert(record);
    return record;
  });
}

async function update(
  { store, hosts, reaches, surroundings }: DomainParts,
  domainId: string,
  organizationId: string,
  input: DomainChange,
): Promise<DomainRecord> {
  const present = await one(store, domainId, organizationId);
  if (input.domainType !== undefined && input.domainType !== present.domainType)
    throw badField('domainType', `cannot be changed; this is a domain of ${ownerNames[present.domainType]}`);
  refuseChange(present, input);
  const { port, ...others } = input;
  const changes = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined));
  const record: DomainRecord = {
    ...present,
    ...changes,
    ownPort: port === undefined ? present.ownPort : port,
    path: parseRoutePath(input.path ?? present.path, 'path'),
    internalPath: parseRoutePath(
      input.internalPath === undefined ? present.internalPath : (input.internalPath ?? '/'),
      'internalPath',
    ),
    asciiHost: parseHost(input.host ?? present.host),
  };
  await check(store, record, {
    ...input,
    certificateType: input.certificateType ?? (present.https ? present.certificateType : undefined),
  });
  await checkWildcardCertificate(record, surroundings.isOrdered);
  checkAddressLists(record, (await surroundings.settings()).trustedProxies);
  await hosts.check(record.asciiHost, record.serverKey);
  if (record.serviceName !== present.serviceName) await checkComposeService(store, record);
  return store.transaction(async () => {
    record.port = await portOf(store, record);
    const isSame = record.asciiHost === present.asciiHost;
    await refuseTaken({ store, surroundings, reaches: isSame ? everything : reaches }, record);
    await store.update({ domainId, organizationId }, record);
    await store.update({ onDemandOf: domainId, organizationId }, sharedFields(record));
    return record;
  });
}

/** Its own port, else what its application's image has shown. */
const portOf = async (store: DomainStore, { ownPort, applicationId }: DomainRecord): Promise<number> =>
  ownPort ?? (await store.shownPort(applicationId)) ?? usualPort;

async function requireFreeOn(
  { store, hosts, reaches, surroundings }: DomainParts,
  service: MovingService,
  serverKey: string,
): Promise<void> {
  for (const record of await store.list(service)) {
    await hosts.check(record.asciiHost, serverKey);
    await refuseTaken({ store, surroundings, reaches }, { ...record, serverKey });
  }
}

async function one(store: DomainStore, domainId: string, organizationId: string): Promise<DomainRecord> {
  const record = await store.find({ domainId, organizationId });
  if (!record) throw new AppError('NOT_FOUND', 'There is no such domain. It may have been removed.');
  return record;
}

async function check(
  store: DomainStore,
  record: DomainRecord,
  input: { certificateType?: string | undefined },
): Promise<void> {
  checkRules(record, input);
  if (record.certificateType !== 'custom') return;
  if (await store.hasResolver(record.organizationId, record.customCertResolver ?? '')) return;
  throw badField(
    'customCertResolver',
    'is not a certificate resolver of this organization; certificateResolver.create creates one',
  );
}

async function refuseTaken(
  { store, surroundings, reaches }: Omit<DomainParts, 'hosts'>,
  record: DomainRecord,
): Promise<void> {
  await store.takeTurn();
  await refuseForeignHost(store, record);
  await surroundings.baseDomains.requireNotOfOthers(record.asciiHost, record.organizationId);
  await refuseUnreachedHost(store, record, reaches);
  const { serverKey, asciiHost, path } = record;
  const holder = await store.find({ serverKey, asciiHost, path });
  if (!holder || holder.domainId === record.domainId) return;
  throw new AppError(
    'CONFLICT',
    `host: ${record.host}${path} already leads to another service (domain ${holder.domainId}). Choose ` +
      'another host or path.',
    { issues: [{ path: 'host', message: 'is taken with this path' }] },
  );
}

/** A host, and the wildcard host that has it among its names. */
const withWildcard = (asciiHost: string) => [asciiHost, asciiHost.replace(/^[^.]+/, '*')] as const;

/** A path below somebody's host, or a name below their wildcard host, would take what is meant for them. */
async function refuseForeignHost(
  store: DomainStore,
  { serverKey, asciiHost, organizationId, host }: DomainRecord,
): Promise<void> {
  const hosts = withWildcard(asciiHost);
  if (await store.isHostOfOthers({ serverKey, organizationId, hosts }))
    throw takenHost(host, 'another organization');
}

/** The same within an organization, for a member: somebody else's service may stand behind the host. */
async function refuseUnreachedHost(
  store: DomainStore,
  { serverKey, asciiHost, organizationId, host }: DomainRecord,
  reaches: Reaches,
): Promise<void> {
  if (reaches === everything) return;
  const places = await store.placesOfHosts({ serverKey, organizationId, hosts: withWildcard(asciiHost) });
  if (places.length > 0 && !places.some(reaches)) throw takenHost(host, 'a service that you do not reach');
}

const takenHost = (host: string, holder: string): AppError =>
  new AppError(
    'CONFLICT',
    `host: ${host} is a host of ${holder} on this server. Choose another host, or ask for theirs to be ` +
      'removed.',
    { issues: [{ path: 'host', message: 'is taken' }] },
  );
