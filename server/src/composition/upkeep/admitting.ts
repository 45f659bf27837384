/** Host names of customers, which services allow in the moment in which somebody asks for them. */
import { quotasOf } from '../../deploy/quotas.ts';
import { probeTarget } from '../../deploy/release/health-check.ts';
import { createAdmission } from '../../modules/on-demand/admission.ts';
import { createAskService } from '../../modules/on-demand/ask-service.ts';
import type { Reconciler } from '../../reconcile/reconciler.ts';
import type { Ground } from '../ground.ts';
import type { Machines } from '../hosts/machines.ts';
import type { Walls } from '../hosts/walls.ts';
import type { Product } from '../product.ts';

/** From now on the proxies may have certificates for hosts that services allow. */
export function admitHosts(
  { stores, clock, adapters, log }: Ground,
  { settings, domains, hostRules, baseDomains, refusedNames, notifying, accounts }: Product,
  { hosts, watch }: Machines,
  { changeRoutes }: Pick<Reconciler, 'changeRoutes'>,
  { leadsTo }: Pick<Walls, 'leadsTo'>,
): void {
  const admission = createAdmission({
    store: stores.domains,
    domains,
    hosts: hostRules,
    baseDomains,
    names: adapters.names,
    resolver: async () => (await settings.get()).dnsResolver,
    clock,
    isWithheld: async (serverKey, host) => (await watch.issuanceOf(serverKey).withheld()).has(host),
    ask: createAskService({
      engineOf: async (serverKey) => (await hosts.of(serverKey)).engine,
      routed: stores.domains.routed,
      leadsTo,
      busybox: probeTarget,
    }),
    refused: refusedNames,
    changeRoutes,
    withinQuota: quotasOf(stores).within,
    tell: notifying.tell,
    changed: ({ organizationId, domainId, applicationId, composeId }) =>
      accounts.events.tellAll([
        {
          organizationId,
          kind: 'domain',
          what: 'created',
          resourceId: domainId,
          serviceId: applicationId ?? composeId,
          projectId: null,
          environmentId: null,
          formerProjectId: null,
          formerEnvironmentId: null,
          userId: null,
          status: null,
          stage: null,
        },
      ]),
    onFault: (error) => void log.fault(error, "customers' host names"),
  });
  watch.admit(admission.allows);
}
