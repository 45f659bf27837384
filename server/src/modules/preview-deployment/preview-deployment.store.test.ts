import { expect, it } from 'vitest';
import type { Door } from '../../../../test/http/door.ts';
import { worlds, type World } from '../../../../test/http/world.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { createStores } from '../../composition/stores.ts';
import type { Database } from '../../db/database.ts';
import { systemClock } from '../../ports/clock.ts';
import { router } from '../../procedure/registry.ts';
import { createServiceNames } from '../service-name/service-name.ts';
import { createApplications } from '../application/application.ts';
import { previewDeploymentContract } from './contract.ts';
import { previewDeploymentHandlers } from './handlers.ts';
import { createPreviewDeployments } from './preview-deployment.ts';

eachDatabase('preview deployments', (test) => {
  const createWorld = worlds(test);
  const begin = (): Promise<World> => createWorld((database) => {
    const stores = createStores(database);
    const applications = createApplications(stores.applications, { localRepositoryPaths: async () => [], names: createServiceNames(stores.serviceNames), hasResolver: stores.domains.hasResolver }, systemClock);
    return [router('previewDeployment', previewDeploymentContract, previewDeploymentHandlers(createPreviewDeployments(stores.previewDeployments), { applications, changeRoutes: (write, change) => write(change) }))];
  });

  async function preview(database: Database, { organizationId, applicationId }: { organizationId: string; applicationId: string }, number: number): Promise<string> {
    const stores = createStores(database);
    const previewDeploymentId = `preview-${organizationId}-${number}`;
    const createdAt = `2026-01-01T00:00:0${number}.000Z`;
    await stores.previewDeployments.insert({ previewDeploymentId, organizationId, applicationId, branch: `feature-${number}`, pullRequestNumber: number, domain: `preview-${number}.example.com`, domainId: `domain-${number}`, status: 'running', createdAt });
    await stores.domains.insert({
      domainId: `domain-${organizationId}-${number}`, organizationId, host: `preview-${number}.example.com`, asciiHost: `${organizationId}-preview-${number}.example.com`, path: '/', port: 3000, https: false, certificateType: 'none', customCertResolver: null,
      applicationId: null, composeId: null, serviceName: null, domainType: 'preview', previewDeploymentId, internalPath: '/', stripPath: false, hstsMaxAge: null, requestHeaders: {}, maxBodyBytes: null, uniqueConfigKey: number + organizationId.length * 100, serverKey: 'local', createdAt,
    });
    return previewDeploymentId;
  }

  it('are listed newest first, read with their application, and deleted with their domain', async () => {
    const { owner, database, place, people } = await begin();
    const where = { organizationId: people.owner.organizationId, applicationId: place.applicationId };
    const [first, second] = [await preview(database, where, 1), await preview(database, where, 2)];
    const shown = (number: number, previewDeploymentId: string) => ({
      previewDeploymentId, applicationId: place.applicationId, branch: `feature-${number}`, pullRequestNumber: number, domain: `preview-${number}.example.com`, status: 'running', createdAt: `2026-01-01T00:00:0${number}.000Z`,
    });
    expect(await owner.query('previewDeployment.all', { applicationId: place.applicationId })).toEqual([shown(2, second), shown(1, first)]);
    expect(await owner.query('previewDeployment.all', { applicationId: place.applicationId, limit: 1 })).toEqual({ items: [shown(2, second)], nextCursor: second });
    expect(await owner.query('previewDeployment.one', { previewDeploymentId: first })).toEqual({
      ...shown(1, first), domainId: 'domain-1',
      application: expect.objectContaining({ applicationId: place.applicationId, environment: expect.objectContaining({ environmentId: place.environmentId, project: expect.objectContaining({ projectId: place.projectId, organizationId: people.owner.organizationId }) }) }),
    });
    expect(await owner.mutate('previewDeployment.delete', { previewDeploymentId: first })).toBe(true);
    expect(await owner.query('previewDeployment.one', { previewDeploymentId: first })).toMatchObject({ code: 'NOT_FOUND' });
    expect((await createStores(database).domains.list({ organizationId: people.owner.organizationId })).map(({ previewDeploymentId }) => previewDeploymentId)).toEqual([second]);
  });

  it('are not built yet, and say so', async () => {
    const { owner, database, place, people } = await begin();
    const previewDeploymentId = await preview(database, { organizationId: people.owner.organizationId, applicationId: place.applicationId }, 1);
    expect(await owner.mutate('previewDeployment.redeploy', { previewDeploymentId })).toMatchObject({ code: 'NOT_IMPLEMENTED' });
    expect(await owner.mutate('previewDeployment.redeploy', { previewDeploymentId, title: 'a\nb' })).toMatchObject({ code: 'BAD_REQUEST', fields: ['title'] });
  });

  it('are closed to nobody, members without access and other organizations', async () => {
    const { owner, member, stranger, nobody, database, place, people } = await begin();
    const { applicationId } = place;
    const previewDeploymentId = await preview(database, { organizationId: people.owner.organizationId, applicationId }, 1);
    const calls = (door: Door, id = previewDeploymentId): Promise<unknown>[] => [
      door.query('previewDeployment.one', { previewDeploymentId: id }), door.mutate('previewDeployment.redeploy', { previewDeploymentId: id }), door.mutate('previewDeployment.delete', { previewDeploymentId: id }),
    ];
    const all = (door: Door): Promise<unknown> => door.query('previewDeployment.all', { applicationId });
    for (const answer of await Promise.all([...calls(nobody), all(nobody)])) expect(answer).toMatchObject({ code: 'UNAUTHORIZED' });
    for (const door of [member, stranger]) for (const answer of await Promise.all([...calls(door), all(door)])) expect(answer).toMatchObject({ code: 'FORBIDDEN' });
    for (const answer of await Promise.all(calls(owner, 'nowhere'))) expect(answer).toMatchObject({ code: 'NOT_FOUND' });
    await people.grant({ accessedServices: [applicationId] });
    expect(await all(member)).toHaveLength(1);
    expect(await member.query('previewDeployment.one', { previewDeploymentId })).toMatchObject({ previewDeploymentId });
  });
});
