import { expect, it } from 'vitest';
import { shownEngine, swarmNode, swarmService, swarmTask } from '../../../../test/http/shown-engine.ts';
import { localServer } from '../../domain/names/server-key.ts';
import { noGrants } from '../../domain/access/permissions.ts';
import { createContainers } from './container.ts';

it('an ended task is shown with what it was given, not with what its service gives by now', async () => {
  const engineView = shownEngine();
  engineView.nodes = [swarmNode('n1')];
  engineView.services = [swarmService('shop', {}, { name: 'shop', image: 'nginx:2', env: ['A=2'] })];
  const given = { ...swarmService('shop', {}), image: 'nginx:1', args: [], env: ['A=1'] };
  engineView.tasks = [swarmTask('t1', 'shop', { state: 'complete', configuration: given })];
  const containers = createContainers({ key: localServer, engineView }, async () => () => true);
  const actor = {
    userId: 'u1',
    organizationId: 'o1',
    grants: noGrants,
    apiKeyId: undefined,
    sessionId: undefined,
    permissions: undefined,
  };
  for (const [role, env] of [
    ['owner', 'A=1'],
    ['member', 'A=••••'],
  ] as const)
    expect(await containers.ofServices({ ...actor, role }, ({ name }) => name === 'shop')).toMatchObject([
      { state: 'complete', configuration: { image: 'nginx:1', env: [env] } },
    ]);
});
