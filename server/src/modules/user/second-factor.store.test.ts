/** The second factor by itself, without a password to be hashed: codes, each used once. */
import { expect, it } from 'vitest';
import { createPeople } from '../../../../test/http/people.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { totpCode, totpStep } from '../../domain/secrets/totp.ts';
import { createUserStore } from './store.ts';
import { createTwoFactors } from './two-factor.ts';

eachDatabase('second factors', (test) => {
  async function begin() {
    const clock = { time: Date.parse('2026-06-01T00:00:00.000Z'), now: () => clock.time };
    const database = await test.open();
    const { userId } = (await createPeople(database)).owner;
    const store = createUserStore(database);
    const factors = createTwoFactors(store, clock);
    const user = { ...(await store.users.find({ userId })), userId, email: 'owner@example.com' };
    const { otpauthUrl } = await factors.begin(user as Parameters<typeof factors.begin>[0]);
    /** Of the app at this moment. */
    const code = async (): Promise<string> => {
      const { secret = '' } = (await store.twoFactors.find({ userId })) ?? {};
      return totpCode(Buffer.from(secret, 'base64'), totpStep(clock.time));
    };
    return { clock, factors, userId, code, otpauthUrl, user };
  }

  it('count once they are confirmed by a code of the app, which is used up by that', async () => {
    const { factors, userId, code, otpauthUrl } = await begin();
    expect(otpauthUrl).toContain('owner%40example.com');
    expect(await factors.use(userId, await code())).toBe(false);
    expect(await factors.isOn(userId)).toBe(false);
    await expect(factors.confirm(userId, '000000', undefined)).rejects.toMatchObject({
      issues: [{ path: 'code' }],
    });
    const codes = await factors.confirm(userId, await code(), undefined);
    expect(new Set(codes).size).toBe(10);
    expect(await factors.state(userId)).toEqual({ enabled: true, recoveryCodesLeft: 10 });
    expect(await factors.use(userId, await code())).toBe(false);
  });

  it('take a code of the app once, and a recovery code once, as people type them', async () => {
    const { factors, userId, code, clock } = await begin();
    const [first = '', second = ''] = await factors.confirm(userId, await code(), undefined);
    clock.time += 30_000;
    const now = await code();
    expect(await factors.use(userId, `${now.slice(0, 3)} ${now.slice(3)}`)).toBe(true);
    expect(await factors.use(userId, now)).toBe(false);
    expect(await factors.use(userId, first.toUpperCase().replaceAll('-', ' '))).toBe(true);
    expect(await factors.use(userId, first)).toBe(false);
    expect(await factors.state(userId)).toMatchObject({ recoveryCodesLeft: 9 });
    const renewed = await factors.renewCodes(userId);
    expect(await factors.use(userId, second)).toBe(false);
    expect(await factors.use(userId, renewed[0] ?? '')).toBe(true);
  });

  it('are begun anew only while none is on, and end with all their codes', async () => {
    const { factors, userId, code, user } = await begin();
    const [recovery = ''] = await factors.confirm(userId, await code(), undefined);
    const again = factors.begin(user as Parameters<typeof factors.begin>[0]);
    await expect(again).rejects.toThrow(
      'Two-factor sign-in is already on. For another app, first switch it off with user.twoFactorDisable.',
    );
    await factors.end(userId);
    expect(await factors.state(userId)).toEqual({ enabled: false, recoveryCodesLeft: 0 });
    expect(await factors.use(userId, recovery)).toBe(false);
    await expect(factors.confirm(userId, '123456', undefined)).rejects.toMatchObject({
      code: 'PRECONDITION_FAILED',
    });
  });
});
