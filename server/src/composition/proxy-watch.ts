/** What the proxy tells by itself: certificates and requests. */
import type { CaddyProxyOptions } from '../adapters/proxy/caddy.ts';
import { createCounting, type Counting } from './counting.ts';
import { createIssuing, type Issuing, type IssuingParts } from './issuing.ts';

export interface ProxyWatch extends Pick<Issuing, 'issuance'>, Pick<Counting, 'requests'> {
  events: Required<Pick<CaddyProxyOptions, 'onNews' | 'onRequests' | 'beforeLoad'>>;
  stop(): Promise<void>;
}

export function createProxyWatch(parts: IssuingParts): ProxyWatch {
  const issuing = createIssuing(parts);
  const counting = createCounting(parts);
  const { issuance } = issuing;
  return {
    issuance,
    requests: counting.requests,
    events: {
      onNews: (news) => void issuance.hear(news),
      onRequests: counting.take,
      beforeLoad: issuance.putBack,
    },
    async stop() {
      issuing.stop();
      await counting.stop();
    },
  };
}
