/**
 * Tokens of a GitHub App's installation: asked for with a signed statement of the App, good for an hour
 * (docs.github.com/apps, Authenticating as a GitHub App installation).
 */
import { createSign } from 'node:crypto';
import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import { Secret } from '../../domain/secrets/secret.ts';
import type { Clock } from '../../ports/clock.ts';
import { createCall, type CallTarget } from './call.ts';
import { github } from './github.ts';

export interface AppCredential {
  appId: string;
  installationId: string;
  privateKey: Secret;
}

interface Kept {
  token: Secret;
  /** Epoch milliseconds. */
  until: number;
}

const answer = z.object({ token: z.string(), expires_at: z.string() });
const spareMs = 5 * 60_000;
const remembered = 200;

/**
 * Gives the present token of an installation, or asks for a new one; a token is known by everything that it
 * was asked with.
 */
export function createAppTokens(
  clock: Clock,
): (target: CallTarget, credential: AppCredential) => Promise<Secret> {
  const kept = new Map<string, Kept>();
  return async (target, credential) => {
    const key = JSON.stringify([
      target.by.organizationId,
      target.apiUrl,
      credential.appId,
      credential.installationId,
      credential.privateKey.reveal(),
    ]);
    const present = kept.get(key);
    if (present && present.until > clock.now() + spareMs) return present.token;
    const statement = new Secret(signed(credential, clock));
    const call = createCall(target, github.headers, async () => statement);
    const found = await call.ask(
      answer,
      'POST',
      `/app/installations/${encodeURIComponent(credential.installationId)}/access_tokens`,
    );
    if (found === undefined)
      throw new AppError(
        'NOT_FOUND',
        `The GitHub App has no installation ${credential.installationId}. Install it, and set its ` +
          'installationId with gitProvider.update.',
      );
    const fresh = { token: new Secret(found.token), until: Date.parse(found.expires_at) };
    if (kept.size >= remembered) kept.clear();
    kept.set(key, fresh);
    return fresh.token;
  };
}

/** A JSON web token (RFC 7519) with RS256; GitHub takes at most ten minutes, and clocks differ. */
function signed({ appId, privateKey }: AppCredential, clock: Clock): string {
  const now = Math.floor(clock.now() / 1000);
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part({ alg: 'RS256', typ: 'JWT' })}.${part({ iat: now - 60, exp: now + 540, iss: appId })}`;
  return `${text}.${createSign('RSA-SHA256').update(text).sign(privateKey.reveal(), 'base64url')}`;
}
