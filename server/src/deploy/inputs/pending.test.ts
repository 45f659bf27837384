import { expect, it } from 'vitest';
import type { TableRecord } from '../../db/tables.ts';
import { newApplication } from '../../modules/application/defaults.ts';
import { applicationInputs } from './application-inputs.ts';
import { createPending } from './pending.ts';

const port = (portId: string, protocol: 'tcp' | 'udp', publishedPort = 53): TableRecord<'port'> => ({
  portId,
  organizationId: 'o',
  applicationId: 'a',
  publishedPort,
  targetPort: 53,
  protocol,
  publishMode: 'host',
  serverKey: 'local',
  createdAt: '',
});

it('ports of one number are compared in the order in which a release reads them', async () => {
  const application = newApplication({
    applicationId: 'a',
    organizationId: 'o',
    environmentId: 'e',
    name: 'Names',
    appName: 'names',
    description: '',
    refreshToken: '',
    createdAt: '',
  });
  // PostgreSQL sorts by the rules of a language, which put small letters first.
  const ports = [port('aa', 'udp'), port('BB', 'tcp')];
  const none = { env: {}, buildArguments: {}, buildSecrets: {} };
  const inputs = applicationInputs(application, none, { mounts: [], ports, registry: null });
  const blocks = { project: '', environment: '' };
  const pending = createPending(
    {
      ofService: async () => inputs,
      ofCompose: async () => undefined,
      ofOne: async () => undefined,
      forget: () => undefined,
    },
    {
      application: {
        envBlocks: async () => blocks,
        mounts: async () => [],
        ports: async () => ports,
        registryFacts: async () => null,
      },
      database: { envBlocks: async () => blocks, mounts: async () => [] },
      compose: { envBlocks: async () => blocks, mounts: async () => [] },
    },
    (_key, _records, read) => read(),
  );
  const page = (read: TableRecord<'port'>[]): Promise<string[]> =>
    pending.application(application, { variables: blocks, mounts: [], ports: read });
  expect(await pending.application(application)).toEqual([]);
  expect(await page(ports.toReversed())).toEqual([]);
  expect(await page([port('BB', 'tcp')])).toEqual(['ports']);
});
