/** The records of log drains. */
import { expect, it } from 'vitest';
import { createPeople } from '../../../../test/http/people.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { systemClock } from '../../ports/clock.ts';
import { createLogDrains } from './log-drain.ts';
import { createLogDrainStore } from './store.ts';

eachDatabase('records of log drains', (test) => {
  it('keep their password, ask for it again for another host, and are ten at most', async () => {
    const database = await test.open();
    const people = await createPeople(database);
    const { organizationId } = people.owner;
    const drains = createLogDrains(createLogDrainStore(database), systemClock);
    const input = {
      name: 'loki',
      type: 'loki',
      address: 'https://a.example.com/push',
      username: 'berth',
    } as const;
    const made = await drains.create(organizationId, { ...input, password: 'secret' });
    expect(JSON.stringify(made)).not.toContain('secret');
    const { logDrainId } = made;
    await expect(
      drains.update(logDrainId, organizationId, { address: 'https://b.example.com/push' }),
    ).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    expect(
      await drains.update(logDrainId, organizationId, { address: 'https://a.example.com/other' }),
    ).toMatchObject({ address: 'https://a.example.com/other' });
    await expect(drains.one(logDrainId, people.stranger.organizationId)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    for (let count = 1; count < 10; count += 1)
      await drains.create(organizationId, { ...input, password: 'secret' });
    await expect(drains.create(organizationId, { ...input, password: 'secret' })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
  });

  it.each([
    [{ type: 'syslogTcp', password: 'secret' }, 'password', 'must be absent: syslog has no sign-in'],
    [{ type: 'loki', username: 'berth' }, 'password', 'is required beside the other of the two'],
    [{ type: 'loki', password: 'secret' }, 'username', 'is required beside the other of the two'],
  ] as const)('have a user and a password, or neither (%j)', async (input, path, message) => {
    const database = await test.open();
    const { organizationId } = (await createPeople(database)).owner;
    const drains = createLogDrains(createLogDrainStore(database), systemClock);
    const address = input.type === 'loki' ? 'https://a.example.com/push' : 'a.example.com:514';
    await expect(drains.create(organizationId, { name: 'x', address, ...input })).rejects.toMatchObject({
      issues: [{ path, message }],
    });
    expect(await drains.all(organizationId)).toEqual([]);
  });
});
