/** The users of basic authentication as records, with hashes that nobody had to make. */
import { expect, it } from 'vitest';
import { createPeople } from '../../../../test/http/people.ts';
import { createPlace } from '../../../../test/http/places.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { createBasicAuths } from './basic-auth.ts';
import { createBasicAuthStore } from './store.ts';

eachDatabase('records of basic auth users', (test) => {
  async function begin() {
    const clock = { time: Date.parse('2026-06-01T00:00:00.000Z'), now: () => (clock.time += 1000) };
    const database = await test.open();
    const { owner } = await createPeople(database);
    const { organizationId } = owner;
    const { applicationId } = await createPlace(database, owner, 'Shop');
    const store = createBasicAuthStore(database);
    const users = createBasicAuths(store, clock);
    const add = (username: string) =>
      users.create(organizationId, applicationId, { username, passwordHash: `hash of ${username}` });
    return { users, store, add, organizationId, applicationId };
  }

  it('are of one application, newest first, and never show what a password was hashed to', async () => {
    const { users, add, organizationId, applicationId } = await begin();
    const [anna, ben] = [await add('anna'), await add('ben')];
    const all = await users.byApplication(applicationId, organizationId);
    expect(all).toEqual([ben, anna]);
    expect(await users.one(anna.basicAuthId, organizationId)).toEqual(anna);
    expect(JSON.stringify([all, anna, await users.remove(ben.basicAuthId, organizationId)])).not.toContain(
      'hash',
    );
    expect(await users.byApplication(applicationId, organizationId)).toEqual([anna]);
  });

  it('have a name of their own within the application, also after a change', async () => {
    const { users, add, organizationId } = await begin();
    await add('anna');
    const taken = { code: 'CONFLICT', issues: [{ path: 'username', message: 'is taken' }] };
    await expect(add('anna')).rejects.toMatchObject(taken);
    const { basicAuthId } = await add('ben');
    await expect(users.update(basicAuthId, organizationId, { username: 'anna' })).rejects.toMatchObject(
      taken,
    );
    expect(await users.one(basicAuthId, organizationId)).toMatchObject({ username: 'ben' });
  });

  it('keep what a change does not name', async () => {
    const { users, store, add, organizationId } = await begin();
    const { basicAuthId } = await add('anna');
    await users.update(basicAuthId, organizationId, { username: 'eva' });
    expect(await store.find({ basicAuthId })).toMatchObject({
      username: 'eva',
      passwordHash: 'hash of anna',
    });
    await users.update(basicAuthId, organizationId, { passwordHash: 'another' });
    expect(await store.find({ basicAuthId })).toMatchObject({ username: 'eva', passwordHash: 'another' });
  });

  it('are nobody else’s', async () => {
    const { users, add, organizationId } = await begin();
    const { basicAuthId } = await add('anna');
    const missing = { code: 'NOT_FOUND' };
    await expect(users.one(basicAuthId, 'theirs')).rejects.toMatchObject(missing);
    await expect(users.update(basicAuthId, 'theirs', { username: 'x' })).rejects.toMatchObject(missing);
    await expect(users.remove(basicAuthId, 'theirs')).rejects.toMatchObject(missing);
    expect(await users.one(basicAuthId, organizationId)).toMatchObject({ username: 'anna' });
  });
});
