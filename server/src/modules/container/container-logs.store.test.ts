import { expect, it } from 'vitest';
import { ownHost } from '../../../../test/hosts.ts';
import { listedContainer, shownEngine } from '../../../../test/http/shown-engine.ts';
import { worlds } from '../../../../test/http/worlds/world.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { router } from '../../procedure/registry.ts';
import { createSight } from '../sight/sight.ts';
import { createSightStore } from '../sight/store.ts';
import { createContainers } from './container.ts';
import { containerContract } from './contract.ts';
import { containerHandlers } from './handlers.ts';

const said = { at: '2026-01-01T00:00:00.000000001Z', stream: 'stdout', text: 'ready' } as const;
const read = { containerId: 'mine-name', tail: 10 };

eachDatabase('the output of containers', (test) => {
  const createWorld = worlds(test);

  it('is shown to whom they belong, and to nobody else', async () => {
    const engine = shownEngine();
    const { owner, member, stranger, people, place } = await createWorld((database) => {
      const sight = createSight(createSightStore(database), async () => false);
      const host = ownHost({ engineView: engine });
      const handlers = containerHandlers(async (key) => createContainers(await host.of(key), sight));
      return [router('container', containerContract, handlers)];
    });
    const { organizationId } = people.owner;
    const labels = { 'berth.organization': organizationId, 'berth.application': place.applicationId };
    engine.containers = [
      listedContainer('mine', { 'berth.managed': 'true', ...labels }),
      listedContainer('proxy', { 'berth.managed': 'true', 'berth.role': 'proxy' }),
    ];
    engine.output.set('mine', [{ ...said, taskId: 't1', nodeId: 'n1' }]);

    const line = { type: 'line', text: 'ready', at: said.at, stream: 'stdout', task: 't1', node: 'n1' };
    expect(await owner.query('container.logs', read)).toEqual({ lines: [line], lastEventId: said.at });
    expect(await stranger.query('container.logs', read)).toMatchObject({ code: 'FORBIDDEN' });
    expect(await member.query('container.logs', read)).toMatchObject({ code: 'FORBIDDEN' });
    await people.grant({ canAccessToContainers: true });
    expect(await member.query('container.logs', read)).toMatchObject({ code: 'FORBIDDEN' });
    await people.grant({ canAccessToContainers: true, accessedServices: [place.applicationId] });
    expect(await member.query('container.logs', read)).toMatchObject({ lines: [line] });
    for (const [containerId, code] of [
      ['gone', 'NOT_FOUND'],
      ['proxy', 'FORBIDDEN'],
      ['../x', 'BAD_REQUEST'],
    ])
      expect(await stranger.query('container.logs', { containerId })).toMatchObject({ code });
  });
});
