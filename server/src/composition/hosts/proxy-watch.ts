/** What the proxies tell by themselves: certificates and requests. */
import type { ProxyWatcher } from '../../adapters/proxy/caddy.ts';
import type { ProxyStore } from '../../ports/certificates/certificate-news.ts';
import { createCounting, type CountingParts } from '../../jobs/counting.ts';
import { createDnsCheck } from '../../modules/domain/dns-check.ts';
import { createDomainRequests, type DomainRequests } from '../../modules/domain/requests.ts';
import { createIssuing, type Issuing, type IssuingParts } from '../../modules/issuance/issuing.ts';
import { countRequests, type Counters } from '../../modules/metrics/counters.ts';
import { serverAddressOf } from '../../modules/server/server-address.ts';
import type { SettingsService } from '../../modules/settings/settings.ts';
import type { Adapters } from '../adapters.ts';
import type { Stores } from '../stores.ts';

export interface ProxyWatch extends Pick<Issuing, 'issuanceOf' | 'forgetAccount'> {
  requests: DomainRequests;
  /** Watches the proxy of a server from now on. */
  watch(serverKey: string, store: ProxyStore): ProxyWatcher;
  /**
   * From now on this is told of servers whose proxy has to follow. Until then nobody needs to be: the
   * reconciler begins with a look at every proxy.
   */
  follow(changed: (serverKey: string) => void): void;
  /** From now on this decides about hosts that no route has; until then none is allowed. */
  admit(allows: (serverKey: string, host: string) => Promise<boolean>): void;
  stop(): Promise<void>;
}

type Parts = Omit<IssuingParts, 'changed' | 'whyNotHere' | 'stores'> &
  Pick<CountingParts, 'clock' | 'log'> & {
    counters: Pick<Counters, 'add'>;
    stores: Pick<Stores, 'issuance' | 'requests' | 'servers'>;
    adapters: Pick<Adapters, 'accessLog' | 'names'>;
    settings: SettingsService;
  };

export function createProxyWatch(parts: Parts): ProxyWatch {
  let changed: (serverKey: string) => void = () => undefined;
  let allows = async (_serverKey: string, _host: string): Promise<boolean> => false;
  const dns = createDnsCheck({ names: parts.adapters.names, settings: parts.settings.get });
  const addressOf = serverAddressOf(parts.stores, parts.settings);
  const issuing = createIssuing({
    ...parts,
    whyNotHere: async (host, serverKey) => dns.whyNotHere(host, await addressOf(serverKey)),
    changed: (serverKey) => changed(serverKey),
  });
  const requests = createDomainRequests(parts.stores.requests);
  const counting = createCounting({
    ...parts,
    requests,
    count: (seen) => countRequests(parts.counters, seen),
  });
  return {
    issuanceOf: issuing.issuanceOf,
    forgetAccount: issuing.forgetAccount,
    requests,
    watch(serverKey, store) {
      const issuance = issuing.begin(serverKey, store);
      return {
        onNews: (news) => void issuance.hear(news),
        onRequests: counting.take,
        beforeLoad: issuance.putBack,
        allows: (host) => allows(serverKey, host),
      };
    },
    follow(listener) {
      changed = listener;
    },
    admit(decide) {
      allows = decide;
    },
    async stop() {
      issuing.stop();
      await counting.stop();
    },
  };
}
