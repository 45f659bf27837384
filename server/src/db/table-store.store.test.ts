import { expect, it } from 'vitest';
import { bothDatabases } from '../../../test/store/each-database.ts';
import { tableStore } from './table-store.ts';
import type { TableRecord } from './tables.ts';

const at = '2026-01-01T00:00:00.000Z';

function entry(auditId: string, patch: Partial<TableRecord<'audit'>> = {}): TableRecord<'audit'> {
  return {
    auditId,
    organizationId: 'o',
    at,
    userId: 'u',
    apiKeyId: null,
    procedure: 'project.create',
    resourceId: null,
    outcome: 'done',
    ip: '127.0.0.1',
    ...patch,
  };
}

bothDatabases('a table store', ({ open }) => {
  it('gives back what it was given, whatever the text', async () => {
    const store = tableStore(await open(), 'audit');
    const odd = entry('1', {
      procedure: `'; drop table "audit"; --`,
      ip: 'ünï\u{1F600}\n\t%_\\',
      resourceId: '',
    });
    await store.insert(odd);
    expect(await store.find({ auditId: '1' })).toEqual(odd);
    expect(await store.find({ procedure: odd.procedure })).toEqual(odd);
    expect(await store.find({ auditId: '2' })).toBeUndefined();
  });

  it('of changes to one revision made at once keeps one', async () => {
    const database = await open();
    const projects = tableStore(database, 'project');
    const organization = { organizationId: 'o', name: 'O', requireTwoFactor: false, trusted: false };
    const rest = { parentOrganizationId: null, createdAt: at };
    await tableStore(database, 'organization').insert({ ...organization, ...rest });
    const project = { projectId: 'p', organizationId: 'o', description: '', env: '', baseDomain: null };
    await projects.insert({ ...project, createdAt: at, name: 'first' });
    for (let revision = 0; revision < 5; revision += 1) {
      const made = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          projects.revise({ projectId: 'p', revision }, { name: `by ${index}` }),
        ),
      );
      expect(made.filter((changed) => changed === 1)).toHaveLength(1);
      const winner = `by ${made.indexOf(1)}`;
      expect(await projects.find({ projectId: 'p' })).toMatchObject({ name: winner, revision: revision + 1 });
    }
    // What Berth changes itself is nobody's revision.
    await projects.update({ projectId: 'p' }, { env: 'A=1' });
    expect(await projects.find({ projectId: 'p' })).toMatchObject({ revision: 5 });
  });

  it('keeps numbers, booleans, lists and nested values as they are', async () => {
    const settings = tableStore(await open(), 'setting');
    for (const value of [
      0,
      -1,
      1.5,
      8_640_000_000_000_000,
      true,
      false,
      '',
      'text',
      [],
      ['a', null],
      { nested: { list: [1, 2] } },
    ]) {
      await settings.insert({ name: 'value', value });
      expect(await settings.find({ name: 'value' })).toEqual({ name: 'value', value });
      expect(await settings.remove({ name: 'value' })).toBe(1);
    }
  });

  it('finds, changes and removes by null, and tells null from empty', async () => {
    const store = tableStore(await open(), 'audit');
    await store.insert(entry('none'));
    await store.insert(entry('empty', { resourceId: '' }));
    await store.insert(entry('some', { resourceId: 'p' }));
    expect((await store.list({ resourceId: null })).map(({ auditId }) => auditId)).toEqual(['none']);
    expect(await store.update({ resourceId: null, organizationId: 'o' }, { userId: null })).toBe(1);
    expect((await store.list({ userId: null })).map(({ auditId }) => auditId)).toEqual(['none']);
    expect(await store.remove({ userId: null, apiKeyId: null })).toBe(1);
    expect(
      (await store.list({}, { by: ['auditId'], direction: 'asc' })).map(({ auditId }) => auditId),
    ).toEqual(['empty', 'some']);
  });

  it('lists in the order asked for, by several columns', async () => {
    const store = tableStore(await open(), 'audit');
    for (const [auditId, time] of [
      ['b', '2'],
      ['a', '2'],
      ['c', '1'],
    ] as const)
      await store.insert(entry(auditId, { at: time }));
    const order = async (direction: 'asc' | 'desc'): Promise<string> =>
      (await store.list({ organizationId: 'o' }, { by: ['at', 'auditId'], direction }))
        .map(({ auditId }) => auditId)
        .join('');
    expect(await order('asc')).toBe('cab');
    expect(await order('desc')).toBe('bac');
  });

  it('changes only the named columns, and counts', async () => {
    const store = tableStore(await open(), 'audit');
    for (const id of ['1', '2', '3']) await store.insert(entry(id));
    expect(await store.update({ organizationId: 'o' }, { outcome: 'BAD_REQUEST', userId: undefined })).toBe(
      3,
    );
    expect(await store.update({ auditId: 'absent' }, { outcome: 'x' })).toBe(0);
    expect(await store.update({ auditId: '1' }, {})).toBe(0);
    expect(await store.find({ auditId: '2' })).toEqual(entry('2', { outcome: 'BAD_REQUEST' }));
    expect(await store.remove({ auditId: 'absent' })).toBe(0);
  });

  it('refuses a condition that would be lost, and a removal of everything', async () => {
    const database = await open();
    const store = tableStore(database, 'audit');
    await store.insert(entry('1'));
    for (const where of [
      { auditId: undefined },
      { organizationId: 'o', auditId: undefined },
      { organizationId: 'o', unknown: 'x' },
    ]) {
      await expect(store.find(where)).rejects.toThrow('cannot compare');
      await expect(store.list(where)).rejects.toThrow('cannot compare');
      await expect(store.update(where, { ip: 'x' })).rejects.toThrow('cannot compare');
      await expect(store.remove(where)).rejects.toThrow('cannot compare');
    }
    await expect(store.remove({})).rejects.toThrow('never meant');
    await expect(tableStore(database, 'registry').find({ password: 'x' })).rejects.toThrow('cannot compare');
    expect(await store.list({})).toHaveLength(1);
  });

  it('answers a broken unique index with CONFLICT and leaves the first record', async () => {
    const store = tableStore(await open(), 'user');
    const first = { userId: '1', email: 'a@example.com', name: 'A', passwordHash: 'x', createdAt: at };
    await store.insert(first);
    await expect(store.insert({ ...first, userId: '2' })).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(store.insert({ ...first, email: 'b@example.com' })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    await store.insert({ ...first, userId: '2', email: 'b@example.com' });
    await expect(store.update({ userId: '2' }, { email: 'a@example.com' })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    expect(await store.find({ email: 'a@example.com' })).toEqual(first);
  });

  it('costs one statement a call', async () => {
    const database = await open();
    const store = tableStore(database, 'audit');
    const before = database.statements.count;
    await store.insert(entry('1'));
    await store.find({ auditId: '1' });
    await store.list({ organizationId: 'o' });
    await store.update({ auditId: '1' }, { ip: 'x' });
    await store.remove({ auditId: '1' });
    expect(database.statements.count - before).toBe(5);
  });
});
