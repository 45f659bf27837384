import type { RouteAccount } from '../../ports/proxy.ts';

/**
 * The sign-in that stands before everything else of a route: the route's other handlers run only for whoever
 * passed it. Caddy compares an unknown name with a hash too, so that names cannot be found by time, and
 * remembers what it compared, since a bcrypt check of each request would cost 50 ms.
 */
export function signIn(accounts: readonly RouteAccount[]) {
  if (accounts.length === 0) return [];
  const known = accounts.map(({ username, passwordHash }) => ({
    username,
    password: Buffer.from(passwordHash).toString('base64'),
  }));
  return [
    {
      handler: 'authentication',
      providers: {
        http_basic: { hash: { algorithm: 'bcrypt' }, hash_cache: {}, realm: 'Restricted', accounts: known },
      },
    },
  ];
}
