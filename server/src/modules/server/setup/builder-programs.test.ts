import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import {
  bareServer,
  setupWorld,
  type BareServer,
  type Further,
} from '../../../../../test/machines/bare-server.ts';
import { AppError } from '../../../domain/errors.ts';

const address = 'https://releases.example.com/pack-v1-linux.tgz';
const note = '/data/programs/pack.sha256';
const archive = '/data/programs/pack.download';
const sumOf = (text: string): string => createHash('sha256').update(text).digest('hex');

interface Release {
  content: string;
  /** What the file beside it says; that of the content unless given. */
  sum?: string | Error;
  /** The download fails, at once or half-way. */
  fails?: 'at once' | 'half-way';
}

function world(server: BareServer, release: Release, addresses = [address]) {
  const { sum = sumOf(release.content), fails } = release;
  const releases = {
    addresses: async () => addresses,
    checksum: async () => (sum instanceof Error ? Promise.reject(sum) : sum),
    open: async () => {
      if (fails === 'at once') throw new AppError('PRECONDITION_FAILED', 'It answered 404.');
      return arriving(release);
    },
  };
  return setupWorld(server, { releases }, programs);
}

async function* arriving({ content, fails }: Release): AsyncGenerator<Uint8Array> {
  yield Buffer.from(content.slice(0, 3));
  if (fails === 'half-way') throw new Error('connection reset');
  yield Buffer.from(content.slice(3));
}

const done = (stdout = '') => ({ code: 0, stdout, stderr: '' });

/** The scripts of the stage, on the server's files; a program that begins with "broken" does not start. */
const programs: Further = [
  [
    /command -v "\$1"/,
    ({ installed, files }, [name = '', path = '']) =>
      done(`${installed.has(name) ? 'there' : 'none'}\n${files.get(path) ?? ''}`),
  ],
  [/umask 077/, ({ files }, [path = ''], stdin) => (files.set(path, stdin), done())],
  [
    /mv -f/,
    ({ files, installed }, [from = '', name = '', path = '', sum = '', kind = '']) => {
      const content = files.get(from) ?? '';
      files.delete(from);
      if (content.startsWith('broken'))
        return { code: 1, stdout: '', stderr: 'it does not start on this machine' };
      installed.add(name);
      files.set(path, sum).set(`/usr/local/bin/${name}`, `${kind} ${content}`);
      return done();
    },
  ],
];

it('are installed from their release, and found there the next time', async () => {
  const server = bareServer();
  const { run } = world(server, { content: 'the program' });
  expect(await run('builders')).toEqual(['installed pack (pack-v1-linux.tgz, its checksum verified)']);
  expect(server.files).toEqual(
    new Map([
      [note, sumOf('the program')],
      ['/usr/local/bin/pack', 'packed the program'],
    ]),
  );
  expect(await run('builders')).toEqual([]);
});

it('follow the setting to another release, and are packed only where the name says so', async () => {
  const server = bareServer({ installed: new Set(['pack']), files: new Map([[note, sumOf('the old one')]]) });
  const { run } = world(server, { content: 'the new one' }, ['https://releases.example.com/pack-v2']);
  expect(await run('builders')).toEqual(['installed pack (pack-v2, its checksum verified)']);
  expect(server.files.get('/usr/local/bin/pack')).toBe('plain the new one');
});

it('that somebody else installed stay, and addresses of anything else are left alone', async () => {
  const server = bareServer({ installed: new Set(['pack']) });
  const { run, said } = world(server, { content: 'x' }, ['https://example.com/other.tgz', address]);
  expect(await run('builders')).toEqual([]);
  expect(said).toEqual(['pack is installed; it is used as it is.']);
});

it.each([
  ['no checksum', { content: 'x', sum: new AppError('PRECONDITION_FAILED', 'No checksum.') }, /No checksum/],
  ['no release', { content: 'x', fails: 'at once' }, /It answered 404/],
  ['a download that broke off', { content: 'half', fails: 'half-way' }, /The download broke off: /],
  [
    'another content',
    { content: 'evil', sum: 'a'.repeat(64) },
    /has the SHA-256 [0-9a-f]{64}, and the file.*a{64}/,
  ],
  ['one that does not start', { content: 'broken one' }, /it does not start on this machine/],
] as const)('that cannot be had are told and end no set-up: %s', async (_, release, sentence) => {
  const server = bareServer();
  const { run, said } = world(server, release);
  expect(await run('builders')).toEqual([]);
  expect(said.at(-1)).toMatch(/^pack could not be installed, and nothing that runs needs it: /);
  expect(said.at(-1)).toMatch(sentence);
  expect([server.files.has(archive), server.installed.has('pack')]).toEqual([false, false]);
});

it('are tried again when the server is lost meanwhile', async () => {
  const server = bareServer();
  const lost: Further[number] = [
    /umask 077/,
    () => {
      throw new AppError('SERVICE_UNAVAILABLE', 'The connection broke.');
    },
  ];
  const releases = {
    addresses: async () => [address],
    checksum: async () => sumOf('x'),
    open: async () => arriving({ content: 'x' }),
  };
  const { run } = setupWorld(server, { releases }, [lost, ...programs]);
  await expect(run('builders')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
});
