import { expect, test } from 'vitest';
import { addressOf } from './address.ts';

test('an address has what a browser needs, and no more', () => {
  expect(addressOf({ host: 'shop.example.com', path: '/', https: false })).toBe('http://shop.example.com');
  expect(addressOf({ host: 'shop.example.com', path: '/api', https: true })).toBe(
    'https://shop.example.com/api',
  );
  const ports = { http: 8080, https: 443 };
  expect(addressOf({ host: 'shop.test', path: '/', https: false }, ports)).toBe('http://shop.test:8080');
  expect(addressOf({ host: 'shop.test', path: '/', https: true }, ports)).toBe('https://shop.test');
});
