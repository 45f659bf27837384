/** Routers of what services stand on: servers. */
import { contracts } from '../modules/contracts.ts';
import { serverHandlers } from '../modules/server/handlers.ts';
import { createServers } from '../modules/server/server.ts';
import { router, type Router } from '../procedure/registry.ts';
import type { AppParts } from './app-parts.ts';

export function infrastructureRouters({ stores, clock }: AppParts): Router[] {
  return [
    router('server', contracts.server, serverHandlers(createServers(stores.servers, clock))),
  ];
}
