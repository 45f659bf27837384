import { bcryptPattern, parseUsername } from '../../domain/secrets/basic-auth.ts';
import { AppError, sentenceOf } from '../../domain/errors.ts';
import { checkRedirect } from '../../domain/routing/redirect.ts';
import { parseAddressRanges } from '../../domain/network/address-range.ts';
import { parseErrorPages } from '../../domain/routing/error-pages.ts';
import { parseRequestHeaders, parseResponseHeaders } from '../../domain/routing/request-headers.ts';
import { parseRoutePath } from '../../domain/routing/route-path.ts';
import type { Route } from '../../ports/proxy.ts';

const hostPattern = /^(\*\.)?[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;

const servicePattern = /^[A-Za-z0-9][A-Za-z0-9_-]*$/;

/**
 * Refuses a route with characters that Caddy would read as a placeholder, a pattern or the end of a path;
 * whoever stores a domain checks more and earlier. Throws BAD_REQUEST naming the domain.
 */
export function checkRoute(route: Route): void {
  const faults = [
    hostPattern.test(route.host) ? [] : [`its host ${JSON.stringify(route.host)}`],
    ...faultsOf(`its path ${JSON.stringify(route.path)}`, () => parseRoutePath(route.path, 'path')),
    ...faultsOf(`its internal path ${JSON.stringify(route.internalPath)}`, () =>
      parseRoutePath(route.internalPath, 'internalPath'),
    ),
    route.service === null || servicePattern.test(route.service)
      ? []
      : [`its service ${JSON.stringify(route.service)}`],
    Number.isInteger(route.port) && route.port >= 1 && route.port <= 65_535 ? [] : [`its port ${route.port}`],
    ...faultsOf('its rules', () => checkRules(route)),
    ...faultsOf('its request headers', () => parseRequestHeaders(route.requestHeaders)),
    placeholders.test(acmeText(route)) || !accountPattern.test(accountText(route))
      ? ['its certificate authority']
      : [],
    route.accounts.every(({ passwordHash }) => bcryptPattern.test(passwordHash))
      ? []
      : ['the password of a user'],
    ...route.accounts.map(({ username }) =>
      faultsOf(`its user ${JSON.stringify(username)}`, () => parseUsername(username)),
    ),
    ...route.redirects.map((redirect) =>
      faultsOf(`its redirect ${JSON.stringify(redirect.regex)}`, () => checkRedirect(redirect)),
    ),
  ].flat();
  if (faults.length > 0)
    throw new AppError(
      'BAD_REQUEST',
      `The domain ${route.id} cannot be routed: ${faults.join(', ')} cannot be used.`,
    );
}

function checkRules(route: Route): void {
  parseAddressRanges(route.allowedAddresses, 'allowedAddresses');
  parseAddressRanges(route.deniedAddresses, 'deniedAddresses');
  parseAddressRanges(route.trustedProxies, 'trustedProxies');
  parseErrorPages(route.errorPages);
  parseResponseHeaders(route.responseHeaders);
}

/** Caddy fills them in the settings of an authority when it loads them. */
const placeholders = /[{}]/;

function acmeText({ certificate }: Route): string {
  return certificate?.source === 'acme'
    ? [certificate.directoryUrl, certificate.email, certificate.eab?.keyId].join(' ')
    : '';
}

/** It is the name of a folder. */
const accountPattern = /^[A-Za-z0-9_-]{0,100}$/;

function accountText({ certificate }: Route): string {
  return certificate?.source === 'acme' ? (certificate.account ?? '') : '';
}

/** What a rule says of a part of the route. */
function faultsOf(what: string, rule: () => unknown): string[] {
  try {
    rule();
    return [];
  } catch (error) {
    return [`${what} (${sentenceOf(error)})`];
  }
}
