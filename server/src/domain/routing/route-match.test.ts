import { expect, test } from 'vitest';
import { routedDomains, rows } from '../../../../test/integration/proxy/routing-table.ts';
import { routeMatcher } from './route-match.ts';

const match = routeMatcher(routedDomains.map((domain) => ({ ...domain, path: domain.path ?? '/' })));

// The same rows that the real proxy is held to.
test.each(rows)('$host $path → $to', ({ host, path, to }) => {
  expect(match(host, path)?.to ?? 'nobody').toBe(to);
});

test.each(['/%', '/%zz', '', '?', 'http://a.test/api', '*'])('%s ends in an answer', (address) => {
  expect(() => match('a.test', address)).not.toThrow();
});
