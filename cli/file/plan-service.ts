/** What makes one service as the file has it. */
import { randomBytes } from 'node:crypto';
import { formatEnv } from '../../server/src/domain/variables/dotenv.ts';
import type { FileService, FileVariables } from '../../server/src/modules/berth-file/record.ts';
import type { ServiceKindName } from '../../server/src/modules/service/record-lists.ts';
import { fieldsOf } from '../connection/config.ts';
import { serviceKinds } from '../words/parts/services.ts';
import type { Caller } from './caller.ts';
import type { InstalledEntry, InstalledService } from './installed.ts';
import { canonical, causeOf, defaultOf, listRows, worst, type Fields, type ListRow } from './kinds.ts';
import type { Names } from './names.ts';
import { shown, variableChanges, type Change, type Step } from './steps.ts';
import { newAccount, type DatabaseKindName } from '../../server/src/domain/database-kind.ts';

export interface Parts {
  caller: Caller;
  names: Names;
}

export interface ServicePlan {
  /** Entries that make room for those of other services: taken away before anything is added. */
  removals: Step[];
  steps: Step[];
  problems: string[];
  notes: string[];
}

/** Keys of a service in the file that are no settings. */
const apart = new Set([
  'kind',
  'deploy',
  'name',
  'appName',
  'serverId',
  'variables',
  ...listRows.map(({ list }) => list),
]);

/** How a service that is there differs from the file. `what` names it: `application shop/web`. */
export async function planService(
  { caller, names }: Parts,
  what: string,
  wanted: FileService,
  present: InstalledService,
): Promise<ServicePlan> {
  const id = { [serviceKinds[present.kind].id]: present.id };
  const plan: ServicePlan = { removals: [], steps: [], problems: [], notes: [] };
  await planSettings({ caller, names }, { what, wanted, present, id }, plan);
  planVariables(caller, { what, wanted, present, id }, plan);
  for (const row of listRows) {
    const entries = row.single
      ? singleEntry(row.single, wanted[row.list], present.lists.get(row.list))
      : wanted[row.list];
    if (Array.isArray(entries))
      await planList({ caller, names }, row, { what, entries: entries.map(fieldsOf), present, id }, plan);
  }
  return plan;
}

/** undefined: the file says nothing of it. */
function singleEntry(
  { cleared }: NonNullable<ListRow['single']>,
  value: unknown,
  present: readonly InstalledEntry[] | undefined,
): Fields[] | undefined {
  if (value === undefined) return undefined;
  return value === null
    ? (present ?? []).map(({ fields }) => ({ ...fields, ...cleared }))
    : [fieldsOf(value)];
}

interface Subject {
  what: string;
  wanted: FileService;
  present: InstalledService;
  /** The service by the field of its kind. */
  id: Fields;
}

async function planSettings(
  { caller, names }: Parts,
  { what, wanted, present, id }: Subject,
  plan: ServicePlan,
): Promise<void> {
  const { kind } = present;
  const input: Record<string, unknown> = {};
  const changes: Change[] = [];
  const compare = async (field: string, to: unknown, from: unknown): Promise<void> => {
    const value = await names.shown(field, to);
    const before = from ?? defaultOf(kind, field);
    if (canonical(value ?? defaultOf(kind, field)) === canonical(before)) return;
    input[field] = value;
    changes.push({ field, from: shown(before), to: shown(value), cause: causeOf(kind, field) });
  };
  for (const [field, value] of Object.entries(wanted))
    if (!apart.has(field) && value !== undefined) await compare(field, value, present.settings[field]);
  if (wanted['name'] !== undefined) await compare('name', wanted['name'], present.name);
  if (wanted['appName'] !== undefined) await compare('appName', wanted['appName'], present.appName);
  const server = await names.shown('serverId', wanted['serverId']);
  if (server !== undefined && canonical(server) !== canonical(present.settings['serverId']))
    plan.problems.push(
      `${what}: serverId is ${shown(server)} in the file and ${shown(present.settings['serverId'])} in ` +
        'Berth. A service cannot change its server: create it again under another name, or remove ' +
        'serverId from the file.',
    );
  if (changes.length === 0) return;
  const { replicas, ...others } = input;
  plan.steps.push({
    action: 'change',
    what,
    changes,
    cause: worst(changes.map(({ cause }) => cause)),
    async run() {
      if (Object.keys(others).length > 0)
        await caller(`${kind}.update`, {
          ...id,
          ...(await withIds(names, others)),
        });
      if (replicas !== undefined)
        await caller('application.scale', {
          ...id,
          replicas,
        });
    },
  });
}

