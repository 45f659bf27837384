/**
 * Input fields whose text may refer to services by name (`${{Shop DB.URL}}`, decisions 3): marked where the
 * schema is written, judged by the guard when they are saved. What was saved stays, whoever deploys it.
 */
import { z } from 'zod';
import { namedServices } from '../../domain/variables/env.ts';
import { memberReaches, type Scope } from '../../domain/access/permissions.ts';
import type { Actor } from '../context.ts';
import { forbidden } from '../place.ts';
import type { NamedProcedure } from '../describe/listing.ts';
import { innerOf } from '../secret-fields.ts';

export interface ReferencePorts {
  /** Services of the environment that a service stands in, and the texts that it has now. */
  referable(scope: Scope): Promise<{ services: { name: string; serviceId: string }[]; texts: string[] }>;
}

const marks = new WeakSet<z.ZodType>();

/** A field of variables, or of a file in which references are put in. */
export function referring(schema: z.ZodString): z.ZodString {
  marks.add(schema);
  return schema;
}

/** Names of the marked fields of an input. */
export function referringFields(input: z.ZodType): string[] {
  const object = unwrapped(input);
  if (!(object instanceof z.ZodObject)) return [];
  return Object.entries<z.ZodType>(object.shape).flatMap(([name, schema]) =>
    marks.has(unwrapped(schema)) ? [name] : [],
  );
}

function unwrapped(schema: z.ZodType): z.ZodType {
  if (marks.has(schema)) return schema;
  const inner = innerOf(schema);
  return inner ? unwrapped(inner) : schema;
}

/**
 * A member who reaches a service and not its whole environment refers to the services that they reach, and
 * to none that may come later; what the service refers to already stays. Throws FORBIDDEN.
 */
export async function checkReferences(
  ports: ReferencePorts,
  target: NamedProcedure,
  { actor, scope, input }: { actor: Actor; scope: Scope | undefined; input: unknown },
): Promise<void> {
  if (actor.role !== 'member' || scope?.serviceId === undefined) return;
  const around = { ...scope, serviceId: undefined };
  if (memberReaches(actor.grants, around) || typeof input !== 'object' || input === null) return;
  const wanted = referringFields(target.procedure.input).flatMap((field) => {
    const text: unknown = Reflect.get(input, field);
    return typeof text === 'string' ? namedServices(text).map((named) => ({ field, ...named })) : [];
  });
  if (wanted.length === 0) return;
  const { services, texts } = await ports.referable(scope);
  const kept = new Set(texts.flatMap((text) => namedServices(text).map(({ inner }) => inner)));
  for (const { field, inner, name } of wanted) {
    const named = services.filter((service) => service.name === name);
    const reaches = named.every((one) =>
      memberReaches(actor.grants, { ...around, serviceId: one.serviceId }),
    );
    if (kept.has(inner) || (named.length > 0 && reaches)) continue;
    throw forbidden(
      target,
      `${field} refers to \${{${inner}}}, and you have access to no service called ${name} in this ` +
        'environment. An Owner or Admin of the organization can give it, or save this variable.',
    );
  }
}
