/** Releases of programs as projects publish them: an archive or a program, and its checksum beside it. */
import { fileNameOf } from '../../../domain/builder-programs.ts';
import { AppError } from '../../../domain/errors.ts';
import { endUnread, type Outgoing, type OutgoingAnswer, type OutgoingBy } from '../../../ports/outgoing.ts';

export interface ReleaseSource {
  /** What is at the address, after redirects. Throws AppError with the host and what it answered. */
  open(address: string): Promise<AsyncIterable<Uint8Array>>;
  /**
   * SHA-256 in lower-case hexadecimal digits, by `<address>.sha256` or by its line in the folder's
   * `checksums.txt`. PRECONDITION_FAILED where neither tells it.
   */
  checksum(address: string): Promise<string>;
}

const redirectsLimit = 5;
const limitMs = 10 * 60_000;
const longestChecksums = 256 * 1024;
const largestRelease = 1024 * 1024 * 1024;

export function createReleaseSource(
  outgoing: Pick<Outgoing, 'judge' | 'request'>,
  by: () => Promise<OutgoingBy>,
): ReleaseSource {
  async function answered(address: string, maxBytes: number): Promise<OutgoingAnswer> {
    const asking = await by();
    let url = new URL(address);
    for (let redirects = 0; ; redirects += 1) {
      await refuseUnsafe(outgoing, url, asking);
      const headers = { accept: '*/*', 'user-agent': 'berth' };
      const request = { url: url.href, method: 'GET', headers, limitMs, maxBytes };
      const answer = await outgoing.request(request, asking);
      const { status, location } = answer;
      if (status < 300 || status >= 400 || location === undefined) return answer;
      await endUnread(answer);
      if (redirects === redirectsLimit)
        throw new AppError('PRECONDITION_FAILED', `${url.host} redirects more than ${redirectsLimit} times.`);
      url = new URL(location, url);
    }
  }
  async function text(address: string): Promise<string | undefined> {
    const answer = await answered(address, longestChecksums);
    if (answer.status !== 200) {
      await endUnread(answer);
      return undefined;
    }
    let found = '';
    for await (const chunk of answer.body) found += Buffer.from(chunk).toString('latin1');
    return found;
  }
  return {
    async open(address) {
      const answer = await answered(address, largestRelease);
      if (answer.status === 200) return answer.body;
      await endUnread(answer);
      throw new AppError(
        'PRECONDITION_FAILED',
        `${new URL(address).host} answered ${answer.status} to ${address}. Correct the setting ` +
          'builderReleases.',
      );
    },
    async checksum(address) {
      const file = fileNameOf(address);
      const folder = new URL('checksums.txt', address).href;
      const own = checksumIn((await text(`${address}.sha256`)) ?? '', file, true);
      const found = own ?? checksumIn((await text(folder)) ?? '', file, false);
      if (found !== undefined) return found;
      throw new AppError(
        'PRECONDITION_FAILED',
        `Neither ${file}.sha256 nor checksums.txt beside ${address} tells a SHA-256 of it, so that it ` +
          'cannot be verified.',
      );
    },
  };
}

/** Without encryption, whoever stands on the way chooses program and checksum. */
async function refuseUnsafe(outgoing: Pick<Outgoing, 'judge'>, url: URL, by: OutgoingBy): Promise<void> {
  if (url.protocol === 'https:') return;
  if (url.protocol === 'http:' && (await outgoing.judge(url.hostname, by)).isNamed) return;
  throw new AppError(
    'PRECONDITION_FAILED',
    `${url.origin} is not asked: releases are taken over https, and over http only where the setting ` +
      'allowedPrivateNetworks names the address.',
  );
}

/** The line that names the file; in a file for it alone also one without a name. */
function checksumIn(text: string, file: string, isItsOwn: boolean): string | undefined {
  for (const line of text.split(/\r?\n/)) {
    const [, sum, name] = /^([0-9a-f]{64})(?:\s+\*?(\S+))?\s*$/i.exec(line) ?? [];
    if (sum !== undefined && (name?.split('/').at(-1) === file || (isItsOwn && name === undefined)))
      return sum.toLowerCase();
  }
  return undefined;
}
