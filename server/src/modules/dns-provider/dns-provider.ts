/** DNS providers as records: their settings checked, their credentials kept. */
import type { Standing } from '../../domain/access/permissions.ts';
import { AppError } from '../../domain/errors.ts';
import { isoTime, randomId, type Clock } from '../../ports/clock.ts';
import { asSettings, kindSettings } from '../../procedure/input/kind-settings.ts';
import { dnsKindNames, dnsKinds, type DnsKind } from './kinds/kinds.ts';
import { perDnsKind } from './record.ts';
import type { DnsProviderRecord, DnsProviderStore } from './store.ts';

/** A provider without its credential. */
export type PublicDnsProvider = Omit<DnsProviderRecord, 'settings' | 'organizationId' | 'kind'> & {
  kind: DnsKind;
  rights: string;
} & Record<DnsKind, Record<string, unknown> | null>;

export interface DnsProviderInput {
  name?: string | undefined;
  /** Settings by the name of a kind. */
  [kind: string]: unknown;
}

export interface DnsProviders {
  create(
    organizationId: string,
    input: DnsProviderInput & { name: string; kind: DnsKind },
  ): Promise<PublicDnsProvider>;
  one(dnsProviderId: string, organizationId: string): Promise<PublicDnsProvider>;
  /** Newest first. */
  all(organizationId: string): Promise<PublicDnsProvider[]>;
  update(dnsProviderId: string, organizationId: string, input: DnsProviderInput): Promise<PublicDnsProvider>;
  /** PRECONDITION_FAILED while certificates are renewed by it. */
  remove(dnsProviderId: string, organizationId: string): Promise<PublicDnsProvider>;
  /** The record with its credential. */
  found(dnsProviderId: string, organizationId: string): Promise<DnsProviderRecord>;
}

/** Number of DNS providers that an organization may have. */
export const mostProviders = 50;

const settingsOfKinds = kindSettings(dnsKinds, dnsKindNames, 'kind');

/** Whether a program of Berth's machine changes the provider; it sets the records of challenges alone. */
export const isByProgram = (provider: Pick<DnsProviderRecord, 'kind'>): boolean =>
  dnsKinds[dnsKindOf(provider)].program !== undefined;

/** FORBIDDEN for an organization that may not have programs of Berth's machine run with its settings. */
export type MayRunPrograms = (organizationId: string) => Promise<void>;

export function createMayRunPrograms(
  standing: (organizationId: string) => Promise<Standing>,
): MayRunPrograms {
  return async (organizationId) => {
    if ((await standing(organizationId)) === 'installation') return;
    throw new AppError(
      'FORBIDDEN',
      'kind: lego runs on the machine of Berth and reaches what it likes from there, past the rules for ' +
        "addresses that tenants name, so only the installation's own organization may use it. Use another " +
        'kind, or let a CNAME of the _acme-challenge name lead to a zone of a provider that has one.',
    );
  };
}

export function createDnsProviders(
  store: DnsProviderStore,
  clock: Clock,
  mayRunPrograms: MayRunPrograms,
): DnsProviders {
  const checked = async (organizationId: string, kind: DnsKind): Promise<void> => {
    if (dnsKinds[kind].program) await mayRunPrograms(organizationId);
  };
  const found: DnsProviders['found'] = async (dnsProviderId, organizationId) => {
    const record = await store.find({ dnsProviderId, organizationId });
    if (!record) throw new AppError('NOT_FOUND', 'There is no such DNS provider. It may have been removed.');
    return record;
  };
  return {
    found,
    async create(organizationId, { kind, name, ...input }) {
      await checked(organizationId, kind);
      await requireRoom(store, organizationId);
      const settings = JSON.stringify(settingsOfKinds.given(kind, input));
      const record = newRecord(clock, { organizationId, name, kind, settings });
      await store.insert(record);
      return shown(record);
    },
    one: async (dnsProviderId, organizationId) => shown(await found(dnsProviderId, organizationId)),
    async all(organizationId) {
      const records = await store.list(
        { organizationId },
        { by: ['createdAt', 'dnsProviderId'], direction: 'desc' },
      );
      return records.map(shown);
    },
    async update(dnsProviderId, organizationId, { name, ...input }) {
      const present = await found(dnsProviderId, organizationId);
      await checked(organizationId, dnsKindOf(present));
      const settings = JSON.stringify(
        settingsOfKinds.changed(dnsKindOf(present), settingsOf(present), input),
      );
      const record = { ...present, name: name ?? present.name, settings };
      await store.update({ dnsProviderId, organizationId }, { name: record.name, settings });
      return shown(record);
    },
    async remove(dnsProviderId, organizationId) {
      const record = await found(dnsProviderId, organizationId);
      const uses = await store.uses(dnsProviderId);
      if (uses.length > 0) throw inUse(record.name, uses);
      const names = await store.recordNames(dnsProviderId);
      if (names.length > 0) throw hasRecords(record.name, names);
      await store.challenges.remove({ dnsProviderId });
      await store.remove({ dnsProviderId, organizationId });
      return shown(record);
    },
  };
}

function newRecord(
  clock: Clock,
  given: Pick<DnsProviderRecord, 'organizationId' | 'name' | 'kind' | 'settings'>,
): DnsProviderRecord {
  return {
    ...given,
    dnsProviderId: randomId(),
    lastUsedAt: null,
    lastError: null,
    lastErrorAt: null,
    createdAt: isoTime(clock),
  };
}

async function requireRoom(store: DnsProviderStore, organizationId: string): Promise<void> {
  const present = await store.list({ organizationId });
  if (present.length < mostProviders) return;
  throw new AppError(
    'CONFLICT',
    `This organization has ${present.length} DNS providers, and ${mostProviders} is the maximum. Remove ` +
      'one first.',
  );
}

const shownUses = 5;

function listed(uses: readonly string[]): string {
  const others = uses.length - shownUses;
  return `${uses.slice(0, shownUses).join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
}

function inUse(name: string, uses: readonly string[]): AppError {
  return new AppError(
    'PRECONDITION_FAILED',
    `The DNS provider ${name} renews the certificates ${listed(uses)}. Remove their certificate orders ` +
      'first; the certificates stay until they expire.',
  );
}

function hasRecords(name: string, names: readonly string[]): AppError {
  return new AppError(
    'PRECONDITION_FAILED',
    `Berth has set records of ${listed(names)} at the DNS provider ${name}, and could not remove them ` +
      'without it. Remove their domains first, or the records alone by domain.planRecords with remove.',
  );
}

/** A kind as it was stored. */
export function dnsKindOf({ kind }: Pick<DnsProviderRecord, 'kind'>): DnsKind {
  const known = dnsKindNames.find((name) => name === kind);
  if (known === undefined)
    throw new AppError('INTERNAL_SERVER_ERROR', `This Berth has no kind of DNS provider named ${kind}.`);
  return known;
}

export function settingsOf({ settings }: Pick<DnsProviderRecord, 'settings'>): Record<string, unknown> {
  return asSettings(JSON.parse(settings));
}

function shown(record: DnsProviderRecord): PublicDnsProvider {
  const { settings: _secret, organizationId: _own, ...rest } = record;
  const own = dnsKindOf(record);
  const settings = dnsKinds[own].shown.parse(settingsOf(record));
  return {
    ...rest,
    kind: own,
    rights: dnsKinds[own].rights,
    ...perDnsKind((kind) => (kind === own ? settings : null)),
  };
}
