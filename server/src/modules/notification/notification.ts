/** Channels as records: their settings checked, their secrets kept. */
import { AppError, badField } from '../../domain/errors.ts';
import { factEventOf, type FactEvent } from '../../domain/states/fact.ts';
import { isoTime, randomId, type Clock } from '../../ports/clock.ts';
import { channelNames, channels, type ChannelName } from './channels/channels.ts';
import { perChannel } from './record.ts';
import type { NotificationRecord, NotificationStore } from './store.ts';

type Settings = Record<string, unknown>;

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
        settings: JSON.stringify(givenSettings(channel, input)),
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
        settings: JSON.stringify(changedSettings(present, input)),
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

function givenSettings(channel: ChannelName, input: NotificationInput): Settings {
  refuseOthers(channel, input);
  const given = asSettings(input[channel]);
  if (Object.keys(given).length === 0)
    throw badField(channel, `is required: the settings of the channel ${channel}`);
  channels[channel].check(given, channel);
  return given;
}

/** Absent fields stay, null clears; secrets go nowhere that they were not given for. */
function changedSettings(present: NotificationRecord, input: NotificationInput): Settings {
  const name = channelOf(present);
  refuseOthers(name, input);
  const changes = asSettings(input[name]);
  const former = settingsOf(present);
  const { input: schema, origin, check, secrets } = channels[name];
  const next = schema.safeParse(
    Object.fromEntries(
      Object.entries({ ...former, ...withoutAbsent(changes) }).filter(([, value]) => value !== null),
    ),
  );
  if (!next.success) {
    const [issue] = next.error.issues;
    throw badField(`${name}.${issue?.path.join('.') ?? ''}`, issue?.message ?? 'is not valid');
  }
  check(next.data, name);
  const moved = secrets.find((secret) => isKept(secret, former, changes));
  const [before, after] = [origin(former), origin(next.data)];
  if (before !== after && moved !== undefined)
    throw badField(
      `${name}.${moved}`,
      `is required with another address: the stored one was given for ${before}, not for ${after}`,
    );
  return next.data;
}

const isKept = (secret: string, former: Settings, changes: Settings): boolean =>
  Boolean(former[secret]) && changes[secret] === undefined;

function refuseOthers(channel: ChannelName, input: NotificationInput): void {
  const other = channelNames.find(
    (name) => name !== channel && input[name] !== undefined && input[name] !== null,
  );
  if (other !== undefined) throw badField(other, `must be absent: the channel is ${channel}`);
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

function withoutAbsent(settings: Settings): Settings {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

function asSettings(value: unknown): Settings {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}
