import { expect, it } from 'vitest';
import type { JudgedHost } from '../../../ports/outgoing.ts';
import { AppError } from '../../../domain/errors.ts';
import { createReleaseSource } from './release-source.ts';

const file = 'https://releases.example.com/v1/pack-v1-linux.tgz';
const list = 'https://releases.example.com/v1/checksums.txt';
const sum = 'a'.repeat(64);

type Answers = Readonly<Record<string, { status: number; location?: string; text?: string }>>;

/** Hosts that answer by a table, and one in a private network that the settings name. */
function source(answers: Answers) {
  const asked: string[] = [];
  /** Answers whose connection is held. */
  const open = new Set<string>();
  async function* body(url: string, text: string): AsyncGenerator<Uint8Array> {
    try {
      yield Buffer.from(text);
    } finally {
      open.delete(url);
    }
  }
  const releases = createReleaseSource(
    {
      judge: async (host): Promise<JudgedHost> => ({
        host,
        addresses: ['192.0.2.7'],
        isNamed: host === 'named.test',
        isScreened: false,
        fault: () => new AppError('SERVICE_UNAVAILABLE', 'It does not answer.'),
      }),
      async request({ url }) {
        asked.push(url);
        open.add(url);
        const { status, location, text = '' } = answers[url] ?? { status: 404 };
        return { status, location, body: body(url, text) };
      },
    },
    async () => ({ organizationId: 'first' }),
  );
  const read = async (address: string): Promise<string> =>
    Buffer.concat(await Array.fromAsync(await releases.open(address))).toString();
  return { releases, read, asked, open };
}

it('follows redirects, five at most, and to no address without encryption', async () => {
  const at = (path: string): string => `https://releases.example.com${path}`;
  const { read, asked, open } = source({
    [file]: { status: 302, location: '/kept/pack' },
    [at('/kept/pack')]: { status: 307, location: 'https://objects.example.com/1' },
    'https://objects.example.com/1': { status: 200, text: 'program' },
    [at('/circle')]: { status: 302, location: '/circle' },
    [at('/down')]: { status: 302, location: 'http://objects.example.com/1' },
  });
  expect(await read(file)).toBe('program');
  expect(asked).toHaveLength(3);
  await expect(read(at('/circle'))).rejects.toThrow('releases.example.com redirects more than 5 times');
  await expect(read(at('/down'))).rejects.toThrow('http://objects.example.com is not asked');
  await expect(read(at('/absent'))).rejects.toThrow('releases.example.com answered 404');
  expect([...open], 'no redirect and no refusal keeps its connection').toEqual([]);
});

it('asks over http where the settings name the address', async () => {
  const { read } = source({ 'http://named.test/pack': { status: 200, text: 'program' } });
  expect(await read('http://named.test/pack')).toBe('program');
});

it.each([
  ['its own file with its name', { [`${file}.sha256`]: `${sum}  pack-v1-linux.tgz\n` }],
  ['its own file without a name', { [`${file}.sha256`]: sum.toUpperCase() }],
  [
    'the list of its folder',
    {
      [list]: `${'b'.repeat(64)}  other\n${sum} *pack-v1-linux.tgz\n`,
    },
  ],
])('takes the checksum of %s', async (_, texts) => {
  const { releases } = source(
    Object.fromEntries(Object.entries(texts).map(([url, text]) => [url, { status: 200, text }])),
  );
  expect(await releases.checksum(file)).toBe(sum);
});

it.each([
  ['that is for another file', `${sum}  another.tgz\n`],
  ['that is none', 'not found'],
  ['of another length', `${sum.slice(1)}  pack-v1-linux.tgz`],
  ['in a list without names', sum],
])('takes no checksum %s', async (what, text) => {
  const place = what.includes('list') ? list : `${file}.sha256`;
  const { releases } = source({ [place]: { status: 200, text } });
  await expect(releases.checksum(file)).rejects.toThrow('cannot be verified');
});
