/** A member without the grant runs no program of their choice with a service's variables. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { callerOf, valueOf, type Call } from '../e2e/fixtures/caller.ts';
import type { Program } from '../world/program.ts';
import { startWithWorlds } from '../world/started.ts';
import type { World } from '../world/world.ts';

let program: Program;
let world: World;
let owner: Call;
let member: Call;
beforeAll(async () => {
  ({ program, first: world } = await startWithWorlds());
  owner = callerOf(program.url, world.people.owner.byKey);
  member = callerOf(program.url, world.people.member.byKey);
});
afterAll(() => program[Symbol.asyncDispose]());

const grant = (canOpenTerminal: boolean): Promise<unknown> =>
  valueOf(
    owner('organization.updateMember', {
      userId: world.people.member.userId,
      grants: { accessedProjects: [world.own.projectId], canReadSecrets: false, canOpenTerminal },
    }),
  );

const command = ['env'];

it('is refused what prints the variables, and may do the rest', async () => {
  const { applicationId, composeId, scheduleId } = world.own;
  const schedule = { name: 'nightly', cron: '0 4 * * *', command };
  const asked = [
    ['application.run', { applicationId, command }],
    ['schedule.create', { applicationId, ...schedule }],
    ['schedule.create', { composeId, serviceName: 'web', ...schedule }],
    ['schedule.update', { scheduleId, command }],
    ['schedule.run', { scheduleId }],
    ['application.update', { applicationId, preReleaseCommand: command }],
    ['application.update', { applicationId, postReleaseCommand: command }],
  ] as const;
  await grant(false);
  for (const [path, input] of asked)
    expect([path, await member(path, input)]).toMatchObject([
      path,
      { status: 403, body: { error: { message: expect.stringContaining('canOpenTerminal') } } },
    ]);
  for (const [path, input] of [
    ['application.update', { applicationId, preReleaseCommand: null, replicas: 2 }],
    ['schedule.all', { applicationId }],
  ] as const)
    expect([path, await member(path, input)]).toMatchObject([path, { status: 200 }]);
  await grant(true);
  for (const [path, input] of asked)
    expect([path, (await member(path, input)).status]).not.toEqual([path, 403]);
});
