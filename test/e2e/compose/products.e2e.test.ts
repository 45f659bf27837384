/** Files of products on a real engine: deployed as they are, and answering behind the proxy. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bedOfRun } from '../../bed/bed-of-run.ts';
import { ofThisRun } from '../../run/mode.ts';
import {
  applicationFixture,
  deploymentEnded,
  until,
  type ApplicationFixture,
} from '../fixtures/applications.ts';
import type { DeploymentView } from '../fixtures/berth-host.ts';
import { berthAt, type PlacedBerth } from '../fixtures/placed-berth.ts';
import { products } from './products.ts';

let berth: PlacedBerth;
let place: ApplicationFixture;

beforeAll(async () => {
  berth = await berthAt('own machine', await bedOfRun(), { name: 'products', index: 68 });
  place = await applicationFixture(berth, {});
});
afterAll(() => berth?.end());

it.each(ofThisRun(Object.entries(products), 5))(
  '%s runs from its file and answers',
  async (name, { file, env = '', files = {}, serviceName, port }) => {
    const { composeId } = await berth.call<{ composeId: string }>('compose.create', {
      name,
      appName: name,
      environmentId: place.environmentId,
    });
    await berth.call('compose.update', { composeId, env, createEnvFile: true });
    for (const [filePath, content] of Object.entries(files))
      await berth.call('mount.create', {
        composeId,
        type: 'file',
        filePath,
        mountPath: `/etc/${filePath}`,
        content,
      });
    expect(await berth.call('compose.check', { composeId, composeFile: file })).toMatchObject({
      isSavable: true,
      isDeployable: true,
    });
    await berth.call('compose.update', { composeId, composeFile: file });
    const host = `${name}.localhost`;
    await berth.call('domain.create', { composeId, domainType: 'compose', serviceName, host, port });
    await berth.call('compose.deploy', { composeId });
    const [newest] = await berth.call<DeploymentView[]>('deployment.all', { composeId });
    const { deploymentId, status, errorMessage } = await deploymentEnded(
      berth,
      name,
      newest?.deploymentId ?? '',
    );
    const log = (await berth.log(deploymentId)).join('\n');
    expect({ status, errorMessage, log }).toMatchObject({ status: 'done', errorMessage: null });
    await until(`${name} reaches its neighbours`, async () => (await berth.proxied(host, '/')).body === 'up');
    await berth.call('compose.delete', { composeId, deleteVolumes: true });
  },
  300_000,
);
