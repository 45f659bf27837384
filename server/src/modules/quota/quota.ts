/**
 * How much of the installation an organization may use, set by the installation's Owner; without a quota as
 * much as there is (decisions 2). What is there already stays when a quota becomes smaller; nothing grows.
 * Organizations that share a quota are counted together.
 */
import { AppError } from '../../domain/errors.ts';
import { parseCpus, parseMemory } from '../../domain/resources/resources.ts';
import { holderOf, withinRecords } from './counted-records.ts';
import type { QuotaRecord, QuotaStore, ServiceResources } from './store.ts';

/** Null: no limit. CPU in billionths of a core, sizes in bytes. */
export type Quota = Omit<QuotaRecord, 'organizationId'>;

export type QuotaPatch = { [K in keyof Quota]?: Quota[K] | undefined };

export type Used = { [K in keyof Quota]: number };

export interface QuotaView {
  organizationId: string;
  /** How many organizations are counted together. */
  sharedBy: number;
  quota: Quota;
  used: Used;
}

/** What one service takes when it runs: all of its replicas together; undefined where it has no limit. */
export interface Taken {
  serviceId: string;
  name: string;
  nanoCpus: number | undefined;
  memoryBytes: number | undefined;
}

export interface Quotas {
  view(organizationId: string): Promise<QuotaView>;
  /** The organization that has the quota which this one counts in. */
  payer(organizationId: string): Promise<string>;
  /** Absent limits stay; null takes one away. PRECONDITION_FAILED for one that shares another's quota. */
  set(organizationId: string, patch: QuotaPatch): Promise<QuotaView>;
  /**
   * A change inside the caller's transaction; CONFLICT with both numbers when it would take more than the
   * organization may have.
   */
  within<T>(organizationId: string, work: () => Promise<T>): Promise<T>;
  /**
   * CONFLICT when this service would not fit beside the organization's others, or has no limit where one is
   * needed. Until the deployment ends, others find it taken. `look` counts what is left on the server, and is
   * asked where there is a limit.
   */
  requireRoom(
    organizationId: string,
    taken: Taken,
    deploymentId: string,
    look?: () => Promise<void>,
  ): Promise<void>;
  /**
   * The same for a command that runs once: `begin` writes down that it runs, and it counts for as long as the
   * row says so.
   */
  beginRun(organizationId: string, taken: Taken, begin: () => Promise<void>): Promise<void>;
  /** The same for a one-off command of a person, which counts until the returned function is called. */
  beginOneOff(organizationId: string, taken: Taken): Promise<() => void>;
  /** The same for what is stored of it in its record. */
  requireRecorded(organizationId: string, serviceId: string): Promise<void>;
  /** CONFLICT when so many further bytes of backups would be too many. */
  requireBackupRoom(organizationId: string, bytes: number): Promise<void>;
  builds(organizationId: string): Promise<number | null>;
  /** Bytes; null: no limit. */
  diskLimit(organizationId: string): Promise<number | null>;
  /** Bytes of disk that it may still take, as it was last measured; Infinity without a limit. */
  diskLeft(organizationId: string): Promise<number>;
  /** CONFLICT when it takes more disk than it may, as it was last measured. */
  requireDisk(organizationId: string): Promise<void>;
}

/** What a snapshot of a compose service's release takes. */
export type ReadRelease = (settings: string | null) => Pick<Taken, 'nanoCpus' | 'memoryBytes'>;

const unlimited: Quota = {
  services: null,
  nanoCpus: null,
  memoryBytes: null,
  builds: null,
  backupBytes: null,
  diskBytes: null,
  records: null,
};

export function createQuotas(store: QuotaStore, readRelease: ReadRelease): Quotas {
  const parts: Parts = { store, readRelease };
  const view = (organizationId: string): Promise<QuotaView> => viewOf(parts, organizationId);
  const payer = async (organizationId: string): Promise<string> =>
    (await store.family(organizationId))[0] ?? organizationId;
  return {
    view,
    payer,
    requireRoom: (...asked) => claim(parts, ...asked),
    beginRun: async (organizationId, one, begin) =>
      store.serially(await payer(organizationId), async () => {
        await requireRoom(parts, organizationId, one);
        await begin();
      }),
    beginOneOff: async (organizationId, one) =>
      store.serially(await payer(organizationId), async () => {
        await requireRoom(parts, organizationId, one);
        return store.oneOffs.begin(organizationId, one);
      }),
    within: (organizationId, work) => within(parts, organizationId, work),
    builds: async (organizationId) => (await find(parts, organizationId)).builds,
    diskLimit: async (organizationId) => (await find(parts, organizationId)).diskBytes,
    async diskLeft(organizationId) {
      const { diskBytes: limit } = await find(parts, organizationId);
      if (limit === null) return Infinity;
      return Math.max(0, limit - (await total(await store.family(organizationId), store.diskBytes)));
    },
    async requireDisk(organizationId) {
      const { diskBytes: limit } = await find(parts, organizationId);
      if (limit === null) return;
      const family = await store.family(organizationId);
      const present = await total(family, store.diskBytes);
      if (present > limit) throw tooMuch('diskBytes', { limit, present, wanted: present, family });
    },
    async set(organizationId, patch) {
      const holder = await payer(organizationId);
      if (holder !== organizationId)
        throw new AppError(
          'PRECONDITION_FAILED',
          `This organization shares the quota of the organization ${holder}. Set the quota there; both are ` +
            'counted together.',
        );
      const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
      const quota: Quota = { ...(await find(parts, organizationId)), ...given };
      await store.quotas.remove({ organizationId });
      await store.quotas.insert({ organizationId, ...quota });
      return view(organizationId);
    },
    async requireRecorded(organizationId, serviceId) {
      const quota = await find(parts, organizationId);
      if (quota.nanoCpus === null && quota.memoryBytes === null) return;
      const one = (await store.resources(organizationId)).find((each) => each.serviceId === serviceId);
      if (one) await requireRoom(parts, organizationId, takenBy(one));
    },
    requireBackupRoom: (organizationId, bytes) => requireBackupRoom(parts, organizationId, bytes),
  };
}

