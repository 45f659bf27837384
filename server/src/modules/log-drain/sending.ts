/** One batch of lines to one address. */
import { AppError } from '../../domain/errors.ts';
import { endUnread, shortAnswer, type Outgoing } from '../../ports/outgoing.ts';
import { isSyslog, lokiAddress, syslogAddress } from './address.ts';
import { lokiBody, syslogDatagrams, syslogStream, type DrainedLine } from './forms.ts';
import type { LogDrainRecord } from './store.ts';

/** Resolves when the address has taken them, by UDP when they are sent; else throws an AppError. */
export type SendLines = (drain: LogDrainRecord, lines: readonly DrainedLine[]) => Promise<void>;

const limitMs = 20_000;

export function createSendLines(outgoing: Pick<Outgoing, 'request' | 'send'>): SendLines {
  return async (drain, lines) => {
    const by = { organizationId: drain.organizationId };
    const { type, address, username, password } = drain;
    if (isSyslog(type)) {
      const isTcp = type === 'syslogTcp';
      const packets = isTcp ? [syslogStream(lines)] : syslogDatagrams(lines);
      const to = { ...syslogAddress(address), transport: isTcp ? 'tcp' : 'udp', limitMs } as const;
      await outgoing.send(packets, to, by);
      return;
    }
    const { href: url, host } = lokiAddress(address);
    const headers: Record<string, string> = { 'content-type': 'application/json' };
    if (username !== null) headers['authorization'] = basic(username, password ?? '');
    const answer = await outgoing.request(
      { url, method: 'POST', headers, body: lokiBody(lines), limitMs, maxBytes: shortAnswer },
      by,
    );
    await endUnread(answer);
    if (answer.status >= 200 && answer.status < 300) return;
    throw new AppError('SERVICE_UNAVAILABLE', `${host} answered with status ${answer.status}.`);
  };
}

const basic = (username: string, password: string): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
