/** What a caller may by credentials, role and organization, whatever the call names. */
import { AppError, flatError } from '../domain/errors.ts';
import {
  classRule,
  hostStandings,
  onOwnServer,
  roleReaches,
  secretsGrant,
  standingReaches,
  type Scope,
  type Standing,
} from '../domain/access/permissions.ts';
import type { Actor } from './context.ts';
import { hostReachAction, reachesBerths, reachingFields } from './host-reach.ts';
import { actionOf, grantsOf } from './procedure.ts';
import type { RegisteredProcedure } from './registry.ts';

/** A procedure, whether or not its handler is there. */
type Target = Pick<RegisteredProcedure, 'path' | 'router' | 'procedure'>;

export interface PlacePorts {
  /** What the organization is on this installation. */
  standingOf(organizationId: string): Promise<Standing>;
  /** Whether the place is a server of the organization that it owns, as the installation's Owner says. */
  ownsServer(organizationId: string, place: ServerPlace): Promise<boolean>;
}

/** A server, or the one that a service stands on. */
export type ServerPlace = { serverId: string } | { serviceId: string };

/** What a call is about. */
export interface About {
  scope: Scope | undefined;
  input: unknown;
}

/** What the credentials allow, whoever holds them. */
export function checkKey(target: Target, actor: Actor): void {
  if (target.procedure.access.sessionOnly && actor.sessionId === undefined) {
    throw forbidden(
      target,
      `${target.path} needs a session, as the dashboard has; an API key, such as the command line has, ` +
        'cannot call it.',
    );
  }
  const action = actionOf(target.procedure);
  if (actor.permissions && !actor.permissions[target.router]?.includes(action)) {
    throw forbidden(
      target,
      `This API key is not permitted to ${action} ${target.router}. Use a key with that permission.`,
    );
  }
}

/** What the caller's place in the organization allows. */
export async function checkPlace(
  ports: Pick<PlacePorts, 'standingOf'>,
  target: Target,
  actor: Actor,
): Promise<void> {
  const { access } = target.procedure;
  if (actor.lacksTwoFactor && !access.beforeTwoFactor)
    throw forbidden(
      target,
      'This organization requires two-factor sign-in, and your account has none yet. Set it up with ' +
        'user.twoFactorSetUp and user.twoFactorConfirm.',
    );
  const { roles, standings, words } = classRule(access.class);
  if (!roleReaches(actor.role, access.class)) {
    throw forbidden(
      target,
      `${target.path} needs the role ${roles.includes('admin') ? 'Owner or Admin' : 'Owner'}; yours is ` +
        `${actor.role}.`,
    );
  }
  const isDecidedLater = awaitsThings(target);
  if (
    standings &&
    !isDecidedLater &&
    !standingReaches(await ports.standingOf(actor.organizationId), access.class)
  ) {
    throw forbidden(
      target,
      `${target.path} is about the installation itself, not about one organization; it needs an ${words}.`,
    );
  }
  const lacking = grantsOf(access).find(
    (grant) => !actor.grants[grant] && (actor.role === 'member' || grant === secretsGrant),
  );
  if (lacking !== undefined)
    throw forbidden(
      target,
      `You lack the permission ${lacking}. An Owner or Admin of the organization can give it.`,
    );
}

/** Fields that a member needs a grant for. */
export function checkFieldGrants(target: Target, actor: Actor, input: unknown): void {
  if (actor.role !== 'member' || typeof input !== 'object' || input === null) return;
  for (const { field, grant } of target.procedure.access.fieldGrants ?? [])
    if (!actor.grants[grant] && Reflect.get(input, field) != null)
      throw forbidden(
        target,
        `${field} needs the permission ${grant}, which you lack. An Owner or Admin of the organization can ` +
          'give it.',
      );
}

/** What reaches the machine itself is for the people who run it (decisions 2). */
export async function checkHostReach(
  ports: PlacePorts,
  target: Target,
  actor: Actor,
  about: About,
): Promise<void> {
  if (awaitsThings(target) && !(await hasHostReach(ports, target, actor, about)))
    throw forbidden(target, `${wordsOfRefusal(target, actor, `${target.path} lets a service reach`, true)}.`);
  for (const found of reachingFields(target.procedure.access.hostReach ?? [], about.input)) {
    // Berth's own machine is nobody's server.
    const isBerths = reachesBerths(found);
    if (await hasHostReach(ports, target, actor, isBerths ? undefined : about)) continue;
    throw forbidden(
      target,
      `${wordsOfRefusal(target, actor, `${found.field} would reach`, !isBerths)}. Ask one of them, or ` +
        'leave the field out.',
    );
  }
}

/** A class that a server decides as well, once it is known what the call names. */
const awaitsThings = ({ procedure: { access } }: Target): boolean =>
  classRule(access.class).byServer === true && access.resources.length > 0;

function wordsOfRefusal(
  { router }: Target,
  { permissions }: Actor,
  what: string,
  countsServers: boolean,
): string {
  const isNarrow = permissions !== undefined && !permissions[router]?.includes(hostReachAction);
  return (
    `${what} the server itself. That needs an ${classRule('hostReach').words}` +
    `${countsServers ? onOwnServer : ''}` +
    `${isNarrow ? `; a restricted key also needs the action ${hostReachAction}` : ''}`
  );
}

/** Without `about` of Berth's own machine. */
export async function hasHostReach(
  ports: PlacePorts,
  { router, procedure }: Target,
  { organizationId, permissions, role }: Actor,
  about?: About,
): Promise<boolean> {
  if (!roleReaches(role, 'hostReach')) return false;
  if (permissions && !permissions[router]?.includes(hostReachAction)) return false;
  if (hostStandings.includes(await ports.standingOf(organizationId))) return true;
  const place = about && placeOf(procedure.access.resources, about);
  return place !== undefined && ports.ownsServer(organizationId, place);
}

/** Where the service will stand, when the input says so, else where it stands. */
function placeOf(
  resources: Target['procedure']['access']['resources'],
  { scope, input }: About,
): ServerPlace | undefined {
  const named =
    resources.some(({ kind, field }) => kind === 'server' && field === 'serverId') &&
    typeof input === 'object' &&
    input !== null
      ? Reflect.get(input, 'serverId')
      : undefined;
  if (typeof named === 'string') return { serverId: named };
  // Null is Berth's own machine.
  return named === undefined && scope?.serviceId !== undefined ? { serviceId: scope.serviceId } : undefined;
}

/** A refusal of whoever is known, in the flat shape where the procedure's document wants that. */
export function forbidden({ procedure }: Target, sentence: string): AppError {
  const { flatRefusal } = procedure.access;
  return flatRefusal === undefined ? new AppError('FORBIDDEN', sentence) : flatError(flatRefusal, sentence);
}