function planVariables(caller: Caller, { what, wanted, present, id }: Subject, plan: ServicePlan): void {
  if (wanted.variables === undefined) return;
  const { plain, secrets } = splitVariables(wanted.variables);
  for (const name of secrets)
    if (!present.secretNames.includes(name))
      plan.notes.push(`${what}: the secret variable ${name} is not set. \`berth secret set\` sets it.`);
  for (const name of present.secretNames)
    if (!secrets.includes(name))
      plan.notes.push(`${what}: the secret variable ${name} is not in the file; it stays.`);
  const before = present.variables ?? new Map<string, string>();
  // One that is both: the secret value counts, and the other stays where it is.
  for (const name of secrets) {
    const value = before.get(name);
    if (value !== undefined) plain.set(name, value);
  }
  const changes = variableChanges(plain, before, causeOf(present.kind, 'env'));
  if (changes.length === 0) return;
  plan.steps.push({
    action: 'change',
    what,
    changes,
    cause: worst(changes.map(({ cause }) => cause)),
    run: async () =>
      void (await caller(`${present.kind}.saveEnvironment`, {
        ...id,
        env: formatEnv(Object.fromEntries(plain)),
      })),
  });
}

export function splitVariables(variables: FileVariables): { plain: Map<string, string>; secrets: string[] } {
  const plain = new Map<string, string>();
  const secrets: string[] = [];
  for (const [name, value] of Object.entries(variables))
    if (typeof value === 'object') secrets.push(name);
    else plain.set(name, String(value));
  return { plain, secrets };
}

interface ListSubject {
  what: string;
  entries: readonly Fields[];
  present: InstalledService;
  id: Fields;
}

async function planList(
  { caller, names }: Parts,
  row: ListRow,
  { what, entries, present, id }: ListSubject,
  plan: ServicePlan,
): Promise<void> {
  const wanted: Fields[] = [];
  for (const entry of entries) wanted.push(await withNames(names, { ...row.usual, ...entry }));
  const { pairs, added, removed } = matched(row, wanted, present.lists.get(row.list) ?? []);
  const cause = row.cause(present.kind);
  const called = (entry: Fields): string =>
    row.single ? '' : ` ${row.keyOf(entry) || shown(entry['regex'])}`;
  const step = (changes: readonly Change[], run: () => Promise<unknown>): Step => ({
    action: 'change',
    what,
    changes,
    cause: worst(changes.map((change) => change.cause)),
    run: async () => void (await run()),
  });
  const whole = (entry: Fields, note: string, why = cause): Change[] => [
    { field: `${row.list}${called(entry)}`, cause: why, note },
  ];
  for (const { id: entryId, fields } of removed) {
    const [note, leaves] = removal(row, fields);
    const changes = whole(fields, note).map((change) => (leaves ? { ...change, cause: leaves } : change));
    plan.removals.push(step(changes, () => caller(row.remove, { [row.id]: entryId })));
  }
  for (const [to, from] of pairs) {
    const changes = entryChanges(row, to, from.fields, { cause, called: called(to) });
    const entryId = { [row.id]: from.id };
    // Whoever has such a step carried out has confirmed it before.
    const confirmed = changes.some((change) => change.cause === 'data loss') ? row.confirmed : {};
    if (changes.length > 0)
      plan.steps.push(
        step(changes, async () =>
          caller(row.update, { ...entryId, ...(await withIds(names, to)), ...confirmed }),
        ),
      );
  }
  const owner = row.list === 'domains' && present.kind === 'compose' ? { ...id, domainType: 'compose' } : id;
  for (const entry of added)
    plan.steps.push(
      step(whole(entry, 'added', row.causeOfAdding), async () =>
        caller(row.create, { ...owner, ...(await withIds(names, entry)) }),
      ),
    );
}

/** What the plan says of an entry that is taken away, and its cause where data stays behind. */
function removal(row: ListRow, fields: Fields): [note: string, cause: 'data loss' | undefined] {
  if (row.losing === undefined || fields['type'] === 'file') return ['removed', undefined];
  const where = fields['type'] === 'bind' ? 'its folder' : 'its volume';
  return [`removed; the data stays in ${where}, and the service no longer has it`, 'data loss'];
}

async function withNames(names: Names, fields: Fields): Promise<Fields> {
  const named: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(fields)) named[field] = await names.shown(field, value);
  return named;
}

