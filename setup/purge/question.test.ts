import { expect, it } from 'vitest';
import { installationName } from './question.ts';

it('is the host name of Berth, else that of the machine', () => {
  expect(installationName({ chosen: { BERTH_PUBLIC_HOST: 'berth.example.com' } }, 'box')).toBe(
    'berth.example.com',
  );
  expect(installationName({ chosen: {} }, 'box')).toBe('box');
  expect(installationName({ chosen: {} }, '')).toBe('localhost');
});
