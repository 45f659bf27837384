/**
 * The host name of Berth itself: which hosts it keeps from services, and the secure address that it has
 * when its certificate is there.
 */
import { AppError, badField } from '../../domain/errors.ts';
import { covers, hostOfUrl, whyNotForServices, type OwnNames } from '../../domain/access/own-host.ts';
import { localServer } from '../../domain/names/server-key.ts';
import { checkWildcardHost } from '../../domain/names/wildcard-host.ts';
import type { Clock } from '../../ports/clock.ts';
import type { HostFacts } from '../../ports/host/host.ts';

/** What services may be reached by. */
export interface HostRules {
  /** Throws BAD_REQUEST naming `host` for a host that no service may have on this server. */
  check(asciiHost: string, serverKey: string): Promise<void>;
  /**
   * Whether the proxy of the server may lead a host to a service: one that was given when that was still
   * allowed, or became Berth's since, is led no more.
   */
  allowed(serverKey: string): Promise<(asciiHost: string) => boolean>;
}

export interface HostRulesParts {
  settings(): Promise<{ host: string | null; serverIp: string | null; baseDomain?: string | null }>;
  /** Public address of Berth. */
  url: string;
  facts(): Promise<Pick<HostFacts, 'addresses' | 'hostName'>>;
}

export type CreateHostRules = (parts: HostRulesParts) => HostRules;

export const createHostRules: CreateHostRules = ({ settings, url, facts }) => {
  async function names(): Promise<OwnNames> {
    const [{ host, serverIp }, { addresses, hostName }] = await Promise.all([settings(), facts()]);
    return {
      hosts: [host ?? '', hostOfUrl(url) ?? '', hostName.toLowerCase()].filter((name) => name !== ''),
      addresses: [...addresses, ...(serverIp === null ? [] : [serverIp])],
    };
  }
  const onMachine = (serverKey: string) => ({ isBerthsMachine: serverKey === localServer });
  return {
    async check(asciiHost, serverKey) {
      await checkWildcardHost(asciiHost);
      const { baseDomain } = await settings();
      if (baseDomain && serverKey === localServer && asciiHost === `*.${baseDomain}`)
        throw badField(
          'host',
          `cannot be ${asciiHost}: services of every organization are named below the base domain ` +
            `${baseDomain}. Name one host, or use a wildcard below another domain`,
        );
      const why = whyNotForServices(asciiHost, await names(), onMachine(serverKey));
      if (why !== undefined)
        throw badField(
          'host',
          `cannot be routed to a service: ${why}. Browsers would send it what belongs to Berth. Use ` +
            'another host, such as the one that domain.generateDomain gives',
        );
    },
    async allowed(serverKey) {
      const own = await names();
      return (asciiHost) => whyNotForServices(asciiHost, own, onMachine(serverKey)) === undefined;
    },
  };
};

export interface OwnHostParts {
  settings(): Promise<{ host: string | null; acmeDirectory: string | null }>;
  clock: Clock;
  httpsPort: number;
  /** Hosts of the domains of this machine. */
  domainHosts(): Promise<{ domainId: string; asciiHost: string }[]>;
  /** When the certificate that an authority issued ends, in ms; undefined while there is none. */
  issuedUntil(host: string, directoryUrl: string | null): Promise<number | undefined>;
  /** The installation's own organization; undefined before the first account. */
  installation(): Promise<string | undefined>;
  /** The certificate that the organization uploaded for the host. */
  uploadedFor(host: string, organizationId: string): Promise<{ expirationDate: string } | undefined>;
}

export interface OwnHost {
  /** CONFLICT when a domain has the host, or a wildcard that covers it. */
  requireFree(host: string): Promise<void>;
  /** CONFLICT when a domain has the wildcard below which services are to be named. */
  requireFreeBase(base: string): Promise<void>;
  /** The https address of Berth; undefined while it has no host name, or no certificate for it. */
  secureAddress(): Promise<string | undefined>;
  /** As a route of the proxy has it: its host, and whether a certificate was uploaded for it. */
  routed(): Promise<{ asciiHost: string; certificateType: 'acme' | 'none' } | undefined>;
}

export function createOwnHost(parts: OwnHostParts): OwnHost {
  const { settings, clock, httpsPort, domainHosts, issuedUntil } = parts;
  const uploadedUntil = async (host: string): Promise<number | undefined> => {
    const organizationId = await parts.installation();
    const found = organizationId === undefined ? undefined : await parts.uploadedFor(host, organizationId);
    return found && Date.parse(found.expirationDate);
  };
  const isAhead = (end: number | undefined): boolean => end !== undefined && end > clock.now();
  return {
    async requireFree(host) {
      const holder = (await domainHosts()).find(({ asciiHost }) => covers(asciiHost, host));
      if (holder === undefined) return;
      throw new AppError(
        'CONFLICT',
        `host: ${host} leads to a service already (domain ${holder.domainId}, ${holder.asciiHost}). Choose ` +
          'another host for Berth, or remove that domain.',
        { issues: [{ path: 'host', message: 'leads to a service' }] },
      );
    },
    async requireFreeBase(base) {
      const holder = (await domainHosts()).find(({ asciiHost }) => asciiHost === `*.${base}`);
      if (holder === undefined) return;
      throw new AppError(
        'CONFLICT',
        `baseDomain: *.${base} leads to a service already (domain ${holder.domainId}), which would get the ` +
          'requests of services that are not deployed yet. Choose another domain, or remove that one.',
        { issues: [{ path: 'baseDomain', message: 'leads to a service' }] },
      );
    },
    async secureAddress() {
      const { host, acmeDirectory } = await settings();
      if (host === null) return undefined;
      if (!isAhead(await uploadedUntil(host)) && !isAhead(await issuedUntil(host, acmeDirectory)))
        return undefined;
      return `https://${host}${httpsPort === 443 ? '' : `:${httpsPort}`}`;
    },
    async routed() {
      const { host } = await settings();
      if (host === null) return undefined;
      return {
        asciiHost: host,
        certificateType: isAhead(await uploadedUntil(host)) ? 'none' : 'acme',
      };
    },
  };
}