/** Names of environments that are made by a step before are known when it has run. */
async function withIds(names: Names, fields: Fields): Promise<Record<string, unknown>> {
  const input: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(fields)) input[field] = await names.ids(field, value);
  return input;
}

interface Matched {
  pairs: (readonly [Fields, InstalledEntry])[];
  added: Fields[];
  removed: InstalledEntry[];
}

/** Equal ones first, then those of the same key, in an ordered list those of the same place. */
function matched(row: ListRow, wanted: readonly Fields[], present: readonly InstalledEntry[]): Matched {
  if (row.ordered)
    return {
      pairs: wanted.flatMap((entry, index) => {
        const there = present[index];
        return there ? [[entry, there] as const] : [];
      }),
      added: wanted.slice(present.length),
      removed: present.slice(wanted.length),
    };
  let left = [...present];
  const pairs = new Map<Fields, InstalledEntry>();
  const rules = [
    (entry: Fields, there: Fields) =>
      row.keyOf(entry) === row.keyOf(there) && entryChanges(row, entry, there).length === 0,
    (entry: Fields, there: Fields) => row.keyOf(entry) === row.keyOf(there),
  ];
  for (const isSame of rules)
    for (const entry of wanted) {
      const there = pairs.has(entry) ? undefined : left.find(({ fields }) => isSame(entry, fields));
      if (!there) continue;
      pairs.set(entry, there);
      left = left.filter((one) => one !== there);
    }
  return { pairs: [...pairs], added: wanted.filter((entry) => !pairs.has(entry)), removed: left };
}

/** Fields that the file does not name stay as they are. */
function entryChanges(
  row: ListRow,
  wanted: Fields,
  present: Fields,
  { cause, called }: { cause: Change['cause']; called: string } = { cause: 'nothing', called: '' },
): Change[] {
  return Object.entries(wanted).flatMap(([field, value]): Change[] => {
    if (value === undefined || isSameKey(row, field, wanted, present)) return [];
    // Never read back, so that there is nothing to compare it with.
    if (field === 'content' && wanted['isSecret'] === true && present['isSecret'] === true) return [];
    const [to, from] = [value ?? row.usual[field] ?? null, present[field] ?? row.usual[field] ?? null];
    if (canonical(to) === canonical(from)) return [];
    const isLosing = row.losing?.includes(field) === true;
    return [
      {
        field: `${row.list}${called} ${field}`,
        from: shown(from),
        to: shown(to),
        cause: isLosing ? 'data loss' : cause,
        note: isLosing ? 'begins empty; the former data stays in the former volume' : undefined,
      },
    ];
  });
}

/** The same host or path in another spelling. */
function isSameKey(row: ListRow, field: string, wanted: Fields, present: Fields): boolean {
  return (field === 'host' || field === 'mountPath') && row.keyOf(wanted) === row.keyOf(present);
}

/** Makes the service with what must be there from the beginning; the rest is a difference. Gives its id. */
export async function createService(
  { caller, names }: Parts,
  { key, wanted, environmentId }: { key: string; wanted: FileService; environmentId: string },
): Promise<string> {
  const { kind } = wanted;
  const name = typeof wanted['name'] === 'string' ? wanted['name'] : key;
  const appName = wanted['appName'] ?? (isDatabaseKind(kind) ? appNameOf(name) : undefined);
  const first: Record<string, unknown> = {
    name,
    environmentId,
    ...(appName === undefined ? {} : { appName }),
    ...(wanted['serverId'] ? { serverId: await names.ids('serverId', wanted['serverId']) } : {}),
    ...(kind === 'compose' ? only(wanted, ['sourceType', 'composeType', 'composeFile']) : {}),
    ...(isDatabaseKind(kind) ? databaseFields(kind, name, wanted) : {}),
  };
  return String(fieldsOf(await caller(`${kind}.create`, first))[serviceKinds[kind].id]);
}

/** Passwords are made by Berth; nobody writes one into a file. */
function databaseFields(kind: DatabaseKindName, name: string, wanted: FileService): Fields {
  return {
    ...newAccount(kind, name),
    ...only(wanted, ['containerImage', 'databaseName', 'databaseUser', 'replicaSets']),
  };
}

export function isDatabaseKind(kind: ServiceKindName): kind is DatabaseKindName {
  return kind !== 'application' && kind !== 'compose';
}

function only(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => names.includes(name) && value !== null),
  );
}

/** A database needs one from the beginning; it is unique in the installation. */
function appNameOf(name: string): string {
  const plain = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return `${plain.slice(0, 40).replace(/-+$/, '') || 'db'}-${randomBytes(3).toString('hex')}`;
}
