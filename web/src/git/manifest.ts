/**
 * What a GitHub App for this Berth is to be (docs.github.com/apps, Registering a GitHub App from a
 * manifest).
 */
export interface Manifest {
  name: string;
  url: string;
  hook_attributes: { url: string; active: boolean };
  redirect_url: string;
  setup_url: string;
  public: boolean;
  default_permissions: Record<string, 'read' | 'write'>;
  default_events: readonly string[];
}

export const pagePath = '/connect-github';

/** `origin` is Berth's own address; a name at GitHub is nobody else's, so it ends in some letters. */
export const manifestOf = (origin: string, letters: string): Manifest => ({
  name: `Berth ${new URL(origin).hostname.slice(0, 20)} ${letters}`,
  url: origin,
  hook_attributes: { url: `${origin}/api/deploy/github`, active: true },
  redirect_url: `${origin}${pagePath}`,
  setup_url: `${origin}${pagePath}`,
  public: false,
  default_permissions: {
    metadata: 'read',
    contents: 'read',
    pull_requests: 'write',
    statuses: 'write',
    deployments: 'write',
  },
  default_events: ['push', 'pull_request'],
});

/** Where the manifest is posted: for one's own account, or for an organization. */
export const newAppAddress = (organization: string, state: string): string =>
  `https://github.com/${
    organization === '' ? 'settings' : `organizations/${encodeURIComponent(organization)}/settings`
  }/apps/new?state=${encodeURIComponent(state)}`;

/** Letters that nobody guesses; over plain http there is no randomUUID. */
export const randomLetters = (count: number): string =>
  [...crypto.getRandomValues(new Uint8Array(count))].map((one) => (one % 36).toString(36)).join('');
