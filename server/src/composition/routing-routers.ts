/** Routers of what the proxy does with requests besides finding their service: redirects, sign-in. */
import { originsOf } from '../modules/redirect/redirect-loop.ts';
import { basicAuthHandlers } from '../modules/basic-auth/handlers.ts';
import { createBasicAuths } from '../modules/basic-auth/basic-auth.ts';
import { contracts } from '../modules/contracts.ts';
import { redirectHandlers } from '../modules/redirect/handlers.ts';
import { createRedirects } from '../modules/redirect/redirect.ts';
import { router, type Router } from '../procedure/registry.ts';
import type { AppParts } from './services/app-parts.ts';

export function routingRouters({
  stores,
  clock,
  reconciler,
}: Pick<AppParts, 'stores' | 'clock' | 'reconciler'>): Router[] {
  const desk = { serverOf: stores.ports.serverKeyOf, changeRoutes: reconciler.changeRoutes };
  return [
    router(
      'redirect',
      contracts.redirect,
      redirectHandlers(createRedirects(stores.redirects, clock, originsOf(stores.domains)), desk),
    ),
    router(
      'basicAuth',
      contracts.basicAuth,
      basicAuthHandlers(createBasicAuths(stores.basicAuths, clock), desk),
    ),
  ];
}
