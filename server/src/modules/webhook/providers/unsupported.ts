/** Git hosts whose webhooks Berth does not read, refused by name. */
import { AppError } from '../../../domain/errors.ts';
import type { Delivery } from '../delivery.ts';

/** Hosts whose deliveries carry a header of another host, or one of their own, and cannot be read. */
const unsupported: readonly { name: string; is(headers: Delivery['headers']): boolean }[] = [
  { name: 'Gogs', is: (headers) => headers['x-gogs-event'] !== undefined },
  { name: 'Gitee', is: (headers) => headers['x-gitee-event'] !== undefined },
  {
    name: 'Bitbucket Data Center',
    is: (headers) => /^(?:repo:refs_changed|mirror:|pr:)/.test(headers['x-event-key'] ?? ''),
  },
  { name: 'Azure DevOps', is: (headers) => headers['x-vss-activityid'] !== undefined },
];

/** Throws BAD_REQUEST naming a git host whose webhooks Berth does not read. */
export function refuseUnsupported({ headers }: Delivery): void {
  // Forgejo and Gitea send the headers of Gogs besides their own.
  if (headers['x-gitea-event'] !== undefined) return;
  const host = unsupported.find(({ is }) => is(headers));
  if (host)
    throw new AppError(
      'BAD_REQUEST',
      `Berth does not read the webhooks of ${host.name}. Let a job there call this address without a body ` +
        'after each push, or mirror the repository to GitHub, GitLab, Gitea, Forgejo or Bitbucket Cloud.',
    );
}
