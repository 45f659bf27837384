import { describe, expect, it, test } from 'vitest';
import { confirmationOf, describeInput, findCall, proceduresOf, toolsOf } from './tools.ts';

/** The call of a procedure, whichever tool has it. */
function callOf(procedure: string) {
  const found = toolsOf(true).flatMap(({ name }) => findCall(name, procedure) ?? [])[0];
  if (!found) throw new Error(`No tool has ${procedure}.`);
  return found;
}

it('the list stays small enough for a conversation, and has every procedure once', () => {
  const procedures = toolsOf(true).flatMap(({ name }) => proceduresOf(name)).length;
  expect(JSON.stringify({ tools: toolsOf(true) }).length / procedures).toBeLessThan(155);
  const tools = toolsOf(true).map(({ name }) => name);
  expect(tools).toEqual(tools.toSorted());
  const all = tools.flatMap(proceduresOf);
  expect(new Set(all).size).toBe(all.length);
  expect(all).toEqual(expect.arrayContaining(['application.update', 'redis.create', 'project.all']));
  const own = toolsOf(true).filter(({ name }) => !name.startsWith('database_'));
  for (const { name, description } of own)
    for (const path of proceduresOf(name)) expect(description).toContain(`- ${path}`);
});

it('an input is described in full on request, and without --write only of reads', () => {
  expect(describeInput('application.update', true)).toContain('- replicas?: integer (');
  expect(describeInput('application.update', false)).toBeUndefined();
  expect(describeInput('project.all', false)).toContain('project.all: ');
  expect(describeInput('nothing.here', true)).toBeUndefined();
});

describe('a person is asked', () => {
  test.each([
    'project.remove',
    'application.delete',
    'postgres.remove',
    'compose.approve',
    'compose.create',
    'settings.update',
    'organization.setTrusted',
    'server.setTrusted',
    'server.trustHostKey',
    'organization.invite',
    'organization.updateMember',
    'application.run',
    'schedule.create',
    'schedule.update',
    'logDrain.create',
    'notification.create',
    'destination.create',
    'cleanup.run',
    'sshKey.makePair',
    'backup.restoreBackupWithLogs',
    // Reads, by whatever function of the server the statement calls.
    'database.query',
  ])('before %s', (procedure) => {
    expect(confirmationOf(callOf(procedure), {})).toEqual(expect.stringMatching(/\.$/));
  });

  test.each([
    ['mount.create', { type: 'bind', hostPath: '/etc' }, { type: 'volume', volumeName: 'data' }],
    ['port.create', { publishedPort: 80 }, { publishedPort: 8080 }],
  ])('before %s where its input reaches the machine', (procedure, reaching, harmless) => {
    expect(confirmationOf(callOf(procedure), reaching)).toContain('the machine itself');
    expect(confirmationOf(callOf(procedure), harmless)).toBeUndefined();
  });

  test.each(['project.all', 'application.deploy', 'application.update', 'domain.create', 'project.create'])(
    'not before %s',
    (procedure) => {
      expect(confirmationOf(callOf(procedure), {})).toBeUndefined();
    },
  );
});
