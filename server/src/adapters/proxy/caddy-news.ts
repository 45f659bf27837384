/**
 * Issuance as Caddy tells of it: it has no state to ask for (2.6), but a log of JSON lines, which it sends to
 * a unix socket that only its container and Berth see.
 */
import { rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { z } from 'zod';
import type { AcmeProblem } from '../../domain/certificates/acme-problem.ts';
import type { CertificateNews } from '../../ports/certificates/certificate-news.ts';

/** File name of the socket in the bound folder. */
export const newsSocketName = 'news.sock';

/** Loggers whose lines are sent. */
export const newsLoggers = ['tls.obtain', 'tls.renew', 'http.acme_client'];

/** Longer than any line of these. */
const lineLimit = 256 * 1024;

/** Listens on the socket, whoever did before; what cannot be read is no news. */
export async function listenForNews(
  socketPath: string,
  onNews: (news: CertificateNews) => void,
): Promise<Server> {
  await rm(socketPath, { force: true });
  const read = newsReader();
  const server = createServer((connection) => {
    let rest = '';
    connection.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop()?.slice(0, lineLimit) ?? '';
      for (const line of lines) {
        const news = read(line);
        if (news) onNews(news);
      }
    });
    // A proxy that is killed resets its connection.
    connection.on('error', () => undefined).unref();
  });
  server.unref();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(socketPath, resolve);
  });
  return server;
}

/** Hosts whose last problem is remembered; the oldest goes first. */
const mostProblems = 10_000;

const line = z.object({
  logger: z.string(),
  msg: z.string(),
  identifier: z.string().optional(),
  issuer: z.string().optional(),
  error: z.string().optional(),
  problem_type: z.string().optional(),
  challenge_type: z.string().optional(),
});

/**
 * Gives the news in a line. Of an attempt's checks, made in any order, the one by HTTP says most; else the
 * first.
 */
export function newsReader(): (text: string) => CertificateNews | undefined {
  const problems = new Map<string, AcmeProblem>();
  return (text) => {
    const parsed = line.safeParse(fromJson(text));
    const host = parsed.data?.identifier;
    if (!parsed.success || host === undefined) return undefined;
    const { msg, error = '', problem_type: type = '', challenge_type: challenge, issuer = '' } = parsed.data;
    if (msg === 'challenge failed' && (challenge === 'http-01' || !problems.has(host)))
      remember(problems, host, { type, detail: error });
    if (msg === 'obtaining certificate' || msg === 'renewing certificate') problems.delete(host);
    if (msg === 'certificate obtained successfully' || msg === 'certificate renewed successfully')
      return { kind: 'issued', host };
    if (msg !== 'could not get certificate from issuer') return undefined;
    const problem = problems.get(host);
    problems.delete(host);
    return { kind: 'failed', host, authority: issuer.replaceAll(':', '-'), words: error, problem };
  };
}

function remember(problems: Map<string, AcmeProblem>, host: string, problem: AcmeProblem): void {
  const [oldest] = problems.keys();
  if (problems.size >= mostProblems && oldest !== undefined) problems.delete(oldest);
  problems.set(host, problem);
}

function fromJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
