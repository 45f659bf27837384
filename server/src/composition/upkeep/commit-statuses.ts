/** Statuses of commits at git hosts, joined with what is deployed. */
import { ownUrl } from '../../domain/access/own-host.ts';
import { createCommitStatusJob } from '../../modules/git-provider/commit-status.ts';
import { linkedSource } from '../../modules/git-provider/linked-source.ts';
import type { Ground } from '../ground.ts';
import type { Product } from '../product.ts';

export function commitStatusJobOf(
  { stores, config, log }: Pick<Ground, 'stores' | 'config' | 'log'>,
  { gitProviders, settings }: Pick<Product, 'gitProviders' | 'settings'>,
): ReturnType<typeof createCommitStatusJob> {
  return createCommitStatusJob({
    deployment: (deploymentId) => stores.deployments.find({ deploymentId }),
    linked: linkedSource(stores),
    api: gitProviders.api,
    domains: (owner) => stores.domains.list(owner, { by: ['createdAt', 'domainId'], direction: 'asc' }),
    url: async () => ownUrl((await settings.get()).host, config.url),
    warn: (sentence) => log.warn(sentence),
  });
}
