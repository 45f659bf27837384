import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { makeCertificate } from '../../../../test/certificates/authority.ts';
import { homeOutgoing, homePolicy } from '../../../../test/integration/git/outgoing-fixture.ts';
import {
  mailServer,
  providers,
  receiver,
  standardWebhook,
  type Receiver,
} from '../../../../test/notifications/receivers.ts';
import { createMailer } from '../../adapters/mail/smtp.ts';
import { createOutgoing } from '../../adapters/outgoing/outgoing.ts';
import { systemClock } from '../../ports/clock.ts';
import type { Notice } from './channels/channel.ts';
import { channelNames, channels, type ChannelName } from './channels/channels.ts';
import { createSend } from './sending.ts';
import type { NotificationRecord } from './store.ts';

const authority = makeCertificate({ name: 'authority', isAuthority: true });
const certificate = makeCertificate({ name: 'mail', hosts: ['localhost'], issuer: authority });
const outgoing = homeOutgoing;
const send = createSend({
  outgoing,
  mailer: createMailer(outgoing, { authorities: authority.pem }),
  clock: systemClock,
});

const notice: Notice = {
  id: 'event-1',
  event: 'deploymentFailed',
  tone: 'bad',
  at: '2026-01-02T03:04:05.678Z',
  title: 'Deployment failed: <!everyone> shop',
  message: 'shop: “Deploy” failed: @everyone & <https://evil.example|click> exit code 1',
  subject: { type: 'application', id: 'a1', name: 'shop' },
  count: 1,
};
const long: Notice = { ...notice, title: 'é'.repeat(5000), message: '😀'.repeat(20_000) };

const channelOf = (channel: ChannelName, settings: object): NotificationRecord => ({
  notificationId: 'n1',
  organizationId: 'o1',
  name: 'ops',
  channel,
  enabled: true,
  events: ['deploymentFailed'],
  settings: JSON.stringify(channels[channel].input.parse(settings)),
  lastSentAt: null,
  lastError: null,
  lastErrorAt: null,
  leaseHolder: null,
  leaseUntil: 0,
  createdAt: notice.at,
});

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const botToken = '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw';
const rows = {
  webhook: {
    judge: standardWebhook(secret),
    settings: ({ url }: Receiver) => ({ url: `${url}/berth?x=1`, secret }),
    wrong: ({ url }: Receiver) => ({ url, secret: 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }),
  },
  slack: {
    judge: providers.slack,
    settings: ({ url }: Receiver) => ({ webhookUrl: `${url}/services/T0/B0/XXXX` }),
    wrong: ({ url }: Receiver) => ({ webhookUrl: `${url}/gone/T0/B0/XXXX` }),
  },
  discord: {
    judge: providers.discord,
    settings: ({ url }: Receiver) => ({ webhookUrl: `${url}/api/webhooks/123/a-token` }),
    wrong: ({ url }: Receiver) => ({ webhookUrl: `${url}/api/webhooks/none` }),
  },
  telegram: {
    judge: providers.telegram,
    settings: ({ url }: Receiver) => ({ apiUrl: url, botToken, chatId: '-100', threadId: 7 }),
    wrong: ({ url }: Receiver) => ({ apiUrl: url, botToken: '1:wrong-token-of-a-bot', chatId: '-100' }),
  },
  ntfy: {
    judge: providers.ntfy,
    settings: ({ url }: Receiver) => ({
      serverUrl: url,
      topic: 'berth',
      accessToken: 'tk_AgQdq7mVBoFD37zQVN29RhuMzNIz2',
    }),
    wrong: ({ url }: Receiver) => ({ serverUrl: url, topic: 'berth', accessToken: 'tk_wrong_token' }),
  },
} as const;

describe.each(Object.entries(rows))('%s', (name, { judge, settings, wrong }) => {
  const channel = channelNames.find((one) => one === name) ?? 'webhook';

  test('takes a message, a very long one too, in the form that its documentation says', async () => {
    await using other = await receiver(judge);
    await send(channelOf(channel, settings(other)), notice);
    await send(channelOf(channel, settings(other)), long);
    expect(other.taken).toHaveLength(2);
    expect(other.taken[0]?.text).toContain('exit code 1');
  });

  test('refuses what is not its own, and the error names no secret', async () => {
    await using other = await receiver(judge);
    const given = wrong(other);
    const error = await send(channelOf(channel, given), notice).catch((reason: Error) => reason.message);
    expect(error).toMatch(/answered with status 40[0134]/);
    for (const hidden of channels[channel].secrets)
      expect(error).not.toContain(String(Reflect.get(given, hidden)));
    expect(other.taken).toEqual([]);
  });
});

test('Slack and Discord are given no mention and no link that a tenant wrote', async () => {
  await using slack = await receiver(providers.slack);
  await using discord = await receiver(providers.discord);
  await send(channelOf('slack', rows.slack.settings(slack)), notice);
  await send(channelOf('discord', rows.discord.settings(discord)), notice);
  expect(slack.taken[0]?.body['text']).toContain('&lt;!everyone&gt;');
  expect(slack.taken[0]?.text).not.toMatch(/<(!|https)/);
  expect(discord.taken[0]?.body['allowed_mentions']).toEqual({ parse: [] });
});

