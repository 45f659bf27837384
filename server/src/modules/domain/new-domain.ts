/** The record that a domain begins with, the rules that all must pass, and records that follow another. */
import { badField } from '../../domain/errors.ts';
import { parseHost } from '../../domain/names/names.ts';
import { localServer } from '../../domain/names/server-key.ts';
import { usualPort } from '../../domain/network/shown-port.ts';
import { parseAskedPath } from '../../domain/routing/asked-path.ts';
import { parseRequestHeaders } from '../../domain/routing/request-headers.ts';
import { parseRoutePath } from '../../domain/routing/route-path.ts';
import { randomId } from '../../ports/clock.ts';
import type { DomainRecord } from '../../db/tables.ts';
import { checkRouteRules, noDomainRules } from './route-rules.ts';

export interface GivenDomain {
  host: string;
  path?: string | undefined;
  /** null: that of the service. */
  port?: number | null | undefined;
  https?: boolean | undefined;
  certificateType?: DomainRecord['certificateType'] | undefined;
  customCertResolver?: string | null | undefined;
  serviceName?: string | null | undefined;
  domainType?: DomainRecord['domainType'] | undefined;
  internalPath?: string | null | undefined;
  stripPath?: boolean | undefined;
  /** Seconds; null: none. */
  hstsMaxAge?: number | null | undefined;
  requestHeaders?: Record<string, string> | undefined;
  maxBodyBytes?: number | null | undefined;
  allowedAddresses?: string[] | undefined;
  deniedAddresses?: string[] | undefined;
  maintenance?: boolean | undefined;
  maintenancePage?: string | null | undefined;
  errorPages?: Record<string, string> | undefined;
  responseHeaders?: Record<string, string> | undefined;
  compression?: boolean | undefined;
  /** null: those of the installation. */
  trustedProxies?: string[] | null | undefined;
  /** null: no host names besides its own. */
  allowOnDemand?: string | null | undefined;
}

/** Absent fields stay. */
export type DomainChange = Partial<GivenDomain>;

/** Ids as they come in; the one that the domain's type asks for counts. */
export type DomainOwner = {
  [K in 'applicationId' | 'composeId' | 'previewDeploymentId']?: string | null | undefined;
};

const ownerFields = {
  application: 'applicationId',
  compose: 'composeId',
  preview: 'previewDeploymentId',
} as const;

/** What a domain can belong to, as sentences name it. */
export const ownerNames = {
  application: 'an application',
  compose: 'a compose service',
  preview: 'a preview deployment',
} as const;

/** As it is before its organization and its place are known. */
export function newDomain(
  input: GivenDomain,
  owner: DomainOwner,
): Omit<DomainRecord, 'organizationId' | 'createdAt'> {
  const domainType = input.domainType ?? 'application';
  return {
    domainId: randomId(),
    host: input.host,
    asciiHost: parseHost(input.host),
    path: parseRoutePath(input.path ?? '/', 'path'),
    port: input.port ?? usualPort,
    ownPort: input.port ?? null,
    https: input.https ?? false,
    certificateType: input.certificateType ?? 'none',
    customCertResolver: input.customCertResolver ?? null,
    applicationId: null,
    composeId: null,
    previewDeploymentId: null,
    ...checkOwner(domainType, owner),
    serviceName: input.serviceName ?? null,
    domainType,
    internalPath: parseRoutePath(input.internalPath ?? '/', 'internalPath'),
    stripPath: input.stripPath ?? false,
    hstsMaxAge: input.hstsMaxAge ?? null,
    requestHeaders: input.requestHeaders ?? {},
    maxBodyBytes: input.maxBodyBytes ?? null,
    ...rulesOf(input),
    uniqueConfigKey: 0,
    serverKey: localServer,
  };
}

/** Those of the input, and for the others that there are none. */
function rulesOf(input: GivenDomain): Pick<DomainRecord, keyof typeof noDomainRules> {
  return {
    allowedAddresses: input.allowedAddresses ?? noDomainRules.allowedAddresses,
    deniedAddresses: input.deniedAddresses ?? noDomainRules.deniedAddresses,
    maintenance: input.maintenance ?? noDomainRules.maintenance,
    maintenancePage: input.maintenancePage ?? noDomainRules.maintenancePage,
    errorPages: input.errorPages ?? noDomainRules.errorPages,
    responseHeaders: input.responseHeaders ?? noDomainRules.responseHeaders,
    compression: input.compression ?? noDomainRules.compression,
    trustedProxies: input.trustedProxies ?? noDomainRules.trustedProxies,
    allowOnDemand: input.allowOnDemand ?? noDomainRules.allowOnDemand,
    onDemandOf: noDomainRules.onDemandOf,
  };
}

