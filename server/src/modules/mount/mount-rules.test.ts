import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { volumeNameOf } from './mount.ts';
import { checkMount, type MountDraft } from './mount-rules.ts';

const none = {
  isSecret: false,
  type: 'bind' as const,
  hostPath: null,
  volumeName: null,
  filePath: null,
  content: null,
  mountPath: '/data',
};
const check = (patch: Partial<MountDraft>): MountDraft => checkMount({ ...none, ...patch });

describe('a mount path', () => {
  it("is absolute, clean and not the system's", () => {
    for (const mountPath of [
      'data',
      './data',
      '',
      '/a/../b',
      '/..',
      '/a/./b',
      '/a\nb',
      '/a\u0000',
      '/',
      '//',
      '/proc',
      '/proc/1',
      '/sys/fs',
      '/.berth',
      '/.berth/busybox',
    ]) {
      expect(() => check({ type: 'volume', volumeName: 'v', mountPath })).toThrow('mountPath');
    }
    for (const mountPath of [
      '/data',
      '/a b/ü',
      '/procs',
      '/sysdata',
      '/.berthold',
      '/dev/shm',
      '/a..b',
      '/...',
    ])
      expect(check({ type: 'volume', volumeName: 'v', mountPath }).mountPath).toBe(mountPath);
    expect(check({ type: 'volume', volumeName: 'v', mountPath: '/data//more/' }).mountPath).toBe(
      '/data/more',
    );
  });

  it('that passes never leads out of where it says', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('..', '.', '', 'a', '/', 'b c', '...')), (parts) => {
        const path = `/${parts.join('/')}`;
        let passed: string | undefined;
        try {
          passed = check({ type: 'volume', volumeName: 'v', mountPath: path }).mountPath;
        } catch {
          passed = undefined;
        }
        expect(passed?.split('/').includes('..') ?? false).toBe(false);
        expect(passed === undefined || /^(\/[^/]+)+$/.test(passed)).toBe(true);
      }),
    );
  });
});

describe('a bind', () => {
  it('is kept as it is', () => {
    for (const hostPath of [
      '/srv/data',
      '/var/lib/berths',
      '/var/lib/dockers',
      '/run/docker.socket',
      '/var/running',
      '/home/user/a b',
    ])
      expect(check({ hostPath }).hostPath).toBe(hostPath);
  });

  it('needs a clean absolute path', () => {
    for (const hostPath of [null, '', 'relative', '../up', '/srv/../etc', '/srv\n/etc'])
      expect(() => check({ hostPath })).toThrow('hostPath');
  });
});

describe('a volume', () => {
  it('has a name that the engine takes', () => {
    for (const volumeName of [
      null,
      '',
      '-a',
      '.a',
      '_a',
      'a/b',
      'a b',
      'a:b',
      'a\n',
      'ü',
      'a'.repeat(101),
      '../a',
      '--driver=x',
    ])
      expect(() => check({ type: 'volume', volumeName })).toThrow('volumeName');
    for (const volumeName of ['a', 'A.b_c-9', '0', 'a'.repeat(100)])
      expect(check({ type: 'volume', volumeName }).volumeName).toBe(volumeName);
  });

  it("is named in the engine by its service's id, so that a rename keeps it and services never share", () => {
    const nobody = { applicationId: null, composeId: null, databaseId: null };
    expect(volumeNameOf({ ...nobody, applicationId: 'A1', volumeName: 'data' })).toBe('berth-A1-data');
    expect(volumeNameOf({ ...nobody, composeId: 'C2', volumeName: 'data' })).toBe('berth-C2-data');
    expect(volumeNameOf({ ...nobody, databaseId: 'D3', volumeName: 'data' })).toBe('berth-D3-data');
  });
});

describe('a file', () => {
  it('has some text of at most 500,000 bytes, and a name', () => {
    expect(check({ type: 'file', content: 'x', mountPath: '/etc/app.conf' })).toEqual({
      ...none,
      type: 'file',
      content: 'x',
      filePath: 'app.conf',
      mountPath: '/etc/app.conf',
    });
    expect(check({ type: 'file', content: 'x', filePath: 'conf/app.conf' }).filePath).toBe('conf/app.conf');
    for (const content of [null, '', 'ü'.repeat(250_001)])
      expect(() => check({ type: 'file', content })).toThrow('content');
    expect(check({ type: 'file', content: 'ü'.repeat(250_000) }).content).toHaveLength(250_000);
    for (const filePath of ['/abs', '../up', 'a/../../b', '..', '.', 'a//b', 'a/', 'a\nb', './a'])
      expect(() => check({ type: 'file', content: 'x', filePath })).toThrow('filePath');
  });
});

it('keeps only the fields of its type', () => {
  const all = { hostPath: '/srv/data', volumeName: 'v', filePath: 'f', content: 'c' };
  expect(check({ ...all, type: 'bind' })).toEqual({ ...none, type: 'bind', hostPath: '/srv/data' });
  expect(check({ ...all, type: 'volume' })).toEqual({ ...none, type: 'volume', volumeName: 'v' });
  expect(check({ ...all, type: 'file' })).toEqual({ ...none, type: 'file', filePath: 'f', content: 'c' });
});
