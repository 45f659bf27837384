/** Records of domains and base domains at DNS providers: planned, set when asked, removed with the domain. */
import { AppError, sentenceOf } from '../../domain/errors.ts';
import { oneAtATimePerKey } from '../../domain/time/one-at-a-time.ts';
import { isoTime, randomId, type Clock } from '../../ports/clock.ts';
import { isByProgram, type DnsProviders } from '../dns-provider/dns-provider.ts';
import { candidatesOf, zoneAgainMs, type Zone, type ZoneAccess } from '../../domain/dns/zone.ts';
import {
  digestOfPlan,
  markName,
  planRecords,
  type Leading,
  type PlannedName,
  type RecordPlan,
  type ZoneChange,
} from './plan.ts';
import type { DnsRecordRow, DnsRecordStore } from './store.ts';
import { noProvider, nothingWanted, type Target } from './target.ts';

type Provider = Awaited<ReturnType<DnsProviders['found']>>;

export interface DnsRecordDeps {
  store: DnsRecordStore;
  providers: {
    list(where: { organizationId: string }): Promise<Provider[]>;
    find(where: { dnsProviderId: string; organizationId: string }): Promise<Provider | undefined>;
  };
  connect(provider: Provider): ZoneAccess;
  /** Does the work and writes down at the provider how it went. */
  noted<T>(provider: Provider, work: () => Promise<T>): Promise<T>;
  target: Target;
  installationId: string;
  /** The base domain of the installation. */
  baseDomain(): Promise<string | null>;
  clock: Clock;
  /** Called for changes that failed and are tried again. */
  onFault(error: unknown): void;
}

/** A name whose records are planned. */
export interface RecordWish {
  organizationId: string;
  /** As ASCII; a wildcard begins with `*.`. */
  name: string;
  /** Key of the server that it is to lead to. */
  serverKey: string;
  /** What Berth has made is to go. */
  isRemoval: boolean;
  /** Milliseconds for which nothing has to need the name: a base domain is saved after its record. */
  keepMs: number;
}

export interface ShownPlan extends RecordPlan {
  name: string;
  zone: string;
  dnsProviderId: string;
  dnsProvider: string;
  /** Why an earlier change is not finished. */
  unfinished: string | null;
  digest: string;
}

export interface DnsRecords {
  plan(wish: RecordWish): Promise<ShownPlan>;
  /**
   * Carries the plan of this digest out. CONFLICT when the zone is another one by now, or has records of
   * others. `write` makes the change of the database, before the first one of the zone.
   */
  apply(
    wish: RecordWish,
    digest: string,
    write: <T>(work: () => Promise<T>) => Promise<T>,
  ): Promise<ShownPlan>;
  /** Goes on with changes that were broken off, and removes what no domain needs any more. */
  tick(): Promise<void>;
}

/** After this time a change that nobody has finished is taken up. */
const graceMs = 120_000;

interface Looked {
  provider: Provider;
  zone: Zone;
  access: ZoneAccess;
  planned: PlannedName;
}

export function createDnsRecords(deps: DnsRecordDeps): DnsRecords {
  const { store, clock } = deps;
  /** By organization: work on its zones, one after another. */
  const inTurn = oneAtATimePerKey();
  const settleInTurn = (row: DnsRecordRow): Promise<void> =>
    inTurn(row.organizationId, () => settle(deps, row.dnsRecordId));
  return {
    plan: async (wish) => shownPlan(deps, wish, await look(deps, wish)),
    apply: (wish, digest, write) =>
      inTurn(wish.organizationId, async () => {
        const looked = await look(deps, wish);
        const plan = await shownPlan(deps, wish, looked);
        if (plan.digest !== digest) throw changedMeanwhile(plan);
        if (plan.foreign.length > 0) throw foreignRecords(plan);
        const { dnsRecordId } = await write(() => keepRow(deps, wish, looked));
        await attempt(deps, dnsRecordId, async () => {
          await carryOut(looked, plan.changes);
          await requireDone(looked);
        });
        return plan;
      }),
    async tick() {
      const base = await deps.baseDomain();
      for (const row of await store.orphans(clock.now()))
        if (row.name !== `*.${base}`)
          await store.update({ dnsRecordId: row.dnsRecordId }, removalOf(clock.now()));
      const due = Map.groupBy(await store.due(clock.now()), ({ organizationId }) => organizationId);
      // A provider that does not answer holds up its own organization alone.
      await Promise.all(
        [...due.values()].map(async (rows) => {
          for (const row of rows) await settleInTurn(row).catch(deps.onFault);
        }),
      );
    },
  };
}

