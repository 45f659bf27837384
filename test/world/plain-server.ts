import type { TableRecord } from '../../server/src/db/tables.ts';

/** A server of which nothing special is known, without what makes it this one. */
export const plainServer: Omit<
  TableRecord<'server'>,
  'serverId' | 'organizationId' | 'name' | 'createdAt'
> = {
  description: null,
  ipAddress: '203.0.113.7',
  port: 22,
  username: 'root',
  sshKeyId: null,
  serverType: 'deploy',
  status: 'active',
  hostKeyFingerprint: null,
  setupStatus: 'idle',
  setupStage: null,
  setupError: null,
  buildsConcurrency: 1,
  metricsConfig: null,
  metricsToken: null,
  trusted: false,
  clusterServerId: null,
  swarmNodeId: null,
  machineSince: null,
  baseDomain: null,
};
