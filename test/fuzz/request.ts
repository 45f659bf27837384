/**
 * One request of the fuzz run: mostly a procedure with one place of its input changed, sometimes broken HTTP.
 */
import { inlineSchemaOf } from '../../server/src/procedure/describe/json-schema.ts';
import type { NamedProcedure } from '../../server/src/procedure/describe/listing.ts';
import { procedures, type Form } from '../e2e/fixtures/caller.ts';
import { inputFor } from '../world/inputs.ts';
import type { World } from '../world/world.ts';
import type { Random } from './random.ts';
import {
  boundaryValue,
  createHostile,
  hugeValue,
  otherType,
  spotsOf,
  withValue,
  type Spot,
} from './values.ts';
import { verbOf } from '../../server/src/procedure/procedure.ts';

export interface FuzzRequest {
  /** What it is, for the report. */
  title: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | Buffer | undefined;
  /** Whose answer it should be; absent when no procedure is meant. */
  procedure?: NamedProcedure;
  form: Form;
}

export type MakeRequest = (random: Random, number: number) => FuzzRequest;

/** So many of a hundred, by what is wrong with the input; the rest is broken HTTP. */
const shares = { valid: 25, boundary: 20, wrong: 18, huge: 1, hostile: 30 } as const;

/** What costs a key pair, a password hash or a process each time comes one time in so many. */
const seldom: Readonly<Record<string, number>> = {
  'sshKey.generate': 30,
  'sshKey.makePair': 30,
  'user.changePassword': 10,
  'basicAuth.create': 5,
  'basicAuth.update': 5,
  'domain.validateDomain': 5,
  'domain.planRecords': 10,
  'domain.applyRecords': 10,
  'application.deploy': 3,
  'application.dropDeployment': 3,
  'compose.deploy': 3,
  'compose.check': 3,
  'compose.loadServices': 3,
  'destination.testConnection': 20,
  'notification.test': 20,
  'logDrain.test': 20,
  'dnsProvider.test': 20,
  'templateCatalogue.create': 20,
  'templateCatalogue.refresh': 20,
  'backup.listFiles': 20,
  'backup.restoreBackupWithLogs': 20,
  'backup.manualBackupMySql': 10,
  'installationBackup.set': 20,
  'installationBackup.run': 20,
};
/** So does what takes away from a world what later requests would meet. */
const removals = /\.(remove|delete|deleteApiKey|removeMember|endSession|setActive|revoke)$/;
const removalOneIn = 8;

const oneIn = (path: string): number => seldom[path] ?? (removals.test(path) ? removalOneIn : 1);

export interface FuzzWorlds {
  all: readonly World[];
  /** For procedures that name a domain. */
  withDomains: readonly World[];
}

export function createRequests(worlds: FuzzWorlds, touched: string): MakeRequest {
  const spots = new Map<string, Spot[]>(
    procedures.map(({ path, procedure }) => [path, spotsOf(inlineSchemaOf(procedure.input, 'input'))]),
  );
  const hostile = createHostile(touched);

  const choose = (random: Random): NamedProcedure => {
    for (;;) {
      const procedure = random.pickFrom(procedures);
      if (procedure && random.below(oneIn(procedure.path)) === 0) return procedure;
    }
  };
  const changed = (procedure: NamedProcedure, input: unknown, random: Random): [string, unknown] => {
    const spot = random.pickFrom(spots.get(procedure.path) ?? []);
    let left = random.below(100);
    const kind = Object.entries(shares).find(([, share]) => (left -= share) < 0)?.[0] ?? 'valid';
    if (!spot || kind === 'valid') return ['valid', input];
    const value =
      kind === 'boundary'
        ? boundaryValue(spot.schema, random)
        : kind === 'wrong'
          ? otherType(random)
          : kind === 'huge'
            ? hugeValue(random)
            : hostile(random);
    return [`${kind} ${spot.path.join('.')}`, withValue(input, spot.path, value)];
  };
  return (random) => {
    const procedure = choose(random);
    const namesDomain = procedure.procedure.access.resources.some(({ kind }) => kind === 'domain');
    const world = random.pickFrom(namesDomain ? worlds.withDomains : worlds.all);
    if (!world) throw new Error('There is no world.');
    const [what, input] = changed(procedure, inputFor(procedure, { world, who: 'owner' }), random);
    const form = random.pick(['a', 'b'] as const);
    const request = asRequest(procedure, input, form, headersFor(procedure, world, random));
    return random.chance(0.06) ? broken(request, random) : { ...request, title: `${procedure.path} ${what}` };
  };
}

