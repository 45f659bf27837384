import type { DomainRecord } from '../../db/tables.ts';
import { parseHost } from '../../domain/names/names.ts';
import { checkWildcardHost } from '../../domain/names/wildcard-host.ts';
import { serverKeyOf } from '../../domain/names/server-key.ts';
import { reachOf } from '../../domain/access/permissions.ts';
import type { AccessLog } from '../../ports/access-log.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ChangeRoutes } from '../../ports/proxy.ts';
import type { CallContext } from '../../procedure/context.ts';
import { paginate } from '../../procedure/input/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { domainContract } from './contract.ts';
import type { CertificateState } from './certificate-state.ts';
import type { DnsCheck } from './dns-check.ts';
import type { LeadingMachine } from '../base-domain/base-domain.ts';
import type { DomainInput, Domains } from './domain.ts';
import type { DnsRecords } from '../dns-record/dns-record.ts';
import { recordHandlers } from './dns-handlers.ts';
import type { DomainRequests } from './requests.ts';

/** Certificates of wildcard hosts, which Berth orders by DNS (certificate-order/automatic.ts). */
export interface DnsOrders {
  /** The DNS provider by which the host can be proved; undefined when its certificate is there or ordered. */
  prepare(asciiHost: string, serverKey: string, organizationId: string): Promise<string | undefined>;
  order(
    name: string,
    of: { serverKey: string; organizationId: string; dnsProviderId: string },
  ): Promise<void>;
}

export interface DomainDesk {
  changeRoutes: ChangeRoutes;
  dns: DnsCheck;
  serverIp(): Promise<string | null>;
  /**
   * Looks, before an authority is asked for the certificate of a host on the server, whether it would find
   * the host.
   */
  prepare(serverKey: string, asciiHost: string): Promise<void>;
  dnsOrders: DnsOrders;
  dnsRecords: Pick<DnsRecords, 'plan' | 'apply'>;
  /** Begins certificate orders that are due, without waiting for them. */
  beginOrders(): void;
  certificateOf(domain: DomainRecord): Promise<CertificateState>;
  clock: Clock;
  requestsSince: DomainRequests['since'];
  lastRequests: AccessLog['tail'];
  /** IP address or host name of another server. */
  serverAddress(serverId: string, organizationId: string): Promise<string>;
  /** Hosts of customers that were not allowed by the domain, newest first. */
  refusedNames(domainId: string): { host: string; reason: string; at: string }[];
  /** Machines to which a host is to lead. */
  leadingTo(of: {
    host: string;
    organizationId: string;
    serverId?: string | null | undefined;
    projectId?: string | undefined;
  }): Promise<LeadingMachine[]>;
}

const hourMs = 3_600_000;

export function domainHandlers(
  domains: Domains,
  {
    changeRoutes,
    dns,
    serverIp,
    prepare,
    dnsOrders,
    dnsRecords,
    beginOrders,
    certificateOf,
    clock,
    requestsSince,
    lastRequests,
    serverAddress,
    leadingTo,
    refusedNames,
  }: DomainDesk,
): Handlers<typeof domainContract, CallContext> {
  /** Resolves with what orders the certificate of a wildcard, within the change of the domain. */
  async function prepareCertificate(
    serverKey: string,
    organizationId: string,
    { host, https, certificateType }: Pick<DomainInput, 'host' | 'https' | 'certificateType'>,
  ): Promise<() => Promise<void>> {
    const asciiHost = parseHost(host);
    const isAsked = https && certificateType !== undefined && certificateType !== 'none';
    if (isAsked && !asciiHost.startsWith('*')) await prepare(serverKey, asciiHost);
    if (!isAsked || certificateType !== 'acme' || !asciiHost.startsWith('*')) return async () => undefined;
    await checkWildcardHost(asciiHost);
    const dnsProviderId = await dnsOrders.prepare(asciiHost, serverKey, organizationId);
    return async () => {
      if (dnsProviderId !== undefined)
        await dnsOrders.order(asciiHost, { serverKey, organizationId, dnsProviderId });
    };
  }

  return {
    async create(context, { applicationId, composeId, previewDeploymentId, ...input }) {
      const serverKey = await domains.serverKeyOf({ applicationId, composeId, previewDeploymentId });
      const { organizationId } = context.actor;
      const order = await prepareCertificate(serverKey, organizationId, input);
      const made = await changeRoutes(serverKey, context.write, async () => {
        await order();
        return domains.create(
          organizationId,
          { applicationId, composeId, previewDeploymentId },
          input,
          reachOf(context.actor),
        );
      });
      beginOrders();
      return made;
    },
    async update(context, { domainId, ...input }) {
      const { organizationId } = context.actor;
      const { serverKey, host, https, certificateType } = await domains.one(domainId, organizationId);
      const order = await prepareCertificate(serverKey, organizationId, {
        host: input.host ?? host,
        https: input.https ?? https,
        certificateType: input.certificateType ?? certificateType,
      });
      const changed = await changeRoutes(serverKey, context.write, async () => {
        await order();
        return domains.update(domainId, organizationId, input, reachOf(context.actor));
      });
      beginOrders();
      return changed;
    },
    async one({ actor }, { domainId }) {
      const record = await domains.one(domainId, actor.organizationId);
      return { ...record, certificate: await certificateOf(record), refusedNames: refusedNames(domainId) };
    },
    async requests(_context, { domainId, since }) {
      const from = since === undefined ? clock.now() - hourMs : Date.parse(since);
      return { domainId, since: new Date(from).toISOString(), minutes: await requestsSince(domainId, from) };
    },
    async accessLog({ actor }, { domainId, tail }) {
      const { applicationId, composeId, previewDeploymentId } = await domains.one(
        domainId,
        actor.organizationId,
      );
      const seen = await lastRequests(
        applicationId ?? composeId ?? previewDeploymentId ?? domainId,
        domainId,
        tail,
      );
      return seen.map(({ at, method, host, path, status, durationMs, bytes }) => ({
        at: new Date(at).toISOString(),
        method,
        host,
        path,
        status,
        durationMs,
        bytes,
      }));
    },
    byApplicationId: async ({ actor }, input) =>
      paginate(
        await domains.byApplication(input.applicationId, actor.organizationId),
        input,
        ({ domainId }) => domainId,
      ),
    byComposeId: async ({ actor }, input) =>
      paginate(
        await domains.byCompose(input.composeId, actor.organizationId),
        input,
        ({ domainId }) => domainId,
      ),
    async delete(context, { domainId }) {
      const { organizationId } = context.actor;
      const { serverKey } = await domains.one(domainId, organizationId);
      return changeRoutes(serverKey, context.write, () => domains.remove(domainId, organizationId));
    },
    async generateDomain({ actor }, { appName, serverId }) {
      const address = serverId
        ? await dns.addressOf(await serverAddress(serverId, actor.organizationId))
        : await serverIp();
      const { organizationId } = actor;
      const serverKey = serverKeyOf({ serverId: serverId ?? null });
      return domains.generate(appName, {
        organizationId,
        serverKey,
        serverIp: address,
        reaches: reachOf(actor),
      });
    },
    async validateDomain({ actor: { organizationId } }, { domain, serverIp: address, ...of }) {
      if (address) return dns.check(domain, [{ serverId: null, address }]);
      return dns.check(domain, await leadingTo({ host: parseHost(domain, 'domain'), organizationId, ...of }));
    },
    ...recordHandlers(domains, dnsRecords),
  };
}
