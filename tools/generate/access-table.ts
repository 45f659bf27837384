/**
 * Who may call what, computed from what each procedure declares of its access and nothing else; the matrix
 * test holds it against the real answers.
 */
import {
  roleReaches,
  standingReaches,
  type AccessClass,
  type Role,
} from '../../server/src/domain/access/permissions.ts';
import { exampleInput } from '../../server/src/procedure/describe/example.ts';
import type { NamedProcedure } from '../../server/src/procedure/describe/listing.ts';
import {
  hostReachOf,
  resourceKinds,
  type Access,
  type Procedure,
  type ResourceReference,
} from '../../server/src/procedure/procedure.ts';

/** Who calls, each with the ids of the first organization, which is the installation's. */
export const callers = {
  nobody: 'no login',
  badKey: 'bad key',
  expiredKey: 'expired key',
  revokedKey: 'revoked key',
  narrowedKey: 'key without scopes',
  member: 'Member',
  elsewhere: 'Member of other projects',
  granted: 'Member with grants',
  admin: 'Admin',
  owner: 'Owner',
  stranger: 'Owner elsewhere',
} as const;
export type CallerName = keyof typeof callers;

/**
 * `own`: answered with what the caller's own organization, or the caller, has. `part`: with what the member
 * may see of the thing, 403 when that is nothing.
 */
export type Outcome = 401 | 403 | 'yes' | 'own' | 'part';

const withoutLogin: readonly CallerName[] = ['nobody', 'badKey', 'expiredKey', 'revokedKey'];

export function outcomeOf({ procedure }: NamedProcedure, caller: CallerName): Outcome {
  if (withoutLogin.includes(caller)) return 401;
  const { access } = procedure;
  if (caller === 'narrowedKey') return 403;
  const reaches = (role: Role): boolean => roleReaches(role, access.class);
  if (caller === 'stranger')
    return !standingReaches('tenant', access.class) || namedOf(procedure).length > 0 ? 403 : 'own';
  if (caller === 'owner') return 'yes';
  if (caller === 'admin') return reaches('admin') ? 'yes' : 403;
  if (!reaches('member')) return 403;
  if (caller === 'granted') return 'yes';
  return memberOutcome(procedure, caller === 'elsewhere');
}

/** Of a member to whom nothing in question is assigned, with or without the grants that are no assignment. */
function memberOutcome(procedure: Procedure, hasFlags: boolean): Outcome {
  if (!hasFlags && procedure.access.grant !== undefined) return 403;
  const named = namedOf(procedure);
  const isRefused = named.some(({ kind, partial }) => {
    const need = resourceKinds[kind];
    return !partial && need !== 'nothing' && need !== 'own' && (need === 'assigned' || !hasFlags);
  });
  if (isRefused) return 403;
  return named.length === 0 ? 'own' : named.some(({ partial }) => partial) ? 'part' : 'yes';
}

/** The things that a plain good input names; what is one's own is the caller's. */
export function namedOf(procedure: Procedure): ResourceReference[] {
  const input = exampleInput(procedure);
  return procedure.access.resources.filter(({ field }) => (valueAt(input, field) ?? undefined) !== undefined);
}

function valueAt(input: unknown, field: string): unknown {
  let value = input;
  for (const name of field.split('.'))
    value = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  return value;
}

/** The access of a procedure in one line. */
export function ruleOf(access: Access): string {
  const { class: accessClass, sessionOnly, grant } = access;
  const inWords = {
    protected: 'everybody',
    admin: 'Owner, Admin',
    owner: 'Owner',
    hostReach: 'host reach',
    installation: "the installation's Owner, Admin",
    installationOwner: "the installation's Owner",
  } as const satisfies Record<AccessClass, string>;
  return [
    inWords[accessClass],
    ...hostReachOf(access).map((words) => `host reach when ${words}`),
    ...(sessionOnly ? ['session'] : []),
    ...(grant === undefined ? [] : [grant].flat()),
  ].join('; ');
}
