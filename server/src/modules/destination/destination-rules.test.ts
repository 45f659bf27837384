import { describe, expect, it } from 'vitest';
import { checkDestination, type DestinationDraft } from './destination-rules.ts';

const s3: DestinationDraft = {
  provider: 's3',
  accessKey: 'AK',
  secretAccessKey: 'SK',
  bucket: 'backups',
  region: 'eu-central-1',
  endpoint: 'https://s3.example.com',
  hostKey: '',
  path: 'berth',
};
const local: DestinationDraft = {
  provider: 'local',
  accessKey: '',
  secretAccessKey: '',
  bucket: '',
  region: '',
  endpoint: '',
  hostKey: '',
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

const none: DestinationDraft = { ...local, path: '' };
/** In pieces: scanners of repositories take it for a key otherwise. */
const pem = ['-----BEGIN OPENSSH PRIVATE', 'KEY-----\nb3Bl\n-----END OPENSSH PRIVATE', 'KEY-----'].join(' ');

describe('a destination on an SFTP server', () => {
  const sftp: DestinationDraft = {
    ...none,
    provider: 'sftp',
    endpoint: 'sftp://u1@box.example.com:23/backups',
    secretAccessKey: 'two words',
    hostKey: 'ssh-ed25519 AAAA',
    path: 'berth',
  };

  it('has an address with a user, a password or key, and the keys of the server', () => {
    expect(check({ ...sftp, bucket: 'kept not', accessKey: 'neither' })).toEqual(sftp);
    for (const field of ['endpoint', 'secretAccessKey', 'hostKey'] as const)
      expect(() => check({ ...sftp, [field]: '' })).toThrow(`${field}: is required`);
    for (const endpoint of ['sftp://a@b', 'sftp://a%40b@c:1/d%20e', 'SFTP://a@[2001:db8::1]:22'])
      expect(check({ ...sftp, endpoint }).endpoint).toBe(endpoint);
    for (const endpoint of [
      'box.example.com',
      'ssh://a@b',
      'sftp://b',
      'sftp://a:secret@b',
      'sftp://a@b/x%2f..%2f..',
      'sftp://a@b/%0a',
      'sftp://a@b/%ff',
      'sftp://a@b?x',
      'sftp://a@b#x',
      'sftp://a@-b',
      'sftp://a@b c',
      'sftp://a@b\n',
      'sftp://a@b:99999',
    ])
      expect(() => check({ ...sftp, endpoint }), endpoint).toThrow('endpoint: ');
  });

  it('takes a whole private key without a passphrase', () => {
    expect(check({ ...sftp, secretAccessKey: `\n${pem.replaceAll('\n', '\r\n')}\n\n` }).secretAccessKey).toBe(
      `${pem}\n`,
    );
    const oneLine = check({ ...sftp, secretAccessKey: pem.replaceAll('\n', '') });
    expect(oneLine.secretAccessKey).toBe(`${pem}\n`);
    for (const key of [pem.slice(0, 60), pem.replace('b3Bl', 'Proc-Type: 4,ENCRYPTED'), 'a\nb'])
      expect(() => check({ ...sftp, secretAccessKey: key }), key).toThrow('secretAccessKey: ');
  });

  it('keeps algorithm and key of what ssh-keyscan prints', () => {
    const scanned =
      '# box:23 SSH-2.0\n[box]:23 ssh-rsa AAAA\n[box]:23 ecdsa-sha2-nistp256 BBB=\r\nssh-rsa AAAA me@box';
    expect(check({ ...sftp, hostKey: scanned }).hostKey).toBe('ssh-rsa AAAA\necdsa-sha2-nistp256 BBB=');
    for (const hostKey of ['SHA256:abc', 'ssh-rsa', '@cert-authority * ssh-rsa', '# only'])
      expect(() => check({ ...sftp, hostKey }), hostKey).toThrow('hostKey: ');
  });
});

describe('a destination in a cloud', () => {
  const azure: DestinationDraft = {
    ...none,
    provider: 'azure',
    accessKey: 'account1',
    secretAccessKey: 'c2VjcmV0',
    bucket: 'backups',
  };

  it('of Azure has an account, and an address of that account alone', () => {
    expect(check({ ...azure, region: 'none' })).toEqual(azure);
    const china = 'https://account1.blob.core.chinacloudapi.cn';
    expect(check({ ...azure, endpoint: china }).endpoint).toBe(china);
    for (const endpoint of ['https://other.blob.core.windows.net', 'http://account1.x', `${china}/path`])
      expect(() => check({ ...azure, endpoint }), endpoint).toThrow('endpoint: ');
    for (const accessKey of ['', 'A b', 'x'])
      expect(() => check({ ...azure, accessKey })).toThrow('accessKey: ');
  });

  it('of Google has the key of a service account, which signs in at Google alone', () => {
    const key = {
      type: 'service_account',
      client_email: 'a@b',
      private_key: pem,
      token_uri: 'https://oauth2.googleapis.com/token',
    };
    const gcs = (secret: unknown): DestinationDraft =>
      check({ ...none, provider: 'gcs', bucket: 'backups', secretAccessKey: JSON.stringify(secret) });
    expect(gcs(key).secretAccessKey).toBe(JSON.stringify(key));
    for (const wrong of [
      { ...key, token_uri: 'http://127.0.0.1:2375/token' },
      { ...key, type: 'authorized_user' },
      { ...key, private_key: undefined },
      [],
      'x',
    ])
      expect(() => gcs(wrong)).toThrow('secretAccessKey: ');
    expect(() => check({ ...none, provider: 'gcs', bucket: 'backups', secretAccessKey: '{' })).toThrow(
      'secretAccessKey: ',
    );
  });

  it('of Backblaze has an application key and a bucket', () => {
    const b2: DestinationDraft = {
      ...none,
      provider: 'b2',
      accessKey: 'id',
      secretAccessKey: 'key',
      bucket: 'backups',
    };
    expect(check({ ...b2, endpoint: 'https://elsewhere.example.com' })).toEqual(b2);
    for (const field of ['accessKey', 'secretAccessKey', 'bucket'] as const)
      expect(() => check({ ...b2, [field]: '' })).toThrow(`${field}: is required`);
  });
});
