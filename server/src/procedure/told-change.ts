/**
 * The event that a change is told by (decisions 14), from what the guard knows of every call: so no handler
 * can forget it.
 */
import type { Scope } from '../domain/access/permissions.ts';
import type { Actor } from './context.ts';
import { resourceKinds, type ResourceKind } from './procedure.ts';
import type { RegisteredProcedure } from './registry.ts';
import { idsIn, isNested, type ThingPorts } from './things.ts';

/** What happened to which thing, and where it stands, after and before. */
export interface ToldChange {
  /** The router of the thing. */
  kind: string;
  what: 'created' | 'updated' | 'removed';
  resourceId: string;
  /** Null for what concerns the whole installation. */
  organizationId: string | null;
  scope: Scope | undefined;
  former: Scope | undefined;
  /** Of what belongs to one person: their account, its sessions and keys. */
  userId: string | null;
}

export interface Change {
  target: Pick<RegisteredProcedure, 'path' | 'router' | 'procedure'>;
  actor: Pick<Actor, 'organizationId' | 'userId'>;
  /** Of the procedure's subject, before. */
  scope: Scope | undefined;
  /** The same after the change, when it is known; otherwise it is looked up. */
  place?: Scope | undefined;
  input: unknown;
  answer: unknown;
  /** The thing that the answer names was there before. */
  isPresent?: boolean | undefined;
}

/** Looks and trials that are mutations by the document. */
const tellNothing = /^(test|testConnection|generateDomain|validateDomain|makePair)$/;
const removing = /^(remove|delete)$/;
const copying = /^duplicate$/;
/** What is the whole installation's, whoever changes it. */
const ofInstallation: ReadonlySet<string> = new Set(['settings', 'installationBackup']);

/** Stores the event of a change; none for a call that changes nothing. */
export async function tellChange(
  ports: Pick<ThingPorts, 'findScope'> & { tell(change: ToldChange): Promise<void> },
  change: Change,
): Promise<void> {
  const told = await toldChange(ports, change);
  if (told) await ports.tell(told);
}

/** Undefined for a call that changes nothing. */
export async function toldChange(
  { findScope }: Pick<ThingPorts, 'findScope'>,
  { target, actor, scope, place: known, input, answer, isPresent }: Change,
): Promise<ToldChange | undefined> {
  const { router: kind } = target;
  const name = target.path.slice(kind.length + 1);
  if (tellNothing.test(name)) return undefined;
  const ownId = ownIdOf(target, input);
  const place = {
    kind,
    organizationId: ofInstallation.has(kind) ? null : actor.organizationId,
    userId: kind === 'user' ? (ownId ?? scope?.userId ?? actor.userId) : null,
  };
  if (ownId !== undefined && removing.test(name))
    return { ...place, what: 'removed', resourceId: ownId, scope, former: undefined };
  const madeId = ownId === undefined || copying.test(name) ? idIn(kind, answer) : undefined;
  const resourceId = madeId ?? ownId;
  if (resourceId === undefined)
    return { ...place, what: 'updated', resourceId: subjectless(kind, actor), scope, former: undefined };
  const resourceKind = isResourceKind(kind) ? kind : undefined;
  const found = known ?? (resourceKind && (await findScope(resourceKind, resourceId, actor.organizationId)));
  if (isPresent) return { ...place, what: 'updated', resourceId, scope: found ?? scope, former: found };
  return madeId === undefined
    ? { ...place, what: 'updated', resourceId, scope: found ?? scope, former: scope }
    : { ...place, what: 'created', resourceId, scope: found ?? scope, former: undefined };
}

/** The id that the input names of the router's own kind. */
function ownIdOf({ router, procedure }: Change['target'], input: unknown): string | undefined {
  const own = procedure.access.resources.find(({ kind, field }) => kind === router && !isNested(field));
  return own && idsIn(input, own.field)[0];
}

/** What has no id: settings, one's own account, the members of an organization. */
function subjectless(kind: string, { organizationId, userId }: Change['actor']): string {
  return kind === 'user' ? userId : kind === 'organization' ? organizationId : kind;
}

function isResourceKind(kind: string): kind is ResourceKind {
  return kind in resourceKinds;
}

/** `{applicationId}`, or `{project: {projectId}}` where more than one thing was made. */
function idIn(kind: string, answer: unknown): string | undefined {
  const field = `${kind}Id`;
  return textOf(answer, field) ?? textOf(valueOf(answer, kind), field);
}

function textOf(value: unknown, field: string): string | undefined {
  const found = valueOf(value, field);
  return typeof found === 'string' ? found : undefined;
}

function valueOf(value: unknown, field: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, field) : undefined;
}
