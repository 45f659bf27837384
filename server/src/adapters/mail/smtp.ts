/** Mail by nodemailer, to the address that was judged. */
import { isIP } from 'node:net';
import { AppError } from '../../domain/errors.ts';
import type { Mail, Mailer, MailServer } from '../../ports/mailer.ts';
import type { JudgedHost, Outgoing } from '../../ports/outgoing.ts';

const limitMs = 20_000;
const largestAnswer = 64 * 1024;

/**
 * `authorities`: certificates that are trusted instead of the system's, as PEM (tests). `wholeMs` for one
 * message: a server that says a line now and then is never silent.
 */
export function createMailer(
  outgoing: Pick<Outgoing, 'judge'>,
  { authorities, wholeMs = 60_000 }: { authorities?: string; wholeMs?: number } = {},
): Mailer {
  return {
    async send(server, mail, by) {
      const judged = await outgoing.judge(server.host, by, server.port);
      // Loaded with the first message.
      const { createTransport } = await import('nodemailer');
      const transport = createTransport(optionsOf(server, judged, authorities));
      const signal = AbortSignal.timeout(wholeMs);
      try {
        await transport.sendMail({ ...asMessage(server, mail), signal });
      } catch (error) {
        if (signal.aborted && !judged.isScreened) throw tooSlow(server, wholeMs, error);
        throw asAppError(error, server, judged);
      } finally {
        transport.close();
      }
    },
  };
}

function optionsOf(server: MailServer, { addresses: [address] }: JudgedHost, authorities?: string) {
  const { host, port, security, username, password } = server;
  return {
    host: address,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    ...(username === undefined || password === undefined
      ? {}
      : { auth: { user: username, pass: password.reveal() } }),
    tls: {
      minVersion: 'TLSv1.2' as const,
      // The certificate is the named host's, not the address's.
      ...(isIP(host) === 0 ? { servername: host } : {}),
      ...(authorities === undefined ? {} : { ca: authorities }),
    },
    connectionTimeout: limitMs,
    greetingTimeout: limitMs,
    socketTimeout: limitMs,
    maxResponseSize: largestAnswer,
    // Nothing is read from files or addresses that a message might name.
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

function asMessage({ host }: MailServer, { from, to, subject, text, id }: Mail) {
  return {
    from: { name: 'Berth', address: from },
    to: [...to],
    subject,
    text,
    messageId: `<${id}@${from.split('@')[1] ?? host}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
  };
}

/** Codes of nodemailer and of Node by which no server has answered. */
const connectFailures = [
  { code: 'ECONNREFUSED', means: 'refused' },
  { code: 'ETIMEDOUT', means: 'silent' },
] as const;

const tooSlow = ({ host, port }: MailServer, wholeMs: number, cause: unknown): AppError =>
  new AppError(
    'SERVICE_UNAVAILABLE',
    `The SMTP server ${host}:${port} did not take the mail within ${wholeMs / 1000} s.`,
    { cause },
  );

function asAppError(error: unknown, { host, port }: MailServer, judged: JudgedHost): AppError {
  const [words = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  const [code, status]: unknown[] = [
    Reflect.get(Object(error), 'code'),
    Reflect.get(Object(error), 'responseCode'),
  ];
  const cause = { cause: error };
  if (typeof status !== 'number') {
    const failure = connectFailures.find((one) => one.code === code || words.includes(one.code));
    if (judged.isScreened || failure?.means === 'refused') return judged.fault(failure?.means ?? 'other');
    return new AppError(
      'SERVICE_UNAVAILABLE',
      `The SMTP server ${host}:${port} cannot be used: ${words}`,
      cause,
    );
  }
  const isForGood = status >= 500;
  return new AppError(
    isForGood ? 'PRECONDITION_FAILED' : 'SERVICE_UNAVAILABLE',
    `The SMTP server ${host}:${port} refused the mail: ${words}`,
    cause,
  );
}
