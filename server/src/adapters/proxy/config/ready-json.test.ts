import { expect, it } from 'vitest';
import { jsonOf, ready } from './ready-json.ts';

it('is what JSON.stringify writes, whatever is ready', () => {
  const route = {
    match: [{ host: ['a"b', 'ü'] }],
    none: undefined,
    terminal: true,
    weight: 0.5,
    nothing: null,
  };
  const whole = { routes: [route, route], 'a name': {}, list: [] };
  expect(jsonOf(whole)).toBe(JSON.stringify(whole));
  expect(jsonOf({ ...whole, routes: [ready(route), route] })).toBe(JSON.stringify(whole));
  expect(jsonOf(ready(whole))).toBe(JSON.stringify(whole));
});
