/** The addresses of webhooks, with an application that is deployed by them. */
import type { Database } from '../../../server/src/db/database.ts';
import type { ApplicationRecord } from '../../../server/src/db/tables.ts';
import { webhookContract } from '../../../server/src/modules/webhook/contract.ts';
import { webhookHandlers } from '../../../server/src/modules/webhook/handlers.ts';
import { router } from '../../../server/src/procedure/registry.ts';
import { addWebhookRoutes } from '../../../server/src/transport/webhook.ts';
import type { TestDatabase } from '../../store/each-database.ts';
import { createPreviewDesk, type PreviewDesk } from '../../store/preview-desk.ts';
import { worlds, type World } from './world.ts';

export interface WebhookWorld extends World {
  desk: PreviewDesk;
  application: ApplicationRecord;
  set(patch: Partial<ApplicationRecord>): Promise<void>;
  titles(): Promise<string[]>;
  post(
    path: string,
    body: unknown,
    headers?: Record<string, string>,
  ): Promise<{ status: number; body: unknown }>;
}

/** Gives a function that makes worlds with an application of GitHub and the addresses of webhooks. */
export function webhookWorlds(test: TestDatabase): () => Promise<WebhookWorld> {
  const createWorld = worlds(test);
  return async () => {
    let desk: PreviewDesk | undefined;
    const made = (database: Database): PreviewDesk => (desk ??= createPreviewDesk(database));
    const world = await createWorld(
      (database) => {
        return [
          router('webhook', webhookContract, webhookHandlers(made(database).previewing.webhooks.deliveries)),
        ];
      },
      {
        addRoutes: (app, toError) =>
          desk &&
          addWebhookRoutes(app, desk.previewing.webhooks, { kinds: ['application', 'compose'], toError }),
      },
    );
    const { applications, deployments } = made(world.database);
    const { applicationId } = world.place;
    const set = (patch: Partial<ApplicationRecord>): Promise<void> =>
      applications.patch(applicationId, patch);
    await set({
      sourceType: 'github',
      owner: 'acme',
      repository: 'shop',
      branch: 'main',
      buildType: 'dockerfile',
    });
    const application = await applications.find(applicationId);
    if (!application) throw new Error('The application is gone.');
    return {
      ...world,
      desk: made(world.database),
      application,
      set,
      titles: async () =>
        (await deployments.all({ kind: 'application', serviceId: applicationId })).map(({ title }) => title),
      async post(path, body, headers = {}) {
        const text = typeof body === 'string' ? body : JSON.stringify(body);
        const response = await fetch(`${world.server.url}/api/deploy/${path}`, {
          method: 'POST',
          body: text,
          headers: { 'content-type': 'application/json', ...headers },
        });
        return { status: response.status, body: await response.json() };
      },
    };
  };
}
