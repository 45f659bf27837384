import { expect, test } from 'vitest';
import { portShownBy } from './shown-port.ts';

test.each([
  [[], 3000],
  [[80], 80],
  [[8080], 8080],
  [[80, 3000], 3000],
  [[8443, 8080], 8080],
])('an image that exposes %j listens on %i', (exposed, port) => {
  expect(portShownBy(exposed)).toBe(port);
});