const removalOf = (now: number): Partial<DnsRecordRow> => ({
  wanted: [],
  isRemoved: true,
  attempts: 0,
  nextAt: now,
});

/** Finds the zone, and what it has now. */
async function look(deps: DnsRecordDeps, wish: RecordWish): Promise<Looked> {
  const { organizationId, name } = wish;
  const { provider, zone, access } = await zoneOf(deps, wish);
  const { wanted, leadingHere } = wish.isRemoval
    ? nothingWanted
    : await deps.target(wish.serverKey, { name, zone: zone.name });
  const read = await deps.noted(provider, () => readName(access, zone, name));
  const owner = { installationId: deps.installationId, organizationId };
  const aliases = await leadingHere(read.present);
  return {
    provider,
    zone,
    access,
    planned: { name, zone: zone.name, owner, wanted, ...read, leadingHere: aliases },
  };
}

async function readName(
  access: ZoneAccess,
  zone: Zone,
  name: string,
): Promise<Pick<PlannedName, 'present' | 'texts'>> {
  const present = await access.read({ zone, name });
  const marks = await access.read({ zone, name: markName(name) });
  return { present, texts: marks.flatMap(({ type, value }) => (type === 'TXT' ? [value] : [])) };
}

/** The nearest zone of a provider of the organization. */
async function zoneOf(
  deps: DnsRecordDeps,
  { organizationId, name, serverKey }: RecordWish,
): Promise<Omit<Looked, 'planned'>> {
  const candidates = candidatesOf(name);
  let best: Omit<Looked, 'planned'> | undefined;
  let fault: AppError | undefined;
  for (const provider of await deps.providers.list({ organizationId })) {
    // A program sets the records of challenges alone.
    if (isByProgram(provider)) continue;
    const access = deps.connect(provider);
    try {
      const zone = await access.find(candidates);
      if (zone && zone.name.length > (best?.zone.name.length ?? 0)) best = { provider, zone, access };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      fault ??= error;
    }
  }
  if (best) return best;
  throw await noProvider(deps.target, { name, serverKey }, fault);
}

async function shownPlan(deps: DnsRecordDeps, wish: RecordWish, looked: Looked): Promise<ShownPlan> {
  const { provider, zone, planned } = looked;
  const { organizationId, name } = wish;
  const { dnsProviderId } = provider;
  const row = await deps.store.find({ organizationId, name });
  return {
    name,
    zone: zone.name,
    dnsProviderId,
    dnsProvider: provider.name,
    ...planRecords(planned),
    unfinished: row?.nextAt ? row.error : null,
    digest: digestOfPlan({ dnsProviderId, zoneId: zone.id }, planned),
  };
}

const asText = ({ type, value }: Leading): string => `${type} ${value}`;

function asLeading(text: string): Leading[] {
  const [type = '', value = ''] = text.split(' ');
  return type === 'A' || type === 'AAAA' || type === 'CNAME' ? [{ type, value }] : [];
}

/** Writes down what is to become of the name, before the zone is touched. */
async function keepRow(
  { store, clock }: DnsRecordDeps,
  wish: RecordWish,
  { provider, planned }: Looked,
): Promise<DnsRecordRow> {
  const { organizationId, name } = wish;
  const change = {
    dnsProviderId: provider.dnsProviderId,
    wanted: planned.wanted.map(asText),
    isRemoved: wish.isRemoval,
    attempts: 0,
    error: null,
    nextAt: clock.now() + graceMs,
    keptUntil: clock.now() + wish.keepMs,
  };
  const present = await store.find({ organizationId, name });
  const row = {
    dnsRecordId: randomId(),
    organizationId,
    name,
    createdAt: isoTime(clock),
    ...present,
    ...change,
  };
  if (present) await store.update({ dnsRecordId: row.dnsRecordId }, change);
  else await store.insert(row);
  return row;
}

