import { expect, it } from 'vitest';
import { otherServices } from '../../../../test/http/places.ts';
import { projectWorlds } from '../../../../test/http/worlds/project-world.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import type { MixingParts } from '../service/mixed-output.ts';

const said = { at: '2026-01-01T00:00:00.000000001Z', stream: 'stdout', taskId: 't1', nodeId: 'n1' } as const;

eachDatabase('the output of an environment', (test) => {
  const running: { name: string; labels: Record<string, string> }[] = [];
  const engine = {
    services: async () => running,
    async *serviceLogs(name: string) {
      yield { ...said, text: `${name} is ready` };
    },
  };
  const begin = projectWorlds(test, ({ serviceReads }) => ({
    // As if each had been released.
    placed: async (organizationId) =>
      (await serviceReads.placed(organizationId)).map((one) => ({ ...one, liveDeploymentId: 'd1' })),
    mixing: {
      engineOf: async () => engine,
      logAnswerBytes: async () => 100_000,
    } as unknown as MixingParts,
  }));

  it('has the lines of every service, and for a Member those of what is assigned alone', async () => {
    const { owner, member, stranger, people, place, database } = await begin();
    const { environmentId, applicationId } = place;
    const { postgres } = await otherServices(database, people.owner.organizationId, environmentId);
    running.push(
      { name: 'web', labels: { 'berth.application': applicationId } },
      { name: 'data', labels: { 'berth.database': postgres } },
      { name: 'foreign', labels: { 'berth.application': 'of-somebody-else' } },
    );
    const line = (text: string, service: unknown): object => ({
      type: 'line',
      text,
      at: said.at,
      stream: 'stdout',
      task: 't1',
      node: 'n1',
      service,
    });
    const ofDatabase = line('data is ready', 'The postgres');
    const all = (await owner.query('environment.logs', { environmentId })) as { lines: object[] };
    expect(all.lines).toHaveLength(2);
    expect(all.lines).toContainEqual(ofDatabase);
    expect(all.lines).toContainEqual(line('web is ready', expect.any(String)));
    for (const nobody of [member, stranger])
      expect(await nobody.query('environment.logs', { environmentId })).toMatchObject({ code: 'FORBIDDEN' });
    await people.grant({ accessedServices: [postgres] });
    expect(await member.query('environment.logs', { environmentId })).toMatchObject({ lines: [ofDatabase] });
  });
});
