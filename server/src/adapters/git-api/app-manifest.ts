/**
 * A GitHub App that somebody has just made from a manifest: for an hour its code gives the App's key and
 * secret, once (docs.github.com/apps, Registering a GitHub App from a manifest).
 */
import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import { Secret } from '../../domain/secrets/secret.ts';
import type { MadeApp } from '../../ports/git-api.ts';
import { createCall, type CallTarget } from './call.ts';
import { github } from './github.ts';

const answer = z.object({
  id: z.number().int().positive(),
  name: z.string().min(1).max(200),
  pem: z.string().min(1).max(20_000),
  webhook_secret: z.string().min(1).max(1000),
  html_url: z.url({ protocol: /^https?$/ }).max(300),
});

export async function appOfManifest(target: CallTarget, code: string): Promise<MadeApp> {
  // The code is all that is shown; nobody has a credential yet.
  const call = createCall(target, github.headers, async () => undefined);
  const made = await call.ask(answer, 'POST', `/app-manifests/${encodeURIComponent(code)}/conversions`);
  if (made === undefined)
    throw new AppError(
      'PRECONDITION_FAILED',
      'GitHub does not know this code. It is good once, and for an hour: make the App again.',
    );
  const { id, name, pem, webhook_secret: webhookSecret, html_url: address } = made;
  return {
    appId: String(id),
    name,
    privateKey: new Secret(pem),
    webhookSecret: new Secret(webhookSecret),
    address,
  };
}
