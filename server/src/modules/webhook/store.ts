/** SQL of webhooks: which service a token stands for, which deliveries were answered, what came of them. */
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';
import type { ApplicationRecord, ComposeRecord, TableRecord } from '../../db/tables.ts';

export interface WebhookStore {
  application(refreshToken: string): Promise<ApplicationRecord | undefined>;
  compose(refreshToken: string): Promise<TableRecord<'compose'> | undefined>;
  /** Links to the GitHub App of this id, in every organization. */
  githubApps(appId: string): Promise<TableRecord<'git_provider'>[]>;
  /** Applications that name the link. */
  applicationsOf(gitProviderId: string, organizationId: string): Promise<ApplicationRecord[]>;
  /** Compose services that name the link, without previews. */
  composesOf(gitProviderId: string, organizationId: string): Promise<ComposeRecord[]>;
  hasDelivery(deliveryKey: string): Promise<boolean>;
  /** CONFLICT when it is there. */
  addDelivery(deliveryKey: string, receivedAt: string): Promise<void>;
  /** Forgets deliveries older than this time (ISO 8601). */
  prune(before: string): Promise<void>;
  transaction<T>(work: () => Promise<T>): Promise<T>;
}

export function createWebhookStore(database: Database): WebhookStore {
  const applications = tableStore(database, 'application');
  const composes = tableStore(database, 'compose');
  const links = tableStore(database, 'git_provider');
  const deliveries = tableStore(database, 'webhook_delivery');
  const old = sql`delete from "webhook_delivery" where "receivedAt" < ${''}`.compile(database.builder);
  return {
    application: (refreshToken) => applications.find({ refreshToken }),
    compose: (refreshToken) => composes.find({ refreshToken }),
    githubApps: (appId) =>
      links.list({ provider: 'github', appId }, { by: ['gitProviderId'], direction: 'asc' }),
    applicationsOf: (githubId, organizationId) =>
      applications.list({ githubId, organizationId }, { by: ['applicationId'], direction: 'asc' }),
    composesOf: async (githubId, organizationId) =>
      (await composes.list({ githubId, organizationId }, { by: ['composeId'], direction: 'asc' })).filter(
        ({ previewOf }) => previewOf === null,
      ),
    hasDelivery: async (deliveryKey) => (await deliveries.find({ deliveryKey })) !== undefined,
    addDelivery: (deliveryKey, receivedAt) => deliveries.insert({ deliveryKey, receivedAt }),
    prune: async (before) => void (await database.change(old, [before])),
    transaction: (work) => database.transaction(work),
  };
}

export type ReceiptRecord = TableRecord<'hook_delivery'>;

type Owner = Pick<ReceiptRecord, 'applicationId' | 'composeId'>;

export interface ReceiptStore extends TableStore<'hook_delivery'> {
  application(applicationId: string): Promise<ApplicationRecord | undefined>;
  compose(composeId: string): Promise<ComposeRecord | undefined>;
  /** Records why nothing came of a delivery that was queued. */
  noteSkipped(webhookDeliveryId: string, reason: string): Promise<void>;
  /** Removes all but the newest of a service. */
  prune(owner: Owner, keep: number): Promise<void>;
}

export function createReceiptStore(database: Database): ReceiptStore {
  const applications = tableStore(database, 'application');
  const composes = tableStore(database, 'compose');
  const receipts = tableStore(database, 'hook_delivery');
  return {
    ...receipts,
    noteSkipped: async (webhookDeliveryId, reason) =>
      void (await receipts.update({ webhookDeliveryId }, { outcome: 'skipped', reason })),
    application: (applicationId) => applications.find({ applicationId }),
    compose: (composeId) => composes.find({ composeId }),
    async prune({ applicationId, composeId }, keep) {
      const own =
        applicationId === null ? sql`"composeId" = ${composeId}` : sql`"applicationId" = ${applicationId}`;
      await database.change(
        sql`delete from "hook_delivery" where ${own} and "sequence" <= (
          select "sequence" from "hook_delivery" where ${own}
          order by "sequence" desc limit 1 offset ${keep})`.compile(database.builder),
      );
    },
  };
}