async function carryOut({ access, zone }: Looked, changes: readonly ZoneChange[]): Promise<void> {
  for (const { action, name, type, value } of changes)
    await (action === 'create' ? access.add : access.remove)({ zone, name, type, value });
}

/** Name servers pass over a CNAME beside other records, and say that all went well (RFC 2136, 3.4.2.2). */
async function requireDone({ access, zone, planned, provider }: Looked): Promise<void> {
  const { changes } = planRecords({ ...planned, ...(await readName(access, zone, planned.name)) });
  const [change] = changes;
  if (!change) return;
  const { action, name, type, value } = change;
  throw new AppError(
    'SERVICE_UNAVAILABLE',
    `The DNS provider ${provider.name} took the change of ${name}, but ` +
      `${action === 'create' ? 'does not show' : 'still shows'} its record ${type} ${value}. It is tried ` +
      'again automatically.',
  );
}

/** Does the work and writes down that it is done; a failure is tried again by `tick`. */
async function attempt(
  { store, clock }: DnsRecordDeps,
  dnsRecordId: string,
  work: () => Promise<void>,
): Promise<void> {
  const row = await store.find({ dnsRecordId });
  if (!row) return;
  try {
    await work();
  } catch (error) {
    const nextAt = clock.now() + zoneAgainMs(row.attempts);
    const said = error instanceof AppError ? sentenceOf(error) : 'Something went wrong inside Berth.';
    await store.update({ dnsRecordId }, { attempts: row.attempts + 1, error: said.slice(0, 1000), nextAt });
    throw error;
  }
  const after = await store.find({ dnsRecordId });
  await (after?.isRemoved
    ? store.remove({ dnsRecordId })
    : store.update({ dnsRecordId }, { attempts: 0, error: null, nextAt: null }));
}

/** Brings the zone to what the row wants. */
async function settle(deps: DnsRecordDeps, dnsRecordId: string): Promise<void> {
  const row = await deps.store.find({ dnsRecordId });
  if (!row || row.nextAt === null || row.nextAt > deps.clock.now()) return;
  const { organizationId, dnsProviderId, name } = row;
  await attempt(deps, dnsRecordId, async () => {
    const provider = await deps.providers.find({ dnsProviderId, organizationId });
    // Without its provider nobody can change the zone.
    if (!provider) return void (await deps.store.remove({ dnsRecordId }));
    await deps.noted(provider, async () => {
      const access = deps.connect(provider);
      const zone = await access.find(candidatesOf(name));
      // Without its zone the records are gone as well.
      if (!zone) return;
      const owner = { installationId: deps.installationId, organizationId };
      const planned: PlannedName = {
        name,
        zone: zone.name,
        owner,
        wanted: row.wanted.flatMap(asLeading),
        ...(await readName(access, zone, name)),
      };
      const plan = planRecords(planned);
      const looked = { provider, zone, access, planned };
      if (plan.foreign.length === 0) {
        await carryOut(looked, plan.changes);
        return requireDone(looked);
      }
      // Somebody has set records meanwhile: theirs stay, and nothing of the change is left.
      await deps.store.update({ dnsRecordId }, removalOf(deps.clock.now()));
      await carryOut(looked, planRecords({ ...planned, wanted: [] }).changes);
    });
  });
}

function changedMeanwhile({ name, zone }: ShownPlan): AppError {
  return new AppError(
    'CONFLICT',
    `The records of ${name} in the zone ${zone} are others than when the plan was made, or are to lead to ` +
      'another server now. Nothing was changed. Ask for the plan again, and look at what it changes.',
  );
}

function foreignRecords({ name, foreign }: ShownPlan): AppError {
  const said = foreign.map(({ type, value, hint }) => `${name} ${type} ${value} (${hint})`);
  return new AppError(
    'CONFLICT',
    `${name} has records that Berth did not make, which it never changes: ${said.join(' ')} Nothing was ` +
      'changed.',
  );
}
