/**
 * Every field of every input that names something × {another tenant's, the platform's, the host's} × every
 * way of calling, against the started program: refused with the field named, or declared harmless with its
 * reason. Whatever was answered, nothing of anybody else's may have changed or been shown.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { tableStore } from '../../server/src/db/table-store.ts';
import { tables, type TableName } from '../../server/src/db/tables.ts';
import { callerOf, procedures, valueOf } from '../e2e/fixtures/caller.ts';
import { withText } from '../e2e/hostile/input-fields.ts';
import { isWhole, ofThisRun } from '../run/mode.ts';
import { hiddenTexts } from '../world/fixtures.ts';
import { inputFor, inputWith } from '../world/inputs.ts';
import type { Program } from '../world/program.ts';
import { startWithWorlds } from '../world/started.ts';
import type { World } from '../world/world.ts';
import { classify, type ClassedField } from './crossing/fields.ts';
import { harmlessRow, harmlessRows } from './crossing/harmless.ts';
import { holders, valuesOf, type Holder, type Reach } from './crossing/values.ts';
import { ask, waysOf, type Said } from './crossing/ways.ts';
import { inOrder } from './in-order.ts';

const { fields, unknown, stale } = classify(procedures);
const tried = fields.filter((field) => field.class !== 'plain');

let program: Program;
let installation: World;
let tenant: World;

beforeAll(async () => {
  const started = await startWithWorlds(1, { withPasswords: true });
  ({ program, first: installation } = started);
  const [only] = started.worlds;
  if (!only) throw new Error('There is no tenant.');
  tenant = only;
  // What the fixtures name outside stands there; everything else of the host stays closed.
  const owner = callerOf(program.url, installation.people.owner.byKey);
  await valueOf(owner('settings.update', { allowedPrivateNetworks: ['127.0.0.1/32'] }));
});
afterAll(() => program[Symbol.asyncDispose]());

it('has a rule for every text field of every input, and no rule without a field', () => {
  expect({ unknown, stale }).toEqual({ unknown: [], stale: [] });
});

/** A good input of the tenant's in which the field is read, with this value in it. */
function inputTrying({ procedure, field, name, isDeclared }: ClassedField, text: string): object {
  const place = { world: tenant, who: 'owner' } as const;
  if (isDeclared && !field.isKey) return inputWith(procedure, place, name.replace(/\.0$/, ''), text);
  const input = { ...inputFor(procedure, place), ...beside[`${procedure.path} ${name}`] };
  return withText(input, field, text);
}

/** What makes a field be read that the example of its procedure does not. */
const beside: Readonly<Record<string, Record<string, unknown>>> = {
  'mount.create hostPath': { type: 'bind', content: undefined },
  'mount.create volumeName': { type: 'volume', content: undefined },
  'domain.create serviceName': { applicationId: undefined, composeId: 'w1-compose', domainType: 'compose' },
  'mount.update hostPath': { type: 'bind' },
  'mount.update volumeName': { type: 'volume' },
  'mount.update filePath': { type: 'file', content: 'text' },
  'domain.planRecords baseDomain': { domainId: undefined },
  'domain.applyRecords baseDomain': { domainId: undefined },
  'domain.create customCertResolver': { https: true, certificateType: 'custom' },
  'domain.update customCertResolver': { https: true, certificateType: 'custom' },
  'backup.byDatabase redisId': { postgresId: undefined, databaseType: undefined },
  'logDrain.update address': { password: 'something' },
  'destination.create path': { provider: 'local' },
  'destination.update path': { provider: 'local' },
  'destination.testConnection path': { provider: 'local', destinationId: undefined },
  'application.saveContainerProvider registryUrl': { password: null },
  'registry.update registryUrl': { password: 'something' },
};

interface Cell extends Reach {
  field: ClassedField;
}

type Outcome = 'refused' | 'not refused';

/** Refused for what the field names, and for nothing else. */
function outcomeOf({ field, text }: Cell, said: Said): Outcome {
  const names = [...field.field.path.filter((name) => name !== '0' && name !== 'team'), text];
  const isOwnRefusal = [400, 403, 404, 405, 409, 412].includes(said.status);
  return isOwnRefusal && (names.some((name) => said.text.includes(name)) || said.status === 403)
    ? 'refused'
    : 'not refused';
}