function headersFor(
  { procedure: { access } }: NamedProcedure,
  { people, narrowed }: World,
  random: Random,
): Record<string, string> {
  const dice = random.below(100);
  if (dice < 3) return {};
  if (dice < 5) return { 'x-api-key': 'berth_wrong' };
  if (dice < 7) return narrowed;
  const person =
    dice < 12 ? people.granted : dice < 15 ? people.member : dice < 18 ? people.stranger : people.owner;
  return access.sessionOnly ? { ...person.bySession, origin: 'own' } : person.byKey;
}

function asRequest(
  procedure: NamedProcedure,
  input: unknown,
  form: Form,
  headers: Record<string, string>,
): FuzzRequest {
  const { kind } = procedure.procedure;
  const path = `/api/${form === 'a' ? 'trpc/' : ''}${procedure.path}`;
  const text = JSON.stringify(input);
  const rest = { title: procedure.path, procedure, form };
  if (verbOf(procedure.procedure) === 'GET')
    return {
      ...rest,
      method: 'GET',
      path: `${path}?input=${encodeURIComponent(text.toWellFormed())}`,
      headers,
      body: undefined,
    };
  if (kind === 'upload')
    return {
      ...rest,
      method: 'POST',
      path: `${path}?${new URLSearchParams(asTexts(input)).toString()}`.slice(0, 60_000),
      headers: { ...headers, 'content-type': 'application/zip' },
      body: Buffer.from(text),
    };
  return {
    ...rest,
    method: 'POST',
    path,
    headers: { ...headers, 'content-type': 'application/json' },
    body: text,
  };
}

function asTexts(input: unknown): Record<string, string> {
  return Object.fromEntries(
    Object.entries(input ?? {}).map(([name, value]) => [
      name,
      (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toWellFormed(),
    ]),
  );
}

const brokenBodies = [
  '',
  '{',
  '[',
  'null',
  '3',
  '"text"',
  '{"a":1}}',
  '{"__proto__":{"a":1}}',
  '{"constructor":{"prototype":{}}}',
  '\u{feff}{}',
  '{"json":null}',
  '{"json":{"json":{}}}',
  '[[[[[[[[',
  '{"a":1e999}',
  'name=x&b=y',
] as const;

/** What a client that is broken itself would send, made from a sound request. */
type Breaking = (request: FuzzRequest, random: Random) => Partial<FuzzRequest>;

const breakings: readonly [Breaking, ...Breaking[]] = [
  (_request, random) => ({
    method: random.pick(['PUT', 'DELETE', 'PATCH', 'POST', 'GET']),
    body: undefined,
  }),
  ({ headers }, random) => ({
    method: 'POST',
    body: random.pick(brokenBodies),
    headers: { ...headers, 'content-type': 'application/json' },
  }),
  ({ headers }, random) => ({
    method: 'POST',
    body: '{}',
    headers: { ...headers, 'content-type': random.pick(wrongTypes) },
  }),
  (_request, random) => ({ path: random.pick(wrongPaths) }),
  (_request, random) => ({ method: 'GET', path: brokenBatch(random), body: undefined }),
  ({ headers }) => ({
    method: 'POST',
    body: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
    headers: { ...headers, 'content-type': 'application/json' },
  }),
  ({ path }) => ({
    method: 'GET',
    path: `${path.split('?')[0] ?? ''}?limit=x&limit=2&cursor=%00&a[b]=c&input`,
    body: undefined,
  }),
];

const wrongTypes = [
  'text/plain',
  'application/xml',
  'multipart/form-data',
  'application/json; charset=latin1',
  'x',
] as const;

const wrongPaths = [
  '/api/',
  '/api/trpc/',
  '/api/none.none',
  '/api/user.get.more',
  '/api/trpc/a,b,c',
  '/api/__proto__.x',
  '/api/%00',
  '/api/user.get%2f',
  `/api/${'x'.repeat(9000)}`,
] as const;

function brokenBatch(random: Random): string {
  const count = random.pick([1, 2, 3, 8, 51]);
  const paths = Array.from({ length: count }, () => random.pickFrom(procedures)?.path);
  return `/api/trpc/${paths.join(',')}?batch=1&input=${encodeURIComponent(random.pick(brokenBodies))}`;
}

function broken(request: FuzzRequest, random: Random): FuzzRequest {
  const { procedure: _procedure, ...rest } = request;
  return { ...rest, title: `broken ${request.title}`, ...random.pick(breakings)(request, random) };
}
