/** New accounts: the first user, who owns the installation, and then whoever was invited (decisions 2). */
import { AppError } from '../../../domain/errors.ts';
import { noGrants } from '../../../domain/access/permissions.ts';
import { isoTime, randomId, type Clock } from '../../../ports/clock.ts';
import type { Entrance, FirstSignUp, InvitationDoor } from './entrance.ts';
import { hashPassword } from './password.ts';
import type { Origin, SignedIn } from './session.ts';
import type { UserRecord, UserStore } from '../store.ts';

export interface NewAccount {
  name: string;
  email: string;
  password: string;
}

/**
 * Makes the first user, Owner of a new organization; later users need the token of an invitation for their
 * address, else FORBIDDEN.
 */
export type SignUp = (
  input: NewAccount & { token?: string | undefined },
  origin: Origin,
) => Promise<SignedIn>;

export function createSignUp(
  store: UserStore,
  {
    entrance,
    invitations,
    firstSignUp,
  }: { entrance: Entrance; invitations: InvitationDoor; firstSignUp: FirstSignUp },
  clock: Clock,
): SignUp {
  async function insertUser({ name, email }: NewAccount, passwordHash: string): Promise<UserRecord> {
    const user = { userId: randomId(), email, name, passwordHash, createdAt: isoTime(clock) };
    await store.users.insert(user);
    return user;
  }

  async function first(account: NewAccount, token: string | undefined, origin: Origin): Promise<SignedIn> {
    if (!origin.isLocal && !(token !== undefined && (await firstSignUp.accepts(token)))) throw notYetYours();
    const passwordHash = await hashPassword(account.password);
    return store.transaction(async () => {
      await store.lockUsers();
      if (await store.hasUsers()) throw closed();
      const user = await insertUser(account, passwordHash);
      const organizationId = await firstOrganization(store, user);
      return entrance.enter('auth.signUp', user, organizationId, origin);
    });
  }

  async function invited(account: NewAccount, token: string, origin: Origin): Promise<SignedIn> {
    const { email } = account;
    const opened = await invitations.open(token, email);
    // Asked in either case and before the costly hash, so that no refusal shows who has an account.
    const isKnown = (await store.users.find({ email })) !== undefined;
    if ('refusal' in opened) throw notUsable();
    if (isKnown) throw notUsable();
    const passwordHash = await hashPassword(account.password);
    return store.transaction(async () => {
      const user = await invitations.redeem(opened.invitation, async () => {
        if (await store.users.find({ email })) throw notUsable();
        return insertUser(account, passwordHash);
      });
      return entrance.enter('auth.signUp', user, opened.invitation.organizationId, origin);
    });
  }

  return async ({ token, ...input }, origin) => {
    const account = { ...input, email: input.email.toLowerCase() };
    if (!(await store.hasUsers())) return first(account, token, origin);
    if (token === undefined) throw closed();
    return invited(account, token, origin);
  };
}

/** Makes the installation's organization with the user as its Owner. */
async function firstOrganization(store: UserStore, { userId, name, createdAt }: UserRecord): Promise<string> {
  const organizationId = randomId();
  await store.organizations.insert({
    organizationId,
    name: `${name}'s organization`,
    createdAt,
    requireTwoFactor: false,
    trusted: false,
    parentOrganizationId: null,
  });
  await store.members.insert({
    memberId: randomId(),
    organizationId,
    userId,
    role: 'owner',
    grants: noGrants,
    createdAt,
  });
  return organizationId;
}

function notYetYours(): AppError {
  return new AppError(
    'FORBIDDEN',
    'The first account of this Berth is made with the one-time token that set-up printed (`token`), or on ' +
      'the machine itself. ./bin/up on the machine prints a new token.',
  );
}

/** The one refusal of every token: an inviter holds tokens, and would learn who has an account. */
function notUsable(): AppError {
  return new AppError(
    'FORBIDDEN',
    'No account can be made with this token and e-mail address. If you have an account here, sign in with ' +
      'it and the same token to join. Otherwise check that both are those of the invitation, or ' +
      'ask for a new one: it may have been used or revoked, or have expired.',
  );
}

function closed(): AppError {
  return new AppError(
    'FORBIDDEN',
    'Sign-up is closed: this Berth has its first user. Ask an Owner or Admin for an invitation and sign ' +
      'up with its token.',
  );
}

/** Whether nobody has an account yet. */
export function firstAccountAwaited(store: Pick<UserStore, 'hasUsers'>): () => Promise<boolean> {
  return async () => !(await store.hasUsers());
}
