import { expect, it } from 'vitest';
import { createPeople, type Person } from '../../../../test/http/people.ts';
import { atOnce } from '../../../../test/store/at-once.ts';
import { bothDatabases } from '../../../../test/store/each-database.ts';
import { createAccounts } from '../../composition/installation/accounts.ts';
import { createStores } from '../../composition/stores.ts';
import { noGrants } from '../../domain/access/permissions.ts';
import { totpCode, totpStep } from '../../domain/secrets/totp.ts';
import { systemClock } from '../../ports/clock.ts';
import { hashPassword } from '../user/sign-in/password.ts';
import { createSignIn } from '../user/sign-in/sign-in.ts';
import { createTwoFactors } from '../user/two-factor.ts';

const password = 'correct horse';
const origin = { ip: '192.0.2.1', userAgent: 'test' };

bothDatabases('what was taken from somebody while their call was under way', ({ open }) => {
  async function begin() {
    const database = await open();
    const { owner, admin, member } = await createPeople(database);
    const stores = createStores(database);
    const { memberships, invitations } = createAccounts(stores, database, systemClock);
    const as = ({ userId, organizationId }: Person, role: 'owner' | 'admin') => ({
      userId,
      organizationId,
      role,
      grants: noGrants,
    });
    return { database, stores, memberships, invitations, owner, admin, member, as };
  }
  const changed = { code: 'FORBIDDEN', message: expect.stringContaining('was changed at this moment') };

  it('leaves no invitation behind, above their role or at all', async () => {
    const { database, memberships, invitations, owner, admin, as, stores } = await begin();
    const { organizationId } = owner;
    const invite = (): Promise<unknown> =>
      database.transaction(() =>
        invitations.invite(as(admin, 'admin'), { email: 'friend@example.com', role: 'admin' }),
      );
    expect(
      await atOnce(
        database,
        () => memberships.update(as(owner, 'owner'), admin.userId, { role: 'member' }),
        invite,
      ),
    ).toMatchObject([{ status: 'fulfilled' }, { status: 'rejected', reason: changed }]);
    await memberships.remove(as(owner, 'owner'), admin.userId);
    await expect(invite()).rejects.toMatchObject(changed);
    expect(await stores.invitations.list({ organizationId })).toEqual([]);
  });

  it('revokes the invitation that they were sending', async () => {
    const { database, memberships, invitations, owner, admin, as, stores } = await begin();
    const { organizationId } = owner;
    expect(
      await atOnce(
        database,
        () => invitations.invite(as(admin, 'admin'), { email: 'friend@example.com', role: 'admin' }),
        () =>
          database.transaction(() =>
            memberships.update(as(owner, 'owner'), admin.userId, { role: 'member' }),
          ),
      ),
    ).toMatchObject([{ status: 'fulfilled' }, { status: 'fulfilled' }]);
    expect(await stores.invitations.list({ organizationId })).toMatchObject([{ status: 'revoked' }]);
  });

  it('lets them change nobody, and one invitation of two for an address stays open', async () => {
    const { database, memberships, invitations, owner, admin, member, as, stores } = await begin();
    expect(
      await atOnce(
        database,
        () => memberships.update(as(owner, 'owner'), admin.userId, { role: 'member' }),
        () =>
          database.transaction(() =>
            memberships.update(as(admin, 'admin'), member.userId, { role: 'admin' }),
          ),
      ),
    ).toMatchObject([{ status: 'fulfilled' }, { status: 'rejected', reason: changed }]);
    const invite = (): Promise<unknown> =>
      invitations.invite(as(owner, 'owner'), { email: 'friend@example.com', role: 'member' });
    await atOnce(database, invite, () => database.transaction(invite));
    const { organizationId } = owner;
    expect(await stores.invitations.list({ organizationId, status: 'pending' })).toHaveLength(1);
  });

  it('is asked of a sign-in by the password alone, when a second factor was switched on', async () => {
    const { database, stores, member } = await begin();
    const { userId } = member;
    await stores.users.users.update({ userId }, { passwordHash: await hashPassword(password) });
    const twoFactors = createTwoFactors(stores.users, systemClock);
    const account = await stores.users.holdUser(userId);
    if (!account) throw new Error('There is no such account.');
    await database.transaction(() => twoFactors.begin(account));
    const secret = (await stores.users.twoFactors.find({ userId }))?.secret ?? '';
    const code = totpCode(Buffer.from(secret, 'base64'), totpStep(systemClock.now()));
    let isLookedAt = false;
    const { signIn } = createSignIn(stores.users, {
      entrance: {
        enter: async () => ({ token: 'a session' }) as never,
        record: async () => undefined,
        homeOf: async () => member.organizationId,
        firstOrganization: async () => undefined,
      },
      invitations: { open: async () => ({ refusal: new Error() as never }), redeem: async (_, of) => of() },
      throttle: {
        begin: async (_, compare) => ({
          isRight: await compare(),
          succeeded: () => undefined,
          takenBack: () => undefined,
        }),
      },
      twoFactors: {
        ...twoFactors,
        async isOn(id) {
          const isOn = await twoFactors.isOn(id);
          if (isLookedAt) return isOn;
          isLookedAt = true;
          // Between the look and the session.
          await database.transaction(() => twoFactors.confirm(id, code, undefined));
          return isOn;
        },
      },
    });
    await expect(signIn({ email: account.email, password }, origin)).rejects.toMatchObject({
      code: 'UNAUTHORIZED',
      needs: 'code',
    });
  });
});
