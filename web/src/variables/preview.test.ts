import { expect, it } from 'vitest';
import { previewOf } from './preview.ts';

const shared = { project: 'REGION=eu\nLOG=info', environment: 'LOG=debug' };
const own = new Map([['PORT', '3000']]);

it.each([
  ['${{project.REGION}}-1', 'eu-1', ['the project']],
  ['${{environment.LOG}}', 'debug', ['the environment']],
  ['${{LOG}}', 'debug', ['the environment']],
  ['${{REGION}}', 'eu', ['the project']],
  [':${{PORT}}', ':3000', ['this service']],
  ['${{Shop DB.URL}}?ssl=1', '${{Shop DB.URL}}?ssl=1', ['Shop DB']],
  ['$${{PORT}}', '${{PORT}}', []],
])('%s', (value, text, origins) => {
  expect(previewOf(value, own, shared)).toEqual({ text, origins });
});

it('says nothing of a value that refers to nothing', () => {
  expect(previewOf('plain $HOME ${X}', own, shared)).toBeUndefined();
});
