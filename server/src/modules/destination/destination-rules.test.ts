import { describe, expect, it } from 'vitest';
import { checkDestination, type DestinationDraft } from './destination-rules.ts';

const s3: DestinationDraft = {
  provider: 's3',
  accessKey: 'AK',
  secretAccessKey: 'SK',
  bucket: 'backups',
  region: 'eu-central-1',
  endpoint: 'https://s3.example.com',
  path: 'berth',
};
const local: DestinationDraft = {
  provider: 'local',
  accessKey: '',
  secretAccessKey: '',
  bucket: '',
  region: '',
  endpoint: '',
  path: '/srv/backups',
};
const check = checkDestination;

describe('a destination in a bucket', () => {
  it('has keys, bucket and an address', () => {
    expect(check(s3)).toEqual(s3);
    for (const field of ['accessKey', 'secretAccessKey', 'bucket', 'endpoint'] as const)
      expect(() => check({ ...s3, [field]: '' })).toThrow(`${field}: is required`);
    for (const field of ['region', 'path'] as const) expect(check({ ...s3, [field]: '' })[field]).toBe('');
  });

  it('takes what S3 services take, and nothing that a program would read as more', () => {
    for (const endpoint of [
      'http://127.0.0.1:9000',
      'https://s3.example.com/base/',
      'https://[2001:db8::1]:9000',
      'HTTPS://S3.example.com',
    ])
      expect(check({ ...s3, endpoint }).endpoint).toBe(endpoint);
    for (const endpoint of [
      's3.example.com',
      'ftp://s3.example.com',
      'file:///etc',
      'https://',
      'https://user:secret@s3.example.com',
      'https://s3.example.com?x=1',
      'https://s3.example.com#x',
      'https://s3 example.com',
      'https://a\nb',
      '--endpoint',
    ]) {
      expect(() => check({ ...s3, endpoint }), endpoint).toThrow('endpoint: ');
    }
    for (const bucket of ['abc', 'my.old_Bucket-1', 'a'.repeat(255)])
      expect(check({ ...s3, bucket }).bucket).toBe(bucket);
    for (const bucket of ['ab', '-abc', 'abc-', 'a..b', 'a/b', 'a b', 'a:b', '../x', 'a'.repeat(256)])
      expect(() => check({ ...s3, bucket }), bucket).toThrow('bucket: ');
    for (const region of ['eu central', '-x', 'a/b', 'a\nb'])
      expect(() => check({ ...s3, region })).toThrow('region: ');
    for (const path of ['../x', 'a/../../b', '--x', 'a\nb'])
      expect(() => check({ ...s3, path })).toThrow('path: ');
    expect(check({ ...s3, path: '/a//b/' }).path).toBe('a/b');
    for (const key of ['a b', 'a\nb', 'ü']) {
      expect(() => check({ ...s3, accessKey: key })).toThrow('accessKey: ');
      expect(() => check({ ...s3, secretAccessKey: key })).toThrow('secretAccessKey: ');
    }
  });
});

describe('a destination in a folder', () => {
  it('has an absolute path, and keeps nothing else', () => {
    expect(check({ ...s3, provider: 'local', path: '/srv//backups/' })).toEqual(local);
    for (const path of ['/srv/../etc', '/srv\n']) expect(() => check({ ...local, path })).toThrow('path: ');
  });

  it("is below its organization's own folder without a slash at its beginning", () => {
    for (const [path, kept] of [
      ['', ''],
      ['daily', 'daily'],
      ['./a//b/', 'a/b'],
    ] as const)
      expect(check({ ...local, path }).path).toBe(kept);
    for (const path of ['..', 'a/../../b', '-x', 'a\nb'])
      expect(() => check({ ...local, path }), path).toThrow('path: ');
  });
});
