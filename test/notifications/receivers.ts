/**
 * The other side of each kind of channel: HTTP receivers that take what the provider's documentation says and
 * refuse everything else as the provider does, and an SMTP server with TLS and sign-in.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { z } from 'zod';
import type { MadeCertificate } from '../certificates/authority.ts';

export interface Received {
  path: string;
  headers: IncomingMessage['headers'];
  body: Record<string, unknown>;
  /** As it came. */
  text: string;
}

export interface Receiver extends AsyncDisposable {
  url: string;
  /** What was taken, in order. */
  taken: Received[];
  /** While set, every request is answered so. */
  refusal: { status: number; body: string } | undefined;
  /** How many requests came, refused ones too. */
  readonly count: number;
}

export interface Answer {
  status: number;
  body: string;
}

/** `judge` says how the provider answers. */
export async function receiver(judge: (request: Received) => Answer): Promise<Receiver> {
  const taken: Received[] = [];
  let count = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      count += 1;
      const text = Buffer.concat(chunks).toString();
      const received = { path: request.url ?? '', headers: request.headers, body: bodyOf(text), text };
      const isPost =
        request.method === 'POST' && (request.headers['content-type'] ?? '').startsWith('application/json');
      const answer = result.refusal ?? (isPost ? judge(received) : { status: 405, body: 'POST JSON' });
      if (answer.status < 300) taken.push(received);
      response.writeHead(answer.status, { connection: 'close' }).end(answer.body);
    });
  });
  const port = await listening(server);
  const result: Receiver = {
    url: `http://127.0.0.1:${port}`,
    taken,
    refusal: undefined,
    get count() {
      return count;
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return result;
}

function bodyOf(text: string): Record<string, unknown> {
  try {
    return Object.fromEntries(Object.entries(Object(JSON.parse(text))));
  } catch {
    return {};
  }
}

const listening = (server: Server): Promise<number> =>
  new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });

const fits = (schema: z.ZodType, body: unknown, yes: Answer, no: Answer): Answer =>
  schema.safeParse(body).success ? yes : no;

/** docs.slack.dev: incoming webhooks, section blocks. */
const slackForm = z.strictObject({
  text: z.string().min(1),
  blocks: z
    .array(
      z.strictObject({
        type: z.literal('section'),
        text: z.strictObject({ type: z.enum(['mrkdwn', 'plain_text']), text: z.string().min(1).max(3000) }),
      }),
    )
    .max(50)
    .optional(),
});

/** discord.com/developers/docs/resources/webhook and …/message (embed limits). */
const discordForm = z.strictObject({
  content: z.string().max(2000).optional(),
  embeds: z
    .array(
      z.strictObject({
        title: z.string().max(256),
        description: z.string().max(4096),
        color: z.number().int().min(0).max(0xffffff),
        timestamp: z.iso.datetime(),
      }),
    )
    .max(10),
  allowed_mentions: z.strictObject({ parse: z.array(z.enum(['roles', 'users', 'everyone'])) }),
});

/** core.telegram.org/bots/api#sendmessage. */
const telegramForm = z.strictObject({
  chat_id: z.union([z.string(), z.number()]),
  message_thread_id: z.number().int().optional(),
  text: z.string().min(1).max(4096),
  link_preview_options: z.strictObject({ is_disabled: z.boolean() }).optional(),
});

/** docs.ntfy.sh/publish: publish as JSON. */
const ntfyForm = z.strictObject({
  topic: z.string().regex(/^[-_A-Za-z0-9]{1,64}$/),
  title: z.string(),
  message: z.string().refine((text) => Buffer.byteLength(text) <= 4096),
  priority: z.number().int().min(1).max(5),
  tags: z.array(z.string()),
});

export const providers = {
  slack: ({ path, body }: Received): Answer =>
    path.startsWith('/services/')
      ? fits(slackForm, body, { status: 200, body: 'ok' }, { status: 400, body: 'invalid_payload' })
      : { status: 404, body: 'no_service' },
  discord: ({ path, body }: Received): Answer =>
    /^\/api\/webhooks\/\d+\/[\w-]+$/.test(path)
      ? fits(discordForm, body, { status: 204, body: '' }, { status: 400, body: '{"code": 50006}' })
      : { status: 404, body: '{"message": "Unknown Webhook", "code": 10015}' },
  telegram: ({ path, body }: Received): Answer =>
    path === '/bot110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw/sendMessage'
      ? fits(
          telegramForm,
          body,
          { status: 200, body: '{"ok":true,"result":{}}' },
          { status: 400, body: '{"ok":false,"error_code":400,"description":"Bad Request"}' },
        )
      : { status: 401, body: '{"ok":false,"error_code":401,"description":"Unauthorized"}' },
  ntfy: ({ path, headers, body }: Received): Answer =>
    headers.authorization !== 'Bearer tk_AgQdq7mVBoFD37zQVN29RhuMzNIz2'
      ? { status: 403, body: '{"code":40301,"http":403,"error":"forbidden"}' }
      : path === '/'
        ? fits(ntfyForm, body, { status: 200, body: '{}' }, { status: 400, body: '{"code":40024}' })
        : { status: 404, body: '{}' },
} as const;

/** A receiver as the Standard Webhooks specification tells to write one. */
export function standardWebhook(secret: string): (request: Received) => Answer {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return ({ headers, text }) => {
    const [id, timestamp] = [headers['webhook-id'], headers['webhook-timestamp']];
    const [version, given = ''] = String(headers['webhook-signature']).split(',');
    const made = createHmac('sha256', key)
      .update(`${String(id)}.${String(timestamp)}.${text}`)
      .digest();
    const signature = Buffer.from(given, 'base64');
    const isFresh = Math.abs(Date.now() / 1000 - Number(timestamp)) < 300;
    const isRight =
      version === 'v1' && isFresh && signature.length === made.length && timingSafeEqual(signature, made);
    return isRight ? { status: 204, body: '' } : { status: 401, body: 'bad signature' };
  };
}

export interface ReceivedMail {
  from: string;
  to: string[];
  text: string;
  isEncrypted: boolean;
  user: string | undefined;
}

export interface MailReceiver extends AsyncDisposable {
  port: number;
  taken: ReceivedMail[];
}

/** Takes mail from `berth` with the password `let-me-in` only, over TLS only. */
export async function mailServer(
  security: 'tls' | 'starttls',
  { pem, key }: Pick<MadeCertificate, 'pem' | 'key'>,
): Promise<MailReceiver> {
  const taken: ReceivedMail[] = [];
  const server = new SMTPServer({
    secure: security === 'tls',
    cert: pem,
    key,
    authMethods: ['PLAIN', 'LOGIN'],
    onAuth({ username, password }, _session, done) {
      if (username === 'berth' && password === 'let-me-in') done(null, { user: username });
      else done(new Error('Invalid username or password'));
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        taken.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          text: Buffer.concat(chunks).toString(),
          isEncrypted: session.secure,
          user: typeof session.user === 'string' ? session.user : undefined,
        });
        done();
      });
    },
  });
  server.on('error', () => undefined);
  const port = await new Promise<number>((resolve) => {
    const listener = server.listen(0, '127.0.0.1', () => resolve((listener.address() as AddressInfo).port));
  });
  return {
    port,
    taken,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
