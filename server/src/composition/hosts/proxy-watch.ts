/** What the proxies tell by themselves: certificates and requests. */
import type { ProxyWatcher } from '../../adapters/proxy/caddy.ts';
import type { ProxyStore } from '../../ports/certificate-news.ts';
import { createCounting, type Counting, type CountingParts } from '../upkeep/counting.ts';
import { createIssuing, type Issuing, type IssuingParts } from '../upkeep/issuing.ts';

export interface ProxyWatch
  extends Pick<Issuing, 'issuanceOf' | 'forgetAccount'>,
    Pick<Counting, 'requests'> {
  /** Watches the proxy of a server from now on. */
  watch(serverKey: string, store: ProxyStore): ProxyWatcher;
  /** From now on this is told of servers whose proxy has to follow. */
  follow(changed: (serverKey: string) => void): void;
  stop(): Promise<void>;
}

export function createProxyWatch(parts: Omit<IssuingParts, 'changed'> & CountingParts): ProxyWatch {
  let changed: (serverKey: string) => void = () => undefined;
  const issuing = createIssuing({ ...parts, changed: (serverKey) => changed(serverKey) });
  const counting = createCounting(parts);
  return {
    issuanceOf: issuing.issuanceOf,
    forgetAccount: issuing.forgetAccount,
    requests: counting.requests,
    watch(serverKey, store) {
      const issuance = issuing.begin(serverKey, store);
      return {
        onNews: (news) => void issuance.hear(news),
        onRequests: counting.take,
        beforeLoad: issuance.putBack,
      };
    },
    follow(listener) {
      changed = listener;
    },
    async stop() {
      issuing.stop();
      await counting.stop();
    },
  };
}