/** The owner that the type asks for, and no other. */
function checkOwner(domainType: DomainRecord['domainType'], owner: DomainOwner): Partial<DomainRecord> {
  const wanted = ownerFields[domainType];
  const id = owner[wanted];
  if (!id) throw badField(wanted, `is required for a domain of ${ownerNames[domainType]}`);
  for (const field of Object.values(ownerFields))
    if (field !== wanted && owner[field])
      throw badField(
        field,
        `does not go with a domain of ${ownerNames[domainType]}; domainType says what it belongs to`,
      );
  return { [wanted]: id };
}

/**
 * The document's rules, on the record as it will be (interface document, Domains; Errors, other rejection
 * rules).
 */
export function checkRules(record: DomainRecord, input: { certificateType?: string | undefined }): void {
  if (record.domainType === 'compose' && !record.serviceName)
    throw badField('serviceName', 'is required for a domain of a compose service');
  if (record.stripPath && record.path === '/')
    throw badField('stripPath', 'is only allowed when path is not "/"');
  parseRequestHeaders(record.requestHeaders);
  checkRouteRules(record);
  checkOnDemand(record);
  if (record.hstsMaxAge !== null && !record.https)
    throw badField('hstsMaxAge', 'needs https, which browsers are told to insist on');
  if (record.https && input.certificateType === undefined)
    throw badField('certificateType', 'is required when https is true');
  if (record.certificateType === 'custom' && !record.customCertResolver)
    throw badField('customCertResolver', 'is required when certificateType is custom');
}

/** Names of customers are served as the domain is, so it has to be one that an authority certifies alone. */
function checkOnDemand({
  allowOnDemand,
  https,
  certificateType,
  path,
  asciiHost,
  domainType,
}: DomainRecord): void {
  if (allowOnDemand === null) return;
  parseAskedPath(allowOnDemand);
  if (domainType === 'preview') throw badField('allowOnDemand', 'is not for domains of previews');
  if (!https || certificateType !== 'acme')
    throw badField(
      'allowOnDemand',
      'needs https with the certificateType acme, by which names are certified',
    );
  if (path !== '/') throw badField('allowOnDemand', 'needs a domain of the path "/"');
  if (asciiHost.startsWith('*'))
    throw badField('allowOnDemand', 'needs a domain of one host, to which customers let their names lead');
}

/** What makes it a record of its own. */
export const newName = (host: string): Pick<DomainRecord, 'domainId' | 'host' | 'asciiHost'> => ({
  domainId: randomId(),
  host,
  asciiHost: parseHost(host),
});

/** What a customer's host name has for itself; the rest is that of the domain whose service allowed it. */
const own = [
  'domainId',
  'host',
  'asciiHost',
  'path',
  'https',
  'certificateType',
  'customCertResolver',
  'uniqueConfigKey',
  'createdAt',
  'allowOnDemand',
  'onDemandOf',
] as const;

/** What a domain shares with the names that its service allowed. */
export function sharedFields(record: DomainRecord): Partial<DomainRecord> {
  const names: readonly string[] = own;
  return Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));
}

/** Throws BAD_REQUEST naming the first field that such a name cannot have for itself. */
export function refuseChange(
  { onDemandOf, asciiHost }: DomainRecord,
  { host, ...input }: DomainChange,
): void {
  if (onDemandOf === null) return;
  const changed = Object.entries(input).find(([, value]) => value !== undefined)?.[0];
  const isOther = host !== undefined && parseHost(host) !== asciiHost;
  const field = changed ?? (isOther ? 'host' : undefined);
  if (field === undefined) return;
  throw badField(
    field,
    `cannot be changed: the service allowed this host, which follows the domain ${onDemandOf}. Change that ` +
      'one, or remove this and add a domain of its own',
  );
}
