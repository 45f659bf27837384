import { AppError, badField } from '../../domain/errors.ts';
import type { Actor, CallContext } from '../../procedure/context.ts';
import { paginate } from '../../procedure/input/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { AccountRemoval } from './account-removal.ts';
import type { userContract } from './contract.ts';
import { twoFactorHandlers, type TwoFactorDesk } from './handlers-two-factor.ts';
import type { SessionOwner } from './sign-in/session.ts';
import type { ApiKeyRecord, SessionRecord, UserRecord } from './store.ts';
import type { Users } from './user.ts';

export interface UserDesk extends TwoFactorDesk {
  removal: AccountRemoval;
  /** FORBIDDEN for everybody but Owners of the installation's organization. */
  requireInstallationOwner(actor: Actor): Promise<void>;
}

/** `scopes` gives the actions that a key can be narrowed to, by router. */
export function userHandlers(
  users: Users,
  scopes: () => ReadonlyMap<string, ReadonlySet<string>>,
  desk: UserDesk,
): Handlers<typeof userContract, CallContext> {
  return {
    ...twoFactorHandlers(desk),
    async get({ actor }) {
      const account = await users.account(actor.userId);
      const keys = await users.apiKeys(actor.userId, actor.organizationId);
      return {
        ...accountView(account),
        role: actor.role,
        grants: actor.grants,
        twoFactor: await desk.twoFactors.isOn(actor.userId),
        organizationId: actor.organizationId,
        apiKeys: keys.map(keyView),
      };
    },
    async changePassword({ actor, ip, write }, input) {
      const change = await users.newPassword(actor.userId, input, ip);
      return accountView(await write(() => users.setPassword(change, actor.sessionId)));
    },
    async delete({ actor, ip, write }, { userId = actor.userId, password, code }) {
      if (userId === actor.userId) {
        if (password === undefined)
          throw badField('password', 'is required to delete your own account; it cannot be undone');
        await desk.proofs.byBoth(userId, { password, code }, ip);
      } else await desk.requireInstallationOwner(actor);
      const { removal } = desk;
      const gone = await write(() =>
        userId === actor.userId ? removal.removeOwn(userId) : removal.removeStray(userId),
      );
      return accountView(gone);
    },
    async sessions(context, input) {
      const all = await users.sessions(sessionOwner(context));
      return paginate(
        all.map((session) => sessionView(session, context)),
        input,
        ({ sessionId }) => sessionId,
      );
    },
    async endSession(context, { sessionId }) {
      return sessionView(
        await context.write(() => users.endSession(sessionId, sessionOwner(context))),
        context,
      );
    },
    async createApiKey({ actor, write }, input) {
      if (input.permissions) checkScopes(input.permissions, scopes());
      const { record, key } = await write(async () => {
        const created = await users.createApiKey(actor.userId, input);
        return { apiKeyId: created.record.apiKeyId, ...created };
      });
      return { id: record.apiKeyId, key, name: record.name, createdAt: record.createdAt };
    },
    async deleteApiKey({ actor, scope, write }, { apiKeyId }) {
      const organizationId = scope?.organizationId ?? actor.organizationId;
      return keyView(await write(() => users.deleteApiKey(apiKeyId, organizationId)));
    },
  };
}

/** A session acts for its whole user, a key in its organization only. */
function sessionOwner({ actor: { userId, organizationId, apiKeyId } }: CallContext): SessionOwner {
  return apiKeyId === undefined ? { userId } : { userId, organizationId };
}

/** A scope that nothing has would narrow a key to nothing without a word. */
function checkScopes(
  permissions: Record<string, string[]>,
  scopes: ReadonlyMap<string, ReadonlySet<string>>,
): void {
  const issues = Object.entries(permissions).flatMap(([router, actions]) => {
    const known = scopes.get(router);
    if (!known)
      return [
        {
          path: `permissions.${router}`,
          message: `is not a router of this interface. There are: ${[...scopes.keys()].join(', ')}`,
        },
      ];
    return actions.flatMap((action, index) =>
      known.has(action)
        ? []
        : [
            {
              path: `permissions.${router}.${index}`,
              message: `is not an action of ${router}. There are: ${[...known].join(', ')}`,
            },
          ],
    );
  });
  const [first] = issues;
  if (first) throw new AppError('BAD_REQUEST', `${first.path}: ${first.message}`, { issues });
}

function accountView({ userId, email, name, createdAt }: UserRecord): {
  id: string;
  email: string;
  name: string;
  createdAt: string;
} {
  return { id: userId, email, name, createdAt };
}

function sessionView(
  session: SessionRecord,
  { actor }: CallContext,
): Omit<SessionRecord, 'expiresAt'> & { expiresAt: string; current: boolean } {
  return {
    ...session,
    expiresAt: new Date(session.expiresAt).toISOString(),
    current: session.sessionId === actor.sessionId,
  };
}

function keyView(record: ApiKeyRecord): Omit<ApiKeyRecord, 'expiresAt' | 'lastRequestAt'> & {
  id: string;
  expiresAt: string | null;
  lastRequestAt: string | null;
} {
  return {
    ...record,
    id: record.apiKeyId,
    expiresAt: record.expiresAt === null ? null : new Date(record.expiresAt).toISOString(),
    lastRequestAt: record.lastRequestAt === null ? null : new Date(record.lastRequestAt).toISOString(),
  };
}
