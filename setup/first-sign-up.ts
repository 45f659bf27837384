/** The one-time token for the first account, for whoever makes it elsewhere than on this machine. */
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { z } from 'zod';
import { firstSignUpHash } from '../server/src/domain/access/first-sign-up.ts';
import type { SetupContext } from './context.ts';
import { apiAddress } from './machine/health.ts';
import { writePrivate } from './record.ts';
import type { Settings } from './settings/settings.ts';

const stateSchema = z.object({ awaitsFirstAccount: z.boolean() });
const limitMs = 10_000;

/**
 * A new token as long as the Berth that runs has no account yet; the one before is void, since only the hash
 * of this one is kept. Undefined when there is an account.
 */
export async function newFirstSignUpToken({
  settings,
  layout,
  signal,
}: SetupContext): Promise<string | undefined> {
  const answer = await fetch(`${apiAddress(settings)}/api/auth/state`, {
    signal: AbortSignal.any([signal, AbortSignal.timeout(limitMs)]),
  });
  if (!stateSchema.parse(await answer.json()).awaitsFirstAccount) {
    rmSync(layout.firstSignUp, { force: true });
    return undefined;
  }
  const token = randomBytes(32).toString('base64url');
  writePrivate(layout.firstSignUp, `${firstSignUpHash(token)}\n`);
  return token;
}

/** What this machine is called on its networks, IPv4 first; without bridges of engines. */
export function machineAddresses(): readonly string[] {
  return Object.entries(networkInterfaces())
    .filter(([name]) => !/^(docker|br-|veth)/.test(name))
    .flatMap(([, addresses]) => addresses ?? [])
    .filter(({ internal, family }) => !internal && family === 'IPv4')
    .map(({ address }) => address);
}

/**
 * The one address that opens sign-up from anywhere: the token stands behind the #, which no server and no
 * preview of a link sees. Without an address of Berth's own choice it names this machine as others reach it.
 */
export function signUpAddress(
  { url, host, port, chosen }: Pick<Settings, 'url' | 'host' | 'port' | 'chosen'>,
  token: string,
  addresses: readonly string[],
): string {
  const isOpen = host === '0.0.0.0' || host === '::';
  const base =
    chosen.BERTH_URL === undefined && isOpen && addresses[0] ? `http://${addresses[0]}:${port}` : url;
  return `${base}/sign-up#${token}`;
}
