/** Whether Berth answers. */
import { z } from 'zod';
import { localAddress } from '../settings/settings.ts';
import type { Settings } from '../settings/settings.ts';

const healthSchema = z.object({ ok: z.literal(true), version: z.string() });

/** The version that answers `/api/health`, undefined when none does within the limit (milliseconds). */
export async function healthyVersion(settings: Settings, limitMs: number): Promise<string | undefined> {
  try {
    const answer = await fetch(`${apiAddress(settings)}/api/health`, {
      signal: AbortSignal.timeout(limitMs),
    });
    const health = healthSchema.safeParse(await answer.json());
    return health.success ? health.data.version : undefined;
  } catch {
    // Refused, reset, too slow, no JSON: each means that it does not answer health.
    return undefined;
  }
}

/** Berth's address for this program, which runs beside it. */
export function apiAddress(settings: Settings): string {
  const address = localAddress(settings);
  return `http://${address.includes(':') ? `[${address}]` : address}:${settings.port}`;
}
