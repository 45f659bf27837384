import { expect, it } from 'vitest';
import { BerthError } from '../../../client/berth-error.ts';
import { validityWords, type Checked } from './validity-words.ts';
import { faultsOf, inLabels } from './faults.ts';

const labels = {
  endpoint: 'Address of the storage',
  accessKey: 'Access key',
  secretAccessKey: 'Secret key',
  region: 'Region',
  appId: 'Id of the GitHub App',
  'email.host': 'SMTP server',
};

it('says what the screen shows in place of names of the interface', () => {
  const said = (sentence: string): string => inLabels(sentence, labels);
  expect(said('Check accessKey, secretAccessKey and region of the destination')).toBe(
    'Check access key, secret key and region of the destination',
  );
  expect(said('It broke off. endpoint: must be an address. Check the endpoint and appId')).toBe(
    'It broke off. Address of the storage: must be an address. Check the address of the storage and ' +
      'id of the GitHub App',
  );
  const address = 'must be sftp://endpoint@endpoint:22/endpoint or "endpoint.example.com"';
  expect(said(address)).toBe(address);
});

it('begins a fault with the label of its field', () => {
  const issues = [
    { path: 'endpoint', message: 'is required for this provider' },
    { path: 'email.host', message: 'is required' },
    { path: 'rules.0.maxBytes', message: 'is required' },
  ];
  expect(faultsOf(new BerthError('BAD_REQUEST', 'x', { issues }), labels)).toMatchObject({
    endpoint: 'Address of the storage is required for this provider.',
    'email.host': 'SMTP server is required.',
    rules: 'Max bytes is required.',
  });
});

it('has words for everything that a browser checks', () => {
  const words = (name: keyof Checked['validity'], type = 'text'): string =>
    validityWords('Name', { validity: { [name]: true } as never, type, min: '2', max: '9' });
  expect([
    words('valueMissing'),
    words('rangeUnderflow', 'number'),
    words('rangeOverflow', 'number'),
    words('stepMismatch', 'number'),
    words('badInput', 'number'),
    words('typeMismatch', 'email'),
    words('typeMismatch', 'url'),
  ]).toEqual([
    'Name is required.',
    'Name must be at least 2.',
    'Name must be at most 9.',
    'Name must be a whole number.',
    'Name must be a number.',
    'Name must be an email address, such as ada@example.com.',
    'Name must be an address, such as https://example.com.',
  ]);
});
