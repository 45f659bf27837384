/** One message to one channel: rendered, judged, sent, its answer read. */
import { AppError } from '../../domain/errors.ts';
import { hideInErrors } from '../../domain/secrets/hide-in-errors.ts';
import { Secret } from '../../domain/secrets/secret.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Mailer } from '../../ports/mailer.ts';
import { shortAnswer, type Outgoing, type OutgoingBy } from '../../ports/outgoing.ts';
import type { Notice, Sending } from './channels/channel.ts';
import { channels } from './channels/channels.ts';
import { channelOf, settingsOf } from './notification.ts';
import type { NotificationRecord } from './store.ts';

export interface SendingPorts {
  outgoing: Pick<Outgoing, 'request'>;
  mailer: Mailer;
  clock: Clock;
}

/** Resolves when the other side has taken it; throws an AppError, without secrets, when it has not. */
export type Send = (channel: NotificationRecord, notice: Notice) => Promise<void>;

const limitMs = 20_000;
const answerLimit = 300;

export function createSend({ outgoing, mailer, clock }: SendingPorts): Send {
  return async (record, notice) => {
    const channel = channels[channelOf(record)];
    const settings = settingsOf(record);
    const by = { organizationId: record.organizationId };
    await hideInErrors(settings, channel.secrets, async () => {
      const sending = channel.render(notice, settings, clock.now());
      await (sending.by === 'http'
        ? request(outgoing, sending, by)
        : mailer.send({ ...sending.server, password: asSecret(sending.server.password) }, sending.mail, by));
    });
  };
}

const asSecret = (text: string | undefined): Secret | undefined =>
  text === undefined ? undefined : new Secret(text);

async function request(
  outgoing: SendingPorts['outgoing'],
  { url, headers, body, refusals = {} }: Sending & { by: 'http' },
  by: OutgoingBy,
): Promise<void> {
  const answer = await outgoing.request(
    { url, method: 'POST', headers, body, limitMs, maxBytes: shortAnswer },
    { ...by, purpose: 'callback' },
  );
  // Its status is what counts; the rest of an answer may be cut off, or never come.
  const text = await firstOf(answer.body).catch(() => '');
  if (answer.status >= 200 && answer.status < 300) return;
  const words = text === '' ? '' : `: ${text}`;
  throw new AppError(
    'SERVICE_UNAVAILABLE',
    refusals[answer.status] ?? `${new URL(url).host} answered with status ${answer.status}${words}`,
  );
}

/** The beginning of an answer, in one line; the rest is not read. */
async function firstOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > answerLimit * 4) break;
  }
  return Buffer.concat(chunks)
    .toString()
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, answerLimit);
}
