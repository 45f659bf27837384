/** One delivery as it came: its payload, the id by which it is known again. */
import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';

/** One request as it came. Names of headers are in lower case. */
export interface Delivery {
  headers: Readonly<Record<string, string | undefined>>;
  body: Buffer;
  ip: string;
}

/**
 * JSON, or a form with the JSON as `payload`, as GitHub sends where nobody chose otherwise. BAD_REQUEST for
 * anything else; null for an empty body.
 */
export function payloadOf({ headers, body }: Delivery): unknown {
  const text = body.toString('utf8');
  const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded') ?? false;
  const json = isForm ? (new URLSearchParams(text).get('payload') ?? '') : text;
  if (json.trim() === '') return null;
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new AppError('BAD_REQUEST', 'The body of the webhook is not valid JSON.', { cause: error });
  }
}

const longest = 200;

/** Undefined where the host gave none. */
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
