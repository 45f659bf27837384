/** One delivery of a webhook: its payload, its id, and what it names. */
import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';

/** The request as it was received. Names of headers are in lower case. */
export interface Delivery {
  headers: Readonly<Record<string, string | undefined>>;
  body: Buffer;
  ip: string;
}

/**
 * Reads JSON, or a form with the JSON in the field `payload`, which is GitHub's default. Throws BAD_REQUEST
 * for anything else; null for an empty body.
 */
export function payloadOf({ headers, body }: Delivery): unknown {
  const text = body.toString('utf8');
  const isForm =
    headers['content-type']?.toLowerCase().startsWith('application/x-www-form-urlencoded') ?? false;
  const json = isForm ? (new URLSearchParams(text).get('payload') ?? '') : text;
  if (json.trim() === '') return null;
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new AppError('BAD_REQUEST', 'The body of the webhook is not valid JSON.', { cause: error });
  }
}

const longest = 200;

/** The id that the git host gave the delivery; undefined when it gave none. */
export function deliveryIdOf(
  { headers }: Delivery,
  { deliveryHeaders }: { deliveryHeaders: readonly string[] },
): string | undefined {
  return deliveryHeaders
    .map((name) => headers[name])
    .find((value) => value !== undefined && value !== '')
    ?.slice(0, longest);
}

const target = z.object({
  installation: z.object({ id: z.union([z.string(), z.number()]).transform(String) }).optional(),
  repository: z.object({ full_name: z.string() }).optional(),
});

/** The installation and the repository that a delivery of a GitHub App names; empty where it names none. */
export function targetOf(payload: unknown): { installationId: string; repository: string } {
  const { data } = target.safeParse(payload);
  return { installationId: data?.installation?.id ?? '', repository: data?.repository?.full_name ?? '' };
}
