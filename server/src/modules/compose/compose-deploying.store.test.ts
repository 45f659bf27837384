import { expect, it } from 'vitest';
import { send } from '../../../../test/http/call.ts';
import { composeWorlds, harmless } from '../../../../test/http/worlds/compose-world.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { createStores } from '../../composition/stores.ts';

eachDatabase('deploying compose services', (test) => {
  const { begin, create } = composeWorlds(test);

  it('are deployed by jobs, whose records everybody reads by composeId', async () => {
    const world = await begin();
    const { owner, database, server, people } = world;
    const composeId = await create(world);
    const { jobs, deployments, composes } = createStores(database);
    expect(await owner.mutate('compose.deploy', { composeId })).toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining('composeFile'),
    });
    await owner.mutate('compose.update', { composeId, composeFile: harmless });
    expect(await owner.mutate('compose.redeploy', { composeId })).toMatchObject({
      code: 'PRECONDITION_FAILED',
    });
    expect(await owner.query('deployment.latest', { composeId })).toBeNull();
    const { body, headers } = await send(`${server.url}/api/compose.deploy`, {
      headers: people.owner.headers,
      body: { composeId, title: 'First', description: 'of all' },
    });
    expect(body).toBe(true);
    expect(await owner.query('compose.one', { composeId })).toMatchObject({
      composeStatus: 'running',
      deployments: [{ title: 'First', status: 'queued' }],
    });
    const [deployment] = await deployments.list({ composeId });
    const { deploymentId = '' } = deployment ?? {};
    expect(headers.get('x-deployment-id')).toBe(deploymentId);
    expect(await owner.query('deployment.latest', { composeId })).toMatchObject({ deploymentId });
    expect(await owner.query('deployment.all', { composeId })).toEqual([
      expect.objectContaining({
        deploymentId,
        composeId,
        applicationId: null,
        kind: 'deploy',
        title: 'First',
        description: 'of all',
        status: 'queued',
      }),
    ]);
    expect(await owner.query('deployment.one', { deploymentId })).toMatchObject({ composeId });
    expect(await jobs.list({})).toMatchObject([
      {
        kind: 'deployment',
        payload: { deploymentId },
        serviceKey: `compose:${composeId}`,
        serverKey: 'local',
        state: 'queued',
      },
    ]);
    expect(await owner.mutate('deployment.rollback', { deploymentId })).toMatchObject({
      code: 'PRECONDITION_FAILED',
      message: expect.stringContaining('never ran healthy'),
    });
    expect(await owner.mutate('compose.killBuild', { composeId })).toMatchObject({
      composeStatus: 'running',
    });
    expect(await owner.mutate('compose.cleanQueues', { composeId })).toMatchObject({ composeStatus: 'idle' });
    expect(await owner.query('deployment.one', { deploymentId })).toMatchObject({ status: 'cancelled' });
    expect(await owner.mutate('compose.start', { composeId })).toMatchObject({ code: 'PRECONDITION_FAILED' });
    await composes.update({ composeId }, { liveDeploymentId: deploymentId });
    expect(await owner.mutate('compose.redeploy', { composeId })).toBe(true);
    expect(await deployments.list({ composeId, kind: 'redeploy' })).toMatchObject([
      { title: 'Rebuild deployment', status: 'queued' },
    ]);
    // After a release the engine decides what the status returns to.
    for (const call of ['compose.cleanQueues', 'compose.stop', 'compose.delete'])
      expect(await owner.mutate(call, { composeId })).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(await owner.query('compose.readLogs', { composeId })).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
  });

  it('are refused when they are saved for a key that nobody knows, with line and nearest', async () => {
    const world = await begin();
    const composeId = await create(world);
    const saved = (composeFile: string): Promise<unknown> =>
      world.owner.mutate('compose.update', { composeId, composeFile });
    for (const [composeFile, says] of [
      [
        'services:\n  db: {image: postgres}\n  web:\n    image: nginx\n    volums: [data:/data]\n',
        'line 5: services.web.volums is not a key that Berth supports. Did you mean volumes?',
      ],
      [
        'servces:\n  web: {image: nginx}\n',
        'line 1: servces is not a key that Berth supports. Did you mean services?',
      ],
      [
        'services:\n  web: {image: nginx, quite_else: 1}\n',
        'line 2: services.web.quite_else is not a key that',
      ],
      [
        'x-common: &common\n  imag: nginx\nservices:\n  web:\n    <<: *common\n',
        'composeFile: services.web.imag is not a key that Berth supports. Did you mean image?',
      ],
      [
        'services:\n  web:\n    image: nginx\n    network_mode: service:db\n',
        'line 4: services.web.network_mode would join it to another container',
      ],
    ] as const)
      expect(await saved(composeFile)).toMatchObject({
        code: 'BAD_REQUEST',
        fields: ['composeFile'],
        message: expect.stringContaining(says),
      });
    // What asks for nothing, does nothing, or depends on a variable, is a deployment's matter.
    expect(
      await saved(
        'x-a: 1\nservices:\n  web: {image: nginx, x-b: 1, devices: [], container_name: w}\n' +
          '  too: {image: nginx, pid: "${PID_MODE}"}\n',
      ),
    ).toMatchObject({ composeId });
  });

  it('are refused at once with service and key for what cannot be done, and for another server', async () => {
    const world = await begin();
    const { owner, database } = world;
    const composeId = await create(world);
    const refused = async (composeFile: string, env: string | null = null): Promise<unknown> => {
      const saved = await owner.mutate('compose.update', { composeId, composeFile, env });
      const isSaved = typeof saved === 'object' && saved !== null && 'composeId' in saved;
      return isSaved ? owner.mutate('compose.deploy', { composeId }) : saved;
    };
    for (const [composeFile, says] of [
      ['services:\n  web: {image: nginx, privileged: true}\n', 'services.web.privileged'],
      ['services:\n  web: {build: .}\n', 'services.web.build needs a repository'],
      ['services:\n  web: {image: "${IMAGE:?name it}"}\n', 'needs the variable IMAGE: name it'],
      [
        'services:\n  web: {image: nginx, environment: {A: "${{project.NONE}}"}}\n',
        'services.web.environment.A refers to ${{project.NONE}}',
      ],
      ['services: {}\n', 'no service'],
    ] as const)
      expect(await refused(composeFile)).toMatchObject({
        code: 'BAD_REQUEST',
        fields: ['composeFile'],
        message: expect.stringContaining(says),
      });
    expect(await refused('services:\n  web: {image: nginx}\n', 'A=${{project.NONE}}')).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['env'],
    });
    expect(
      await refused(
        'services:\n  web: {image: "nginx:${TAG}", environment: {A: "${{project.TEAM}}"}}\n',
        'TAG=1',
      ),
    ).toBe(true);
    await createStores(database).composes.update({ composeId }, { serverId: null, sourceType: 'git' });
    expect(await owner.mutate('compose.deploy', { composeId })).toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining('customGitUrl'),
    });
  });
});
