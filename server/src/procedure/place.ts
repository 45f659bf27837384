/** What a caller may by credentials, role and organization, whatever the call names. */
import { AppError, flatError } from '../domain/errors.ts';
import {
  classRule,
  hostStandings,
  roleReaches,
  standingReaches,
  type Standing,
} from '../domain/access/permissions.ts';
import type { Actor } from './context.ts';
import { hostReachAction, reachingField } from './host-reach.ts';
import { actionOf, grantsOf } from './procedure.ts';
import type { RegisteredProcedure } from './registry.ts';

/** A procedure, whether or not its handler is there. */
type Target = Pick<RegisteredProcedure, 'path' | 'router' | 'procedure'>;

export interface PlacePorts {
  /** What the organization is on this installation. */
  standingOf(organizationId: string): Promise<Standing>;
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
export async function checkPlace(ports: PlacePorts, target: Target, actor: Actor): Promise<void> {
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
  if (standings && !standingReaches(await ports.standingOf(actor.organizationId), access.class)) {
    throw forbidden(
      target,
      `${target.path} is about the installation itself, not about one organization; it needs an ${words}.`,
    );
  }
  const lacking =
    actor.role === 'member' ? grantsOf(access).find((grant) => !actor.grants[grant]) : undefined;
  if (lacking !== undefined)
    throw forbidden(
      target,
      `You lack the permission ${lacking}. An Owner or Admin of the organization can give it.`,
    );
}

/** What reaches the machine itself is for the people who run it (decisions 2). */
export async function checkHostReach(
  ports: PlacePorts,
  target: Target,
  actor: Actor,
  input: unknown,
): Promise<void> {
  const found = reachingField(target.procedure.access.hostReach ?? [], input);
  if (found === undefined || (await hasHostReach(ports, target, actor))) return;
  const isNarrow =
    actor.permissions !== undefined && !actor.permissions[target.router]?.includes(hostReachAction);
  throw forbidden(
    target,
    `${found.field} would reach the server itself. That needs an ${classRule('hostReach').words}` +
      `${isNarrow ? `; a restricted key also needs the action ${hostReachAction}` : ''}. Ask one of ` +
      'them, or leave the field out.',
  );
}

export async function hasHostReach(
  ports: PlacePorts,
  { router }: Target,
  { organizationId, permissions, role }: Actor,
): Promise<boolean> {
  if (!roleReaches(role, 'hostReach')) return false;
  if (permissions && !permissions[router]?.includes(hostReachAction)) return false;
  return hostStandings.includes(await ports.standingOf(organizationId));
}

/** A refusal of whoever is known, in the flat shape where the procedure's document wants that. */
export function forbidden({ procedure }: Target, sentence: string): AppError {
  const { flatRefusal } = procedure.access;
  return flatRefusal === undefined ? new AppError('FORBIDDEN', sentence) : flatError(flatRefusal, sentence);
}