/** What of others an answer shows, besides what the caller has written somewhere. */
function shown(text: string, sent: readonly string[]): string | undefined {
  const prefixes = [tenant.foreign.prefix, installation.own.prefix, installation.foreign.prefix];
  return (
    prefixes
      .flatMap((prefix) => text.match(new RegExp(`\\b${prefix}[-.][\\w-]+`, 'g')) ?? [])
      .find((name) => !sent.some((one) => one.includes(name) || name.startsWith(one))) ??
    Object.values(hiddenTexts).find((hidden) => text.includes(hidden))
  );
}

/** Columns that Berth fills by itself as time goes on. */
const ofTheClock: readonly string[] = ['nextRunAt', 'nextVerifyAt', 'alarmSince'];

const withoutTimes = (key: string, value: unknown): unknown => (ofTheClock.includes(key) ? null : value);

/** Every row that stands in another organization, as text. */
async function rowsOfOthers(): Promise<string[]> {
  const others: unknown[] = [tenant.foreign, installation.own, installation.foreign].map(
    ({ organizationId }) => organizationId,
  );
  const found: string[] = [];
  for (const name of Object.keys(tables).filter((each): each is TableName => each in tables))
    for (const row of await tableStore(program.database, name).list({}))
      if (others.includes(Reflect.get(row, 'organizationId')) && !isOfTheProgram(name, row))
        found.push(`${name} ${JSON.stringify(row, withoutTimes)}`);
  return found.toSorted();
}

/** The program begins alarms and tells conditions by itself: there is no engine here. */
const isOfTheProgram = (name: TableName, row: object): boolean =>
  (name === 'alarm' && Reflect.get(row, 'endedAt') === null) ||
  (name === 'event' && ['alarm', 'condition'].includes(String(Reflect.get(row, 'what'))));

const counts: Record<Holder, { refused: number; harmless: number }> = {
  'another tenant': { refused: 0, harmless: 0 },
  'the platform': { refused: 0, harmless: 0 },
  'the host': { refused: 0, harmless: 0 },
};

it('refuses what is not the caller’s in every way of calling, and shows and changes nothing', async () => {
  const before = await rowsOfOthers();
  // The ordinary run takes a half of them, by its seed.
  const cells = ofThisRun(
    tried.flatMap((field) =>
      valuesOf(field, { tenant, installation, dataFolder: program.dataFolder }).map(
        (reach): Cell => ({ field, ...reach }),
      ),
    ),
    2,
  );
  const sent = [...new Set(cells.map(({ text }) => text))];
  const met = new Set<string>();
  let calls = 0;
  const faults = await inOrder(cells, async (cell) => {
    const { field, holder, text } = cell;
    const { procedure, name } = field;
    const { byKey, bySession } = tenant.people.owner;
    const headers = procedure.procedure.access.sessionOnly ? { ...bySession, origin: program.url } : byKey;
    const input = inputTrying(field, text);
    const found: string[] = [];
    for (const way of waysOf(procedure)) {
      const said = await ask(way, { url: program.url, headers, procedure, input });
      calls += said.length;
      for (const one of said) {
        const value = text.slice(0, 60).replaceAll('\n', ' ');
        const where = `${procedure.path} ${name} = ${value} (${holder}, ${way})`;
        const loot = shown(one.text, sent);
        if (loot !== undefined) found.push(`${where} shows ${loot}`);
        if (one.status >= 500 && one.status !== 503) found.push(`${where}: ${one.text}`);
        if (outcomeOf(cell, one) === 'refused') {
          counts[holder].refused += 1;
          continue;
        }
        const key = harmlessRow(field, cell);
        if (key === undefined) found.push(`${where}: ${one.status} ${one.text.slice(0, 160)}`);
        else met.add(key);
        counts[holder].harmless += 1;
      }
    }
    return found[0];
  });
  console.log(
    [
      `crossing: ${procedures.length} procedures, ${fields.length} text fields, ${tried.length} of them ` +
        `name something, ${cells.length} cells, ${calls} calls`,
      ...holders.map(
        (holder) =>
          `  ${holder}: ${counts[holder].refused} refused, ${counts[holder].harmless} harmless as declared`,
      ),
    ].join('\n'),
  );
  expect(faults).toEqual([]);
  const unmet = harmlessRows.filter((key) => !met.has(key));
  expect(isWhole() ? unmet : []).toEqual([]);
  expect(await rowsOfOthers()).toEqual(before);
  expect(calls).toBeGreaterThan(isWhole() ? 10_000 : 5000);
});

it('met nothing unexpected', () => expect(program.faults()).toEqual([]));
