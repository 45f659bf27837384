import { expect, it } from 'vitest';
import { signUpAddress } from './first-sign-up.ts';
import { readSettings } from './settings/settings.ts';

const addresses = ['192.0.2.7', '198.51.100.1'];

it.each([
  ['names the machine as others reach it', {}, 'http://192.0.2.7:3000/sign-up#secret'],
  ['takes its port', { BERTH_PORT: '4000' }, 'http://192.0.2.7:4000/sign-up#secret'],
  [
    'keeps a chosen address',
    { BERTH_URL: 'https://berth.example.com/' },
    'https://berth.example.com/sign-up#secret',
  ],
  ['is local where Berth is', { BERTH_HOST: '127.0.0.1' }, 'http://localhost:3000/sign-up#secret'],
])('the address of the first sign-up %s', (_what, environment, address) => {
  expect(signUpAddress(readSettings(environment, {}), 'secret', addresses)).toBe(address);
});

it('is the local one on a machine without a network', () => {
  expect(signUpAddress(readSettings({}, {}), 'secret', [])).toBe('http://localhost:3000/sign-up#secret');
});
