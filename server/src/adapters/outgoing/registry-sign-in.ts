/** Where a registry sends those who sign in (token authentication), judged before an engine goes there. */
import type { IncomingMessage } from 'node:http';
import { AppError } from '../../domain/errors.ts';
import type { JudgedHost, OutgoingRequest } from '../../ports/outgoing.ts';

const askLimitMs = 5000;

/**
 * Asks the registry for its first page, as an engine does, and throws the refusal of the address that its
 * answer names. A registry that does not answer is the engine's to complain about.
 */
export async function requireOpenSignIn(
  server: string,
  send: (request: Omit<OutgoingRequest, 'maxBytes'>) => Promise<IncomingMessage>,
  judgeUrl: (url: URL) => Promise<JudgedHost>,
): Promise<void> {
  const headers = await firstAnswer(server, send);
  const named = [realmOf(String(headers?.['www-authenticate'] ?? '')), headers?.location];
  for (const address of named) {
    const url = address === undefined ? null : URL.parse(address, `https://${server}`);
    if (!url) continue;
    await judgeUrl(url).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'PRECONDITION_FAILED') throw error;
    });
  }
}

/** Engines try http where a registry of theirs does not speak https. */
async function firstAnswer(
  server: string,
  send: (request: Omit<OutgoingRequest, 'maxBytes'>) => Promise<IncomingMessage>,
): Promise<IncomingMessage['headers'] | undefined> {
  for (const scheme of ['https', 'http']) {
    const request = { url: `${scheme}://${server}/v2/`, method: 'GET', headers: {}, limitMs: askLimitMs };
    const answer = await send(request).catch(() => undefined);
    answer?.destroy();
    if (answer) return answer.headers;
  }
  return undefined;
}

/** RFC 6750, section 3. */
const realmOf = (challenge: string): string | undefined => /\brealm="([^"]{1,2000})"/i.exec(challenge)?.[1];
