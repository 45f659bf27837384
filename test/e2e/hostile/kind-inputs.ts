/** Inputs of procedures whose settings stand under the name of a kind. */
import { dnsKindNames, dnsKinds } from '../../../server/src/modules/dns-provider/kinds/kinds.ts';
import { channelNames, channels } from '../../../server/src/modules/notification/channels/channels.ts';
import type { TextField } from './input-fields.ts';

const only = (kind: string, example: object): object =>
  Object.fromEntries([
    ['rfc2136', null],
    [kind, example],
  ]);

/** The settings of the kind that a field belongs to; those of another are refused unread. */
export function settingsOfKind(
  path: string,
  { path: [name] }: TextField,
): Record<string, unknown> | undefined {
  const channel = channelNames.find((each) => each === name);
  if (path === 'notification.create')
    return channel && { channel, webhook: null, [channel]: channels[channel].example };
  const kind = dnsKindNames.find((each) => each === name);
  if (path === 'dnsProvider.create') return kind && { kind, ...only(kind, dnsKinds[kind].example) };
  return undefined;
}
