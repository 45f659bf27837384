/**
 * Who opens a terminal of the started program. It has no engine: whoever is let in is told that it cannot be
 * reached.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { callerOf, valueOf } from '../e2e/fixtures/caller.ts';
import { textOf } from '../http/interface-client.ts';
import { openTerminal, opened, terminalAddress } from '../http/terminal-client.ts';
import { personNames, type PersonName } from '../world/people.ts';
import type { Program } from '../world/program.ts';
import { startWithWorlds } from '../world/started.ts';
import type { World } from '../world/world.ts';

let program: Program;
let world: World;
beforeAll(async () => {
  ({ program, first: world } = await startWithWorlds());
});
afterAll(() => program[Symbol.asyncDispose]());

const statuses: Record<PersonName, number> = {
  owner: 503,
  admin: 503,
  member: 403,
  granted: 503,
  elsewhere: 403,
  stranger: 403,
};
const services = ['applicationId', 'composeId', 'postgresId', 'redisId'] as const;

it.each(personNames)('%s is let in, or refused, whatever the service', async (name) => {
  const { byKey } = world.people[name];
  for (const field of services)
    expect([field, await openTerminal(program.url, { serviceId: world.own[field] }, byKey)]).toMatchObject([
      field,
      { status: statuses[name] },
    ]);
});

it('nobody opens one of another organization, or of nobody', async () => {
  const { byKey } = world.people.owner;
  for (const [serviceId, status] of [
    [world.foreign['applicationId'], 403],
    ['nowhere', 404],
  ] as const)
    expect(await openTerminal(program.url, { serviceId }, byKey)).toMatchObject({ status });
});

it('a session opens one from our own pages alone, and without one nobody does', async () => {
  const { bySession } = world.people.owner;
  const input = { serviceId: world.own['applicationId'] };
  for (const origin of ['http://evil.example', 'null', program.url.replace(/\d+$/, '1')])
    expect(await openTerminal(program.url, input, { ...bySession, origin })).toMatchObject({ status: 403 });
  const ours = await opened(program.url, input, { ...bySession, origin: program.url });
  expect(await ours.ended).toMatchObject({ code: 4503, end: { reason: 'refused' } });
  expect(await openTerminal(program.url, input, {})).toMatchObject({ status: 401 });
});

it('a narrowed key opens one only when it names it', async () => {
  const session = { ...world.people.owner.bySession, origin: program.url };
  const input = { serviceId: world.own['applicationId'] };
  for (const [permissions, status] of [
    [{ application: ['read', 'write'], container: ['read', 'write'] }, 403],
    [{ terminal: ['open'] }, 503],
  ] as const) {
    const made = await valueOf(
      callerOf(program.url, session)('user.createApiKey', {
        name: 'narrow',
        metadata: { organizationId: world.own['organizationId'] },
        permissions,
      }),
    );
    const headers = { 'x-api-key': textOf(made, 'key') };
    expect(await openTerminal(program.url, input, headers)).toMatchObject({ status });
  }
});

it('bad input names its field', async () => {
  const { byKey } = world.people.owner;
  const bad: [object, string][] = [
    [{}, 'serviceId'],
    [{ serviceId: world.own['applicationId'], previewDeploymentId: 'x' }, 'previewDeploymentId'],
    [{ serviceId: world.own['applicationId'], columns: 'wide' }, 'columns'],
    [{ serviceId: world.own['applicationId'], command: [] }, 'command'],
    [{ serviceId: world.own['applicationId'], window: 1 }, 'window'],
  ];
  for (const [input, path] of bad)
    expect(await openTerminal(program.url, { ...input }, byKey)).toMatchObject({
      status: 400,
      body: { error: { data: { issues: [{ path }] } } },
    });
  const plain = await fetch(terminalAddress(program.url, {}).replace('ws', 'http'), { headers: byKey });
  expect(plain.status).toBe(400);
});
