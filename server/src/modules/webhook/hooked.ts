/** Services that webhooks reach, whatever their kind. */
import type { ApplicationRecord, ComposeRecord } from '../../db/tables.ts';
import { AppError } from '../../domain/errors.ts';
import type { GitSourceFields } from '../../domain/git/git-host.ts';
import { applicationRef, composeRef, type ServiceRef } from '../../domain/names/service-ref.ts';
import type { WebhookStore } from './store.ts';

export type HookedKind = 'application' | 'compose';

export interface Hooked {
  ref: ServiceRef;
  organizationId: string;
  name: string;
  autoDeploy: boolean;
  webhookSecret: string | null;
  source: GitSourceFields;
  triggerType: string;
  watchPaths: readonly string[];
  /** Its record, whose pull requests may become previews. */
  previewed: ApplicationRecord | ComposeRecord;
}

/** The service of the token in its address. */
export async function findHooked(
  store: Pick<WebhookStore, 'application' | 'compose'>,
  kind: HookedKind,
  token: string,
): Promise<Hooked | undefined> {
  if (kind === 'application') {
    const found = await store.application(token);
    return found && hookedApplication(found);
  }
  const found = await store.compose(token);
  return found && composeHooked(found);
}

export function composeHooked(compose: ComposeRecord): Hooked {
  const ref = composeRef(compose.composeId);
  return { ...compose, webhookSecret: secretOf(compose), ref, source: compose, previewed: compose };
}

export function hookedApplication(application: ApplicationRecord): Hooked {
  const ref = applicationRef(application.applicationId);
  const webhookSecret = secretOf(application);
  return { ...application, webhookSecret, ref, source: application, previewed: application };
}

/** Everybody knows the empty one: what it signs is signed by nobody. */
const secretOf = ({ webhookSecret }: Pick<Hooked, 'webhookSecret'>): string | null => webhookSecret || null;

export function requireAutoDeploy({ autoDeploy, name }: Hooked): void {
  if (!autoDeploy) throw autoDeployOff(name);
}

export function autoDeployOff(names: string): AppError {
  return new AppError(
    'BAD_REQUEST',
    `autoDeploy of ${names} is off, so a push deploys nothing. Turn it on, or remove the webhook at the ` +
      'git host.',
  );
}
