import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { composeAddress } from './compose-address.ts';

const db = { image: 'postgres:17', ports: ['5432:5432'] };
const found = (serviceName: string, port?: number): object => ({ serviceName, port });

describe('the service of a compose file that gets the address', () => {
  test.each<[string, object, object | undefined]>([
    ['publishes a port', { db, shop: { image: 'a', ports: ['8080:80'] } }, found('shop', 80)],
    ['at an address of the machine', { shop: { ports: ['127.0.0.1:8080:3000/tcp'] } }, found('shop', 3000)],
    ['by a variable with a default', { shop: { ports: ['${PORT:-8080}:${INNER:-81}'] } }, found('shop', 81)],
    ['in the long form', { shop: { ports: [{ target: 80, published: '8080' }] } }, found('shop', 80)],
    ['as a number', { shop: { ports: [3000] } }, found('shop', 3000)],
    ['beside one that only exposes', { a: { expose: ['9000'] }, b: { ports: ['80'] } }, found('b', 80)],
    ['exposes one', { db: { image: 'postgres:17' }, shop: { expose: ['3000'] } }, found('shop', 3000)],
    [
      'is called like a front',
      { admin: { ports: ['81:80'] }, web: { ports: ['80:8000'] } },
      found('web', 8000),
    ],
    ['is the only one', { shop: { image: 'a' } }, found('shop')],
    ['cannot be told from others', { a: { ports: ['81:80'] }, b: { ports: ['82:80'] } }, undefined],
    ['is not there', { a: { image: 'a' }, b: { ports: ['53:53/udp'] } }, undefined],
  ])('%s', (_what, services, expected) => {
    expect(composeAddress(stringify({ services }))).toEqual(expected);
  });
});
