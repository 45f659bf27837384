/** The things that an input names: whether they are there, whose they are, whether a member may name them. */
import { AppError } from '../domain/errors.ts';
import { memberReaches, type Scope } from '../domain/access/permissions.ts';
import type { Actor } from './context.ts';
import { forbidden, type PlacePorts } from './place.ts';
import { resourceKinds, type ResourceKind, type ResourceReference } from './procedure.ts';
import type { NamedProcedure } from './describe/listing.ts';

export interface ThingPorts extends PlacePorts {
  /**
   * Where a thing stands; undefined when it does not exist. What can stand in several organizations is looked
   * for in the caller's first.
   */
  findScope(kind: ResourceKind, id: string, organizationId: string): Promise<Scope | undefined>;
}

/**
 * The things that the input names, each held against the caller; gives where the procedure's own subject
 * stands.
 */
export async function checkResources(
  ports: ThingPorts,
  target: NamedProcedure,
  actor: Actor,
  input: unknown,
): Promise<{ scope: Scope | undefined; resourceId: string | undefined }> {
  let subject: { scope: Scope; resourceId: string } | undefined;
  const mayCross = async (): Promise<boolean> =>
    actor.role !== 'member' && (await ports.standingOf(actor.organizationId)) === 'installation';
  for (const { kind, field, partial, acrossOrganizations, ownAnywhere } of target.procedure.access
    .resources) {
    for (const id of idsIn(input, field)) {
      const scope = await ports.findScope(kind, id, actor.organizationId);
      if (!scope) throw absent(kind, field);
      const isOwn = ownAnywhere === true && scope.userId === actor.userId && actor.apiKeyId === undefined;
      const isElsewhere = scope.organizationId !== actor.organizationId && !isOwn;
      if (isElsewhere && !(acrossOrganizations && (await mayCross())))
        throw forbidden(target, `The ${kind} named in ${field} belongs to another organization.`);
      if (actor.role === 'member' && !partial) checkMember(target, { kind, field }, actor, scope);
      if (!isNested(field)) subject ??= { scope, resourceId: id };
    }
  }
  return { scope: subject?.scope, resourceId: subject?.resourceId };
}

export function absent(kind: ResourceKind, field: string): AppError {
  return new AppError(
    'NOT_FOUND',
    `There is no ${kind} with the id given in ${field}. It may have been removed.`,
  );
}

/** What the kind asks of a member. */
function checkMember(
  target: NamedProcedure,
  { kind, field }: ResourceReference,
  { grants, userId }: Actor,
  scope: Scope,
): void {
  const need = resourceKinds[kind];
  if (need === 'nothing') return;
  if (need === 'own') {
    if (scope.userId === userId) return;
    throw forbidden(
      target,
      `The ${kind} named in ${field} is not yours. Its owner, or an Owner or Admin of the organization, ` +
        'can do this.',
    );
  }
  if (need === 'assigned' ? memberReaches(grants, scope) : grants[need]) return;
  throw forbidden(
    target,
    `You have no access to the ${kind} named in ` +
      `${field}${need === 'assigned' ? '' : `; it needs the permission ${need}`}. An Owner or Admin of ` +
      'the organization can give it.',
  );
}

/**
 * The procedure's subject stands in a field of its own; ids inside an object are what it is given besides.
 */
export function isNested(field: string): boolean {
  return field.includes('.');
}

/** The id in the field, each id of a list, none when the field is absent. */
export function idsIn(input: unknown, field: string): string[] {
  let values = [input];
  for (const name of field.split('.'))
    values = values
      .flat()
      .map((value) => (typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined));
  return values.flat().filter((item) => typeof item === 'string');
}