async function requireBackupRoom(parts: Parts, organizationId: string, bytes: number): Promise<void> {
  const { backupBytes: limit } = await find(parts, organizationId);
  if (limit === null) return;
  const family = await parts.store.family(organizationId);
  const present = await total(family, parts.store.backupBytes);
  if (present + bytes > limit || present >= limit)
    throw tooMuch('backupBytes', { limit, present, wanted: present + bytes, family });
}

async function viewOf(parts: Parts, organizationId: string): Promise<QuotaView> {
  const family = await parts.store.family(organizationId);
  return {
    organizationId,
    sharedBy: family.length,
    quota: await find(parts, organizationId),
    used: await used(parts, family),
  };
}

interface Parts {
  store: QuotaStore;
  readRelease: ReadRelease;
}

async function find({ store }: Parts, organizationId: string): Promise<Quota> {
  return limitsOf(await store.quotaOf(organizationId));
}

function limitsOf(found: QuotaRecord | undefined): Quota {
  if (!found) return unlimited;
  const { organizationId: _organizationId, ...quota } = found;
  return quota;
}

/** Looks and takes in one transaction, so that two that come at once are not both let through. */
async function claim(
  parts: Parts,
  ...[organizationId, one, deploymentId, look]: Parameters<Quotas['requireRoom']>
): Promise<void> {
  const { store } = parts;
  const { nanoCpus: cpuLimit, memoryBytes: memoryLimit } = await find(parts, organizationId);
  if (cpuLimit === null && memoryLimit === null) return;
  await look?.();
  const [payer = organizationId] = await store.family(organizationId);
  await store.serially(payer, async () => {
    await requireRoom(parts, organizationId, one);
    const { serviceId, name, nanoCpus = null, memoryBytes = null } = one;
    await store.claim({ deploymentId, organizationId, serviceId, name, nanoCpus, memoryBytes });
  });
}

async function taken(parts: Parts, organizationId: string): Promise<Taken[]> {
  const held = new Map((await recorded(parts, organizationId)).map((one) => [one.serviceId, one]));
  const { claims, runs } = parts.store;
  for (const { serviceId, name, ...claimed } of [
    ...(await claims(organizationId)),
    ...(await runs(organizationId)),
  ]) {
    const present = held.get(serviceId);
    held.set(serviceId, {
      serviceId,
      name,
      nanoCpus: larger(present?.nanoCpus, claimed.nanoCpus),
      memoryBytes: larger(present?.memoryBytes, claimed.memoryBytes),
    });
  }
  return [
    ...held.values(),
    ...parts.store.oneOffs.of(organizationId),
    // Beside the service itself, where that has its record: a release that goes on ends nobody else's.
    ...(await parts.store.left(organizationId)).map(({ serverKey, serviceId, nanoCpus, memoryBytes }) => ({
      serviceId: `${serviceId} left on ${serverKey}`,
      name: serviceId,
      nanoCpus,
      memoryBytes,
    })),
  ];
}

const larger = (one: number | undefined, other: number | null): number | undefined =>
  other === null ? one : Math.max(one ?? 0, other);

async function recorded({ store, readRelease }: Parts, organizationId: string): Promise<Taken[]> {
  return [
    ...(await store.resources(organizationId)).map(takenBy),
    ...(await store.composes(organizationId)).map(({ composeId, name, settings }) => ({
      serviceId: composeId,
      name,
      ...readRelease(settings),
    })),
  ];
}

async function used(parts: Parts, family: readonly string[]): Promise<Used> {
  const { store } = parts;
  const all = await takenByAll(parts, family);
  return {
    services: await total(family, store.countServices),
    nanoCpus: sumOf(all, 'nanoCpus'),
    memoryBytes: sumOf(all, 'memoryBytes'),
    builds: await total(family, store.countBuilds),
    backupBytes: await total(family, store.backupBytes),
    diskBytes: await total(family, store.diskBytes),
    records: Math.max(...Object.values((await store.bounds(family[0] ?? '')).records)),
  };
}

