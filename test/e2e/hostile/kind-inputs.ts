/** Inputs of procedures whose settings stand under the name of a kind. */
import type { Fixtures } from '../fixtures/one-of-everything.ts';
import { dnsKindNames, dnsKinds } from '../../../server/src/modules/dns-provider/kinds/kinds.ts';
import { channelNames, channels } from '../../../server/src/modules/notification/channels/channels.ts';
import type { TextField } from './input-fields.ts';

const only = (kind: string, example: object): object =>
  Object.fromEntries([
    ['rfc2136', null],
    [kind, example],
  ]);

const definition = {
  name: 'shop',
  title: 'Shop',
  description: 'A shop',
  website: 'https://shop.example',
  service: 'web',
  port: 80,
  domains: [{ name: 'api', service: 'web', port: 81 }],
  firstSignIn: 'Nobody signs in.',
  instructions: 'Open it.',
  files: [{ path: 'conf/app.toml', content: 'a = 1' }],
  variables: [{ name: 'TOKEN', description: 'A token', value: 'x', message: 'A token' }],
  file: 'services: {web: {image: "nginx:1"}}',
};

const sftp = {
  provider: 'sftp',
  endpoint: 'sftp://someone@127.0.0.1:1/backups',
  secretAccessKey: 'a-password-of-its-own',
};

/** The settings of the kind that a field belongs to; those of another are refused unread. */
export function settingsOfKind(
  path: string,
  { path: [name] }: TextField,
  { postgresId }: Fixtures,
): Record<string, unknown> | undefined {
  if (name === 'previewDatabases') return { previewDatabases: [{ databaseId: postgresId, from: 'empty' }] };
  const channel = channelNames.find((each) => each === name);
  if (path === 'notification.create')
    return channel && { channel, webhook: null, [channel]: channels[channel].example };
  const kind = dnsKindNames.find((each) => each === name);
  if (path === 'template.create' && name === 'definition')
    return { template: undefined, host: undefined, definition };
  if (path.startsWith('destination.') && name === 'hostKey') return sftp;
  if (path === 'dnsProvider.create') return kind && { kind, ...only(kind, dnsKinds[kind].example) };
  return undefined;
}

/** These ask a server. */
export const measuresServer: readonly string[] = [
  'server.setupMonitoring',
  'server.getServerMetrics',
  'server.metrics',
  'cluster.nodes',
];
