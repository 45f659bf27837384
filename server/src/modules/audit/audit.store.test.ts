import { expect, it } from 'vitest';
import { textOf } from '../../../../test/http/door.ts';
import { createTrial } from '../../../../test/http/trial.ts';
import { worlds, type World } from '../../../../test/http/world.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { systemClock } from '../../ports/clock.ts';
import { router } from '../../procedure/registry.ts';
import { createAudit } from './audit.ts';
import { auditContract } from './contract.ts';
import { auditHandlers } from './handlers.ts';
import { createAuditStore } from './store.ts';

eachDatabase('the audit log', (test) => {
  const createWorld = worlds(test);
  const begin = (): Promise<World> => createWorld((database) => [router('audit', auditContract, auditHandlers(createAudit(createAuditStore(database), systemClock))), createTrial().router]);

  it('has one entry for each change, its outcome and subject in it, and none for reading', async () => {
    const { owner, member, people } = await begin();
    await owner.query('trial.echo', { text: 'reading' });
    const thing = await owner.mutate('trial.create', { name: 'anchor' });
    await member.mutate('trial.touch', {});
    await owner.mutate('trial.create', { name: 'x' });
    const entry = { auditId: expect.any(String), at: expect.stringMatching(/^\d{4}-.*Z$/), apiKeyId: expect.any(String), ip: '127.0.0.1', outcome: 'done' };
    expect(await owner.query('audit.all')).toEqual(expect.arrayContaining([
      { ...entry, userId: people.member.userId, procedure: 'trial.touch', resourceId: null },
      { ...entry, userId: people.owner.userId, procedure: 'trial.create', resourceId: textOf(thing, 'thingId') },
    ]));
    expect(await owner.query('audit.all')).toHaveLength(2);
  });

  it('is paged newest first, complete and without repetition while it grows', async () => {
    const { owner, database, people } = await begin();
    const clock = { time: 1_800_000_000_000, now: () => clock.time };
    const audit = createAudit(createAuditStore(database), clock);
    const actor = { userId: 'u', organizationId: people.owner.organizationId, role: 'owner', grants: {} as never, apiKeyId: undefined, sessionId: 's', permissions: undefined } as const;
    const add = (number: number): Promise<void> => audit.record({ actor, procedure: 'p', resourceId: String(number), outcome: 'done', ip: '::1' });
    for (let number = 0; number < 25; number += 1) {
      // Several within one millisecond.
      if (number % 4 === 0) clock.time += 1;
      await add(number);
    }
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await owner.query('audit.all', { limit: 7, ...(cursor === undefined ? {} : { cursor }) });
      const { items, nextCursor } = parsePage(page);
      seen.push(...items.map((item) => textOf(item, 'resourceId')));
      cursor = nextCursor ?? undefined;
      clock.time += 1;
      await add(100 + seen.length);
    } while (cursor !== undefined);
    expect(seen.length).toBe(25);
    expect(new Set(seen).size).toBe(25);
    expect(seen.map((text) => Math.floor(Number(text) / 4))).toEqual(seen.map((text) => Math.floor(Number(text) / 4)).toSorted((left, right) => right - left));
    expect(await owner.query('audit.all')).toHaveLength(29);
    expect(await owner.query('audit.all', { limit: 2, cursor: 'unknown' })).toMatchObject({ code: 'BAD_REQUEST', fields: ['cursor'] });
    expect(await owner.query('audit.all', { limit: 501 })).toMatchObject({ code: 'BAD_REQUEST', fields: ['limit'] });
  });

  it('is for Owner and Admin, each organization its own', async () => {
    const { owner, admin, member, stranger, nobody } = await begin();
    await owner.mutate('trial.create', { name: 'anchor' });
    expect(await nobody.query('audit.all')).toMatchObject({ code: 'UNAUTHORIZED' });
    expect(await member.query('audit.all')).toMatchObject({ code: 'FORBIDDEN' });
    expect(await admin.query('audit.all')).toHaveLength(1);
    expect(await stranger.query('audit.all')).toEqual([]);
  });
});

function parsePage(page: unknown): { items: unknown[]; nextCursor: string | null } {
  const items: unknown = typeof page === 'object' && page !== null ? Reflect.get(page, 'items') : undefined;
  const cursor: unknown = typeof page === 'object' && page !== null ? Reflect.get(page, 'nextCursor') : undefined;
  if (!Array.isArray(items)) throw new Error('This is no page.');
  return { items, nextCursor: typeof cursor === 'string' ? cursor : null };
}