test('an answer that breaks off counts by its status', async () => {
  let status = 200;
  const server = createServer((_request, response) => {
    response.writeHead(status, { 'content-length': '1000' }).write('half');
    setImmediate(() => response.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  const channel = channelOf('webhook', { url, secret });
  try {
    await send(channel, notice);
    status = 503;
    await expect(send(channel, notice)).rejects.toThrow('answered with status 503');
  } finally {
    server.close();
  }
});

test('a token that could not stand in a header is refused when it is given', () => {
  const given = (accessToken: string) => channels.ntfy.input.safeParse({ topic: 'x', accessToken }).success;
  expect([given('tk_1'), given('tk_1\r\nx: y'), given('tk_ü')]).toEqual([true, false, false]);
});

describe('mail', () => {
  const settings = (port: number, more: object = {}) => ({
    host: 'localhost',
    port,
    security: 'tls',
    username: 'berth',
    password: 'let-me-in',
    from: 'berth@example.com',
    to: ['ops@example.com', 'dev@example.com'],
    ...more,
  });

  test.each(['tls', 'starttls'] as const)(
    'goes by %s with a sign-in, under a stable id',
    async (security) => {
      await using other = await mailServer(security, certificate);
      await send(channelOf('email', settings(other.port, { security })), notice);
      expect(other.taken).toEqual([
        {
          from: 'berth@example.com',
          to: ['ops@example.com', 'dev@example.com'],
          isEncrypted: true,
          user: 'berth',
          text: expect.stringMatching(/^Message-ID: <event-1@example\.com>\r$/m),
        },
      ]);
      expect(other.taken[0]?.text).toMatch(/^Subject: \[Berth\] Deployment failed/m);
    },
  );

  test('is refused with the reason: wrong password, certificate of somebody else, no TLS there', async () => {
    await using other = await mailServer('tls', certificate);
    await using plain = await mailServer('starttls', makeCertificate({ name: 'x', hosts: ['localhost'] }));
    const fault = (more: object): Promise<string> =>
      send(channelOf('email', settings(other.port, more)), notice).then(
        () => 'sent',
        (error: Error) => error.message,
      );
    const wrong = await fault({ password: 'wrong-password' });
    expect(wrong).toContain('Invalid username or password');
    expect(wrong).not.toContain('wrong-password');
    expect(await fault({ port: plain.port, security: 'starttls' })).toMatch(/self.signed|certificate/i);
    expect(await fault({ port: plain.port, security: 'tls' })).toContain('cannot be used');
    expect([other.taken, plain.taken]).toEqual([[], []]);
  });
});

test('webhooks of every kind reach private networks only where they are named', async () => {
  const url = 'http://172.16.0.7';
  const asked: (string | undefined)[] = [];
  const judged = createOutgoing({
    // As for the installation's own organization (composition/hosts/outgoing-policy.ts).
    policyOf: async ({ purpose }) => {
      asked.push(purpose);
      return { ...homePolicy, reachesPrivate: purpose !== 'callback', allowed: [] };
    },
  });
  const guarded = createSend({ outgoing: judged, mailer: createMailer(judged), clock: systemClock });
  const settings: Record<Exclude<ChannelName, 'email'>, object> = {
    webhook: { url, secret },
    slack: { webhookUrl: url },
    discord: { webhookUrl: url },
    telegram: { botToken, chatId: '1', apiUrl: url },
    ntfy: { serverUrl: url, topic: 'x' },
    push: { ...channels.push.example, endpoint: url },
  };
  for (const channel of channelNames.filter((name) => name !== 'email'))
    await expect(guarded(channelOf(channel, settings[channel]), notice)).rejects.toMatchObject({
      code: 'PRECONDITION_FAILED',
      message: expect.stringContaining('172.16.0.7 cannot be reached'),
    });
  expect(new Set(asked)).toEqual(new Set(['callback']));
});

test('a mail server that never comes to an end holds nobody up', async () => {
  await using scope = new AsyncDisposableStack();
  const talking = createTcpServer((socket) => {
    const timer = setInterval(() => socket.write('220-patience\r\n'), 5);
    socket.on('error', () => undefined).on('close', () => clearInterval(timer));
  });
  await new Promise<void>((listening) => {
    talking.listen(0, '127.0.0.1', listening);
  });
  scope.defer(() => void talking.close());
  const address = talking.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const quick = createSend({
    outgoing,
    mailer: createMailer(outgoing, { wholeMs: 500 }),
    clock: systemClock,
  });
  const settings = { host: '127.0.0.1', port, security: 'none', from: 'a@b.example', to: ['c@d.example'] };
  await expect(quick(channelOf('email', settings), notice)).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    message: `The SMTP server 127.0.0.1:${port} did not take the mail within 0.5 s.`,
  });
});

test('addresses are judged: neither the platform nor private networks of others are reached', async () => {
  await using other = await receiver(providers.ntfy);
  const judged = createOutgoing({
    policyOf: async () => ({ ...homePolicy, reachesPrivate: false, allowed: [] }),
  });
  const guarded = createSend({ outgoing: judged, mailer: createMailer(judged), clock: systemClock });
  const refused: [ChannelName, object][] = [
    ['ntfy', rows.ntfy.settings(other)],
    ['ntfy', { serverUrl: 'http://10.200.0.7', topic: 'x' }],
    ['slack', { webhookUrl: 'http://169.254.169.254/latest/meta-data' }],
    ['email', { host: '127.0.0.1', port: 25, security: 'none', from: 'a@b.c', to: ['a@b.c'] }],
  ];
  for (const [channel, settings] of refused)
    await expect(guarded(channelOf(channel, settings), notice)).rejects.toMatchObject({
      code: 'PRECONDITION_FAILED',
    });
  expect(other.count).toBe(0);
});
