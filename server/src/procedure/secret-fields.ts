/**
 * Fields of answers that are secret (decisions 2): marked where the schema is written, masked by the guard,
 * which walks the marked schema, so that no procedure can forget it.
 */
import { z } from 'zod';
import { maskLines, maskText } from '../domain/secrets/mask.ts';
import { readsSecrets } from '../domain/access/permissions.ts';
import type { Actor } from './context.ts';
import type { Procedure } from './procedure.ts';

const maskings = { text: maskText, lines: maskLines } as const;
const marks = new WeakMap<z.ZodType, keyof typeof maskings>();

/** A password, token or address with a password in it: `••••` for whoever may not read secrets. */
export function secretText(description?: string): z.ZodString {
  return marked('text', [description, 'Secret: `••••` without canReadSecrets'].filter(Boolean).join('. '));
}

/** `KEY=VALUE` lines: the names stay, the values become `••••`. */
export function secretLines(): z.ZodString {
  return marked('lines', 'Secret: values are `••••` without canReadSecrets');
}

const text = z.string();

function marked(as: keyof typeof maskings, description: string): z.ZodString {
  const schema = text.describe(description);
  marks.set(schema, as);
  return schema;
}

export function isMarked(schema: z.ZodType): boolean {
  return marks.has(schema);
}

/**
 * The answer as this caller may read it. Answers of changes carry secrets for nobody, unless the procedure
 * says that it answers like `one`.
 */
export function shownTo(
  actor: Actor,
  { router, procedure }: { router: string; procedure: Procedure },
  answer: unknown,
): unknown {
  const mask = maskOf(procedure.output);
  if (mask === undefined) return answer;
  const isRead =
    procedure.kind === 'query' || procedure.kind === 'subscription' || procedure.answersLikeOne === true;
  return isRead && readsSecrets(actor, router) ? answer : mask(answer);
}

export function hasSecrets({ output }: Pick<Procedure, 'output'>): boolean {
  return maskOf(output) !== undefined;
}

type Mask = (value: unknown) => unknown;

/** Made once for each schema; null where there is nothing to mask. */
const known = new WeakMap<z.ZodType, Mask | null>();

function maskOf(schema: z.ZodType): Mask | undefined {
  let mask = known.get(schema);
  if (mask === undefined) {
    mask = makeMask(schema) ?? null;
    known.set(schema, mask);
  }
  return mask ?? undefined;
}

function makeMask(schema: z.ZodType): Mask | undefined {
  const as = marks.get(schema);
  if (as !== undefined) return (value) => (typeof value === 'string' ? maskings[as](value) : value);
  if (schema instanceof z.ZodObject) return objectMask(Object.entries<z.ZodType>(schema.shape));
  if (schema instanceof z.ZodArray) return listMask(maskOf(asType(schema.element)));
  if (schema instanceof z.ZodRecord) return recordMask(maskOf(asType(schema.valueType)));
  if (schema instanceof z.ZodUnion) return everyMask(schema.options.map((option) => maskOf(asType(option))));
  const inner = innerOf(schema);
  return inner && maskOf(inner);
}

/** What a schema is wrapped round, for the walk and for the test that looks for forgotten marks. */
export function innerOf(schema: z.ZodType): z.ZodType | undefined {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodReadonly
  )
    return asType(schema.unwrap());
  return schema instanceof z.ZodPipe ? asType(schema.out) : undefined;
}

/** zod's own types of what is inside are its core's; every schema of ours is a whole one. */
function asType(schema: unknown): z.ZodType {
  return schema as z.ZodType;
}

function objectMask(fields: readonly [string, z.ZodType][]): Mask | undefined {
  const masks = fields.flatMap(([name, schema]) => {
    const mask = maskOf(schema);
    return mask ? [[name, mask] as const] : [];
  });
  if (masks.length === 0) return undefined;
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const shown: Record<string, unknown> = { ...value };
    for (const [name, mask] of masks) if (Object.hasOwn(shown, name)) shown[name] = mask(shown[name]);
    return shown;
  };
}

function listMask(mask: Mask | undefined): Mask | undefined {
  return mask && ((value) => (Array.isArray(value) ? value.map(mask) : value));
}

function recordMask(mask: Mask | undefined): Mask | undefined {
  return (
    mask &&
    ((value) =>
      typeof value === 'object' && value !== null
        ? Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mask(item)]))
        : value)
  );
}

/** Every alternative of a union: each leaves alone what is not of its shape, and may mask what is masked. */
function everyMask(all: readonly (Mask | undefined)[]): Mask | undefined {
  const masks = all.filter((mask) => mask !== undefined);
  return masks.length === 0
    ? undefined
    : (value) => masks.reduce((shown: unknown, mask) => mask(shown), value);
}