async function total(
  family: readonly string[],
  amountOf: (organizationId: string) => Promise<number>,
): Promise<number> {
  let sum = 0;
  for (const organizationId of family) sum += await amountOf(organizationId);
  return sum;
}

async function takenByAll(parts: Parts, family: readonly string[]): Promise<Taken[]> {
  const all: Taken[] = [];
  for (const organizationId of family) all.push(...(await taken(parts, organizationId)));
  return all;
}

async function requireRoom(parts: Parts, organizationId: string, one: Taken): Promise<void> {
  const quota = await find(parts, organizationId);
  if (quota.nanoCpus === null && quota.memoryBytes === null) return;
  const family = await parts.store.family(organizationId);
  const others = (await takenByAll(parts, family)).filter(({ serviceId }) => serviceId !== one.serviceId);
  for (const name of ['memoryBytes', 'nanoCpus'] as const) {
    const limit = quota[name];
    if (limit === null) continue;
    const wanted = one[name];
    if (wanted === undefined) throw withoutLimit(one.name, name, limit);
    const present = sumOf(others, name);
    if (present + wanted > limit) throw tooMuch(name, { limit, present, wanted: present + wanted, family });
  }
}

async function within<T>(parts: Parts, organizationId: string, work: () => Promise<T>): Promise<T> {
  const { store } = parts;
  const { quota: found, records } = await store.bounds(organizationId);
  const quota = limitsOf(found);
  const change = (): Promise<T> =>
    withinRecords(store, { organizationId, limit: quota.records, records }, work);
  if (!growing.some((name) => quota[name] !== null)) return change();
  const family = await parts.store.family(organizationId);
  await parts.store.hold(family[0] ?? organizationId);
  const before = await used(parts, family);
  const value = await change();
  const after = await used(parts, family);
  for (const name of growing) {
    const limit = quota[name];
    if (limit !== null && after[name] > limit && after[name] > before[name])
      throw tooMuch(name, { limit, present: before[name], wanted: after[name], family });
  }
  return value;
}

/** What a change of records can make more of. */
const growing = ['services', 'memoryBytes', 'nanoCpus'] as const;

function takenBy({ serviceId, name, replicas, memoryLimit, cpuLimit }: ServiceResources): Taken {
  return {
    serviceId,
    name,
    memoryBytes: memoryLimit === null ? undefined : replicas * parseMemory(memoryLimit, 'memoryLimit'),
    nanoCpus: cpuLimit === null ? undefined : replicas * parseCpus(cpuLimit, 'cpuLimit'),
  };
}

function sumOf(all: readonly Taken[], name: 'nanoCpus' | 'memoryBytes'): number {
  return all.reduce((sum, one) => sum + (one[name] ?? 0), 0);
}

const mebibytes = (bytes: number): string => `${Math.ceil(bytes / 1024 / 1024)} MiB`;
const words = {
  services: { what: 'services', shown: String, cure: 'Remove a service' },
  nanoCpus: {
    what: 'cores (cpuLimit × replicas)',
    shown: (value: number) => String(value / 1e9),
    cure: 'Lower cpuLimit or replicas of a service',
  },
  memoryBytes: {
    what: 'of memory (memoryLimit × replicas)',
    shown: mebibytes,
    cure: 'Lower memoryLimit or replicas of a service',
  },
  backupBytes: {
    what: 'of backups and the logs of recoveries',
    shown: mebibytes,
    cure: 'Keep fewer backups (keepLatestCount; keepDays of a recovery), or remove some',
  },
  diskBytes: {
    what: 'of disk (volumes and images)',
    shown: mebibytes,
    cure: 'Remove services with their volumes, former volumes, or what fills a volume',
  },
} as const;

interface Excess {
  limit: number;
  present: number;
  wanted: number;
  /** The organizations that are counted together. */
  family: readonly string[];
}

function tooMuch(name: keyof typeof words, { limit, present, wanted, family }: Excess): AppError {
  const { what, shown, cure } = words[name];
  const [whose, has] = holderOf(family);
  const more = wanted > present ? `, and this would make it ${shown(wanted)}` : '';
  return new AppError(
    'CONFLICT',
    `${whose} may have ${shown(limit)} ${what}; ${has} ${shown(present)}${more}. ${cure}, or ask ` +
      "the installation's Owner for more (organization.setQuota).",
  );
}

function withoutLimit(service: string, name: 'nanoCpus' | 'memoryBytes', limit: number): AppError {
  const { what, shown } = words[name];
  const field = name === 'nanoCpus' ? 'cpuLimit' : 'memoryLimit';
  return new AppError(
    'CONFLICT',
    `${service} has no ${field}, and this organization may have ${shown(limit)} ${what} in all, so every ` +
      `service needs one. Set ${field} (in a compose file deploy.resources.limits) and deploy again.`,
  );
}
