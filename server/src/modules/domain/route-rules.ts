/** The rules of a domain at the proxy that a record must pass. */
import { badField } from '../../domain/errors.ts';
import { parseAddressRanges } from '../../domain/network/address-range.ts';
import { checkPage, parseErrorPages } from '../../domain/routing/error-pages.ts';
import { parseResponseHeaders } from '../../domain/routing/request-headers.ts';
import { parseTrustedProxies, rangesOf } from '../../domain/routing/trusted-proxies.ts';
import type { DomainRecord } from '../../db/tables.ts';
import type { DomainSurroundings } from './naming.ts';

/** Rules of a domain for which none were given. */
export const noDomainRules = {
  allowedAddresses: [],
  deniedAddresses: [],
  maintenance: false,
  maintenancePage: null,
  errorPages: {},
  responseHeaders: {},
  compression: false,
  trustedProxies: null,
  allowOnDemand: null,
  onDemandOf: null,
} satisfies Partial<DomainRecord>;

/** Throws BAD_REQUEST naming the field. */
export function checkRouteRules(record: DomainRecord): void {
  parseAddressRanges(record.allowedAddresses, 'allowedAddresses');
  parseAddressRanges(record.deniedAddresses, 'deniedAddresses');
  if (record.maintenancePage !== null) checkPage(record.maintenancePage, 'maintenancePage');
  parseErrorPages(record.errorPages);
  parseResponseHeaders(record.responseHeaders);
  if (record.trustedProxies !== null) parseTrustedProxies(record.trustedProxies);
}

/**
 * Lists of addresses need the client's address, which only a chain of proxies shows that the installation
 * trusts: what a domain trusts by itself must not decide for all others. Throws BAD_REQUEST naming the list.
 */
export function checkAddressLists(record: DomainRecord, installation: readonly string[]): void {
  const lists = (['allowedAddresses', 'deniedAddresses'] as const).filter((name) => record[name].length > 0);
  const [field] = lists;
  if (field === undefined || record.trustedProxies === null) return;
  const known = new Set(rangesOf(installation));
  const foreign = rangesOf(record.trustedProxies).find((range) => !known.has(range));
  if (foreign === undefined) return;
  throw badField(
    field,
    `cannot be held behind ${foreign}, which only this domain trusts; ask the Owner of the installation to ` +
      'name it in the setting trustedProxies, or leave it out of trustedProxies here',
  );
}

/** A wildcard is proved by DNS, which the proxy does not do; Berth has ordered its certificate before. */
export async function checkWildcardCertificate(
  { asciiHost, certificateType, serverKey, organizationId }: DomainRecord,
  isOrdered: DomainSurroundings['isOrdered'],
): Promise<void> {
  if (certificateType === 'none' || !asciiHost.startsWith('*.')) return;
  if (certificateType === 'acme' && (await isOrdered(asciiHost, serverKey, organizationId))) return;
  throw badField(
    'certificateType',
    `${certificateType} cannot issue for a wildcard host, which authorities check by DNS records; ` +
      (certificateType === 'acme'
        ? 'add a DNS provider that serves its zone with dnsProvider.create, or upload a certificate of ' +
          'your own and use none'
        : 'use acme with a DNS provider of the organization (dnsProvider.create), or none with an ' +
          'uploaded certificate'),
  );
}
