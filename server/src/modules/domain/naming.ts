/** Hosts that Berth chooses for services, and whether they answer over https. */
import { digestOf, hostBelow, isNameBelow, isPublicBase } from '../../domain/routing/base-domain.ts';
import { generatedHost, parseHost } from '../../domain/names/names.ts';
import type { Scope } from '../../domain/access/permissions.ts';
import type { DomainRecord } from '../../db/tables.ts';
import { noBaseDomains, type BaseDomains } from '../base-domain/base-domain.ts';
import type { DomainStore } from './store.ts';

/** Where a service stands that needs a host. */
export interface NamedPlace {
  organizationId: string;
  serverKey: string;
  /** Address of the server. */
  serverIp: string | null;
  /** Services whose name and project may be part of the host; by default all. */
  reaches?: (scope: Scope) => boolean;
}

/** Settings and certificates that new domains follow. */
export interface DomainSurroundings {
  settings(): Promise<{ trustedProxies: readonly string[] }>;
  baseDomains: Pick<BaseDomains, 'nearest' | 'on' | 'requireNotOfOthers'>;
  /** Whether the organization has uploaded a certificate that covers the host. */
  isCertified(asciiHost: string, serverKey: string, organizationId: string): Promise<boolean>;
  /** Whether a wildcard host has a certificate that Berth asks for by DNS. */
  isOrdered(asciiHost: string, serverKey: string, organizationId: string): Promise<boolean>;
}

export const noSurroundings: DomainSurroundings = {
  settings: async () => ({ trustedProxies: [] }),
  baseDomains: noBaseDomains,
  isCertified: async () => false,
  isOrdered: async () => false,
};

/**
 * `<name>-<project>` below the base domain that is nearest to the service; without one a test name that
 * resolves to the address.
 */
export async function hostFor(
  store: DomainStore,
  { baseDomains }: DomainSurroundings,
  appName: string,
  place: NamedPlace,
): Promise<string> {
  const { organizationId, serverKey, serverIp, reaches = () => true } = place;
  const named = (await store.named(appName, organizationId)).find(({ scope }) => reaches(scope));
  const base = await baseDomains.nearest({ serverKey, projectId: named?.scope.projectId });
  if (base === null) return generatedHost(appName, randomHex(), serverIp ?? '127.0.0.1');
  const stem = named === undefined ? appName : `${named.name}-${named.projectName}`;
  return freeHostBelow(store, base, stem, { appName, serverKey });
}

interface AskedHost {
  host: string;
  https?: boolean | undefined;
  certificateType?: DomainRecord['certificateType'] | undefined;
}

/**
 * A name below a base domain answers over https unless its input says otherwise: with the certificate that
 * the organization uploaded, such as one of the wildcard, else with one that is issued for the host.
 */
export async function withCertificate<I extends AskedHost>(
  input: I,
  { serverKey, organizationId }: Pick<NamedPlace, 'serverKey' | 'organizationId'>,
  { baseDomains, isCertified }: DomainSurroundings,
): Promise<I> {
  const { https, certificateType } = input;
  if (https !== undefined || certificateType !== undefined) return input;
  const host = parseHost(input.host);
  const bases = await baseDomains.on(serverKey, organizationId);
  if (!bases.some((base) => isPublicBase(base) && isNameBelow(base, host))) return input;
  const isUploaded = await isCertified(host, serverKey, organizationId);
  return { ...input, https: true, certificateType: isUploaded ? 'none' : 'acme' };
}

/** The first that no domain of the server has, of names that stay the same for a service. */
async function freeHostBelow(
  store: DomainStore,
  base: string,
  stem: string,
  { appName, serverKey }: { appName: string; serverKey: string },
): Promise<string> {
  for (const suffix of ['', digestOf(appName)]) {
    const host = hostBelow(base, stem, suffix);
    if ((await store.find({ serverKey, asciiHost: host })) === undefined) return host;
  }
  return hostBelow(base, stem, randomHex());
}

function randomHex(): string {
  return crypto.randomUUID().slice(0, 6);
}
