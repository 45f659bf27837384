/** The records of log drains: create, change, remove. */
import { AppError, badField } from '../../domain/errors.ts';
import { isoTime, randomId, type Clock } from '../../ports/clock.ts';
import { originOf } from './address.ts';
import type { DrainType } from './record.ts';
import type { LogDrainRecord, LogDrainStore } from './store.ts';

/** A drain without its password. */
export type PublicLogDrain = Omit<
  LogDrainRecord,
  'password' | 'organizationId' | 'leaseHolder' | 'leaseUntil'
>;

export interface LogDrainInput {
  name?: string | undefined;
  address?: string | undefined;
  projectId?: string | null | undefined;
  username?: string | null | undefined;
  password?: string | null | undefined;
  enabled?: boolean | undefined;
}

export interface LogDrains {
  create(
    organizationId: string,
    input: LogDrainInput & { name: string; type: DrainType; address: string },
  ): Promise<PublicLogDrain>;
  one(logDrainId: string, organizationId: string): Promise<PublicLogDrain>;
  /** Newest first. */
  all(organizationId: string): Promise<PublicLogDrain[]>;
  update(logDrainId: string, organizationId: string, input: LogDrainInput): Promise<PublicLogDrain>;
  remove(logDrainId: string, organizationId: string): Promise<PublicLogDrain>;
  /** The record with its password. */
  found(logDrainId: string, organizationId: string): Promise<LogDrainRecord>;
}

/** Number of log drains that an organization may have. */
export const mostDrains = 10;

export function createLogDrains(store: LogDrainStore, clock: Clock): LogDrains {
  const found: LogDrains['found'] = async (logDrainId, organizationId) => {
    const record = await store.find({ logDrainId, organizationId });
    if (!record) throw new AppError('NOT_FOUND', 'There is no such log drain. It may have been removed.');
    return record;
  };
  return {
    found,
    async create(organizationId, { name, type, address, projectId, username, password, enabled }) {
      await requireRoom(store, organizationId);
      const record: LogDrainRecord = {
        logDrainId: randomId(),
        organizationId,
        projectId: projectId ?? null,
        name,
        type,
        address,
        username: username ?? null,
        password: password ?? null,
        enabled: enabled ?? true,
        sent: 0,
        dropped: 0,
        lastSentAt: null,
        lastError: null,
        lastErrorAt: null,
        leaseHolder: null,
        leaseUntil: 0,
        createdAt: isoTime(clock),
      };
      check(record);
      await store.insert(record);
      return shown(record);
    },
    one: async (logDrainId, organizationId) => shown(await found(logDrainId, organizationId)),
    async all(organizationId) {
      const records = await store.list(
        { organizationId },
        { by: ['createdAt', 'logDrainId'], direction: 'desc' },
      );
      return records.map(shown);
    },
    async update(logDrainId, organizationId, input) {
      const present = await found(logDrainId, organizationId);
      const next = changed(present, input);
      const { sent: _sent, dropped: _dropped, leaseHolder: _by, leaseUntil: _until, ...change } = next;
      await store.update({ logDrainId, organizationId }, change);
      return shown(next);
    },
    async remove(logDrainId, organizationId) {
      const record = await found(logDrainId, organizationId);
      await store.remove({ logDrainId, organizationId });
      return shown(record);
    },
  };
}

/** Absent fields keep their value; a stored password is not sent to another host than it was given for. */
function changed(present: LogDrainRecord, input: LogDrainInput): LogDrainRecord {
  const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
  const next: LogDrainRecord = { ...present, ...given };
  check(next);
  const [before, after] = [originOf(present), originOf(next)];
  if (before !== after && present.password !== null && input.password === undefined)
    throw badField(
      'password',
      `is required with another address: the stored one was given for ${before}, not for ${after}`,
    );
  return next;
}

async function requireRoom(store: LogDrainStore, organizationId: string): Promise<void> {
  const present = await store.list({ organizationId });
  if (present.length < mostDrains) return;
  throw new AppError(
    'CONFLICT',
    `This organization has ${present.length} log drains, and ${mostDrains} are the most. Remove one first.`,
  );
}

function check(record: LogDrainRecord): void {
  originOf(record);
  const { type, username, password } = record;
  if (type !== 'loki' && (username !== null || password !== null))
    throw badField(username === null ? 'password' : 'username', 'must be absent: syslog has no sign-in');
  if ((username === null) !== (password === null))
    throw badField(username === null ? 'username' : 'password', 'is required beside the other of the two');
}

function shown({
  password: _secret,
  organizationId: _own,
  leaseHolder: _by,
  leaseUntil: _until,
  ...rest
}: LogDrainRecord): PublicLogDrain {
  return rest;
}
