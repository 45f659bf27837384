/** Channels as records: their settings checked, their secrets kept. */
import { AppError } from '../../domain/errors.ts';
import { factEventOf, type FactEvent } from '../../domain/states/fact.ts';
import { isoTime, randomId, type Clock } from '../../ports/clock.ts';
import { asSettings, kindSettings, type Settings } from '../../procedure/input/kind-settings.ts';
import { channelNames, channels, type ChannelName } from './channels/channels.ts';
import { perChannel } from './record.ts';
import type { NotificationRecord, NotificationStore } from './store.ts';

/** A channel without its secrets. */
export type PublicNotification = Pick<
  NotificationRecord,
  'notificationId' | 'name' | 'enabled' | 'lastSentAt' | 'lastError' | 'lastErrorAt' | 'createdAt'
> & { channel: ChannelName; events: FactEvent[]; waiting: number } & Record<
    ChannelName,
    Record<string, unknown> | null
  >;

export interface NotificationInput {
  name?: string | undefined;
  events?: readonly string[] | undefined;
  enabled?: boolean | undefined;
  /** Settings by the name of a channel. */
  [channel: string]: unknown;
}

export interface Notifications {
  create(
    organizationId: string,
    input: NotificationInput & { name: string; channel: ChannelName; events: readonly string[] },
  ): Promise<PublicNotification>;
  one(notificationId: string, organizationId: string): Promise<PublicNotification>;
  /** Newest first. */
  all(organizationId: string): Promise<PublicNotification[]>;
  update(
    notificationId: string,
    organizationId: string,
    input: NotificationInput,
  ): Promise<PublicNotification>;
  remove(notificationId: string, organizationId: string): Promise<PublicNotification>;
  /** The record with its secrets. */
  found(notificationId: string, organizationId: string): Promise<NotificationRecord>;
}

const channelSettings = kindSettings(channels, channelNames, 'channel');

const unused = { lastSentAt: null, lastError: null, lastErrorAt: null, leaseHolder: null, leaseUntil: 0 };

export function createNotifications(store: NotificationStore, clock: Clock): Notifications {
  const found: Notifications['found'] = async (notificationId, organizationId) => {
    const record = await store.find({ notificationId, organizationId });
    if (!record)
      throw new AppError('NOT_FOUND', 'There is no such notification channel. It may have been removed.');
    return record;
  };
  const shownOf = async (record: NotificationRecord): Promise<PublicNotification> =>
    shown(record, await store.waitingIn(record.organizationId));

  return {
    found,
    async create(organizationId, { channel, ...input }) {
      await requireRoom(store, organizationId);
      const record: NotificationRecord = {
        ...unused,
        notificationId: randomId(),
        organizationId,
        name: input.name,
        channel,
        enabled: input.enabled ?? true,
        events: [...new Set(input.events)],
        settings: JSON.stringify(channelSettings.given(channel, input)),
        createdAt: isoTime(clock),
      };
      await store.insert(record);
      return shownOf(record);
    },
    one: async (notificationId, organizationId) => shownOf(await found(notificationId, organizationId)),
    async all(organizationId) {
      const records = await store.list(
        { organizationId },
        { by: ['createdAt', 'notificationId'], direction: 'desc' },
      );
      const waiting = await store.waitingIn(organizationId);
      return records.map((record) => shown(record, waiting));
    },
    async update(notificationId, organizationId, input) {
      const present = await found(notificationId, organizationId);
      const record: NotificationRecord = {
        ...present,
        name: input.name ?? present.name,
        enabled: input.enabled ?? present.enabled,
        events: input.events ? [...new Set(input.events)] : present.events,
        settings: JSON.stringify(channelSettings.changed(channelOf(present), settingsOf(present), input)),
      };
      await store.update({ notificationId, organizationId }, record);
      if (!record.enabled) await store.deliveries.remove({ notificationId, state: 'queued' });
      return shownOf(record);
    },
    async remove(notificationId, organizationId) {
      const record = await shownOf(await found(notificationId, organizationId));
      await store.deliveries.remove({ notificationId });
      await store.remove({ notificationId, organizationId });
      return record;
    },
  };
}

/** Of one organization. */
export const mostChannels = 50;

async function requireRoom(store: NotificationStore, organizationId: string): Promise<void> {
  const present = await store.list({ organizationId });
  if (present.length < mostChannels) return;
  throw new AppError(
    'CONFLICT',
    `This organization has ${present.length} notification channels, and ${mostChannels} is the maximum. ` +
      'Remove one, or add the events to an existing one.',
  );
}

/** A channel's name as it was stored. */
export function channelOf({ channel }: Pick<NotificationRecord, 'channel'>): ChannelName {
  const found = channelNames.find((name) => name === channel);
  if (found === undefined)
    throw new AppError('INTERNAL_SERVER_ERROR', `This Berth has no notification channel ${channel}.`);
  return found;
}

export function settingsOf({ settings }: Pick<NotificationRecord, 'settings'>): Settings {
  return asSettings(JSON.parse(settings));
}

function shown(record: NotificationRecord, waiting: ReadonlyMap<string, number>): PublicNotification {
  const {
    settings: _secret,
    organizationId: _own,
    leaseHolder: _by,
    leaseUntil: _until,
    events,
    ...rest
  } = record;
  const channel = channelOf(record);
  const settings = channels[channel].shown.parse(settingsOf(record));
  return {
    ...rest,
    channel,
    events: events.map(factEventOf),
    ...perChannel((name) => (name === channel ? settings : null)),
    waiting: waiting.get(record.notificationId) ?? 0,
  };
}
