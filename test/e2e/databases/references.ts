/** Applications that refer to databases, on a real engine and a real server. */
import { expect, it } from 'vitest';
import { deploymentEnded, until } from '../fixtures/applications.ts';
import type { DatabaseFixture } from './database-fixture.ts';

interface Shown {
  pendingChanges: string[];
  live: { deploymentId: string; running: number } | null;
  deployments: { deploymentId: string }[];
}

export function referenceTests(databases: () => DatabaseFixture): void {
  it.concurrent('an application reaches a database by a reference, and follows its password', async () => {
    const { berth, environmentId } = databases();
    const base = await databases().database('postgres', 'referred', { name: 'The store' });
    await base.deploy();
    const { applicationId } = await berth.call<{ applicationId: string }>('application.create', {
      name: 'referring',
      environmentId,
    });
    await berth.call('application.saveContainerProvider', {
      applicationId,
      containerImage: 'berth/postgres:15',
    });
    await berth.call('application.update', {
      applicationId,
      command: 'sleep 100000',
      env: 'DATABASE_URL=${{The store.URL}}',
      healthCheck: { command: ['true'] },
    });
    const shown = (): Promise<Shown> => berth.call('application.one', { applicationId });
    const deploy = async (): Promise<void> => {
      await berth.call('application.deploy', { applicationId });
      const [newest] = (await shown()).deployments;
      expect(await deploymentEnded(berth, 'referring', newest?.deploymentId ?? '')).toMatchObject({
        status: 'done',
      });
    };
    const ask = async (): Promise<unknown> => {
      const command = ['sh', '-c', 'psql -X -tA -c "select 40 + 2" "$DATABASE_URL"'];
      const { log } = await berth.call<{ log: { text: string }[] }>('application.run', {
        applicationId,
        command,
      });
      return log.map(({ text }) => text).join();
    };
    await deploy();
    expect(await ask()).toContain('42');
    expect((await shown()).pendingChanges).toEqual([]);
    await base.do('update', { databasePassword: 'Other-2' });
    expect((await shown()).pendingChanges).toEqual(['env', 'env.DATABASE_URL']);
    expect(await ask()).toContain('authentication failed');
    await deploy();
    expect(await ask()).toContain('42');
    const { deployments } = await shown();
    await until('what runs is seen', async () => {
      const { live } = await shown();
      return live?.running === 1 && live.deploymentId === deployments[0]?.deploymentId;
    });
    await until('so is the database', async () => {
      const { live } = (await base.view()) as unknown as Pick<Shown, 'live'>;
      return live?.running === 1;
    });
  });
}
