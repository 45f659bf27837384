/** Who may do what, through the whole product: each row comes from the contracts, so that no procedure and no id can be forgotten. */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Answer } from '../http/call.ts';
import { findBed } from '../bed/bed.ts';
import { berthHost, type BerthHost } from './berth-host.ts';
import { callerOf, procedures, valueOf, type Call } from './caller.ts';
import { makeEstate, type Estate } from './estate.ts';
import { nameOf, textFields } from './input-fields.ts';
import { inputFor } from './inputs.ts';
import { peopleOnHost, type PeopleOnHost } from './people-on-host.ts';

let berth: BerthHost;
let people: PeopleOnHost;
/** Of the first organization and of the other one. */
let own: Estate;
let foreign: Estate;
let owner: Call;
let member: Call;
let stranger: Call;

beforeAll(async () => {
  const bed = await findBed(inject('bed').name, new AbortController().signal);
  if (bed === null) throw new Error('The bed of this run is gone.');
  berth = await berthHost(bed, 'access', 27);
  people = await peopleOnHost(bed, berth);
  [owner, member, stranger] = [callerOf(berth.url, people.owner.headers), callerOf(berth.url, people.member.headers), callerOf(berth.url, people.stranger.headers)];
  own = await makeEstate(owner, 'own', 41_000);
  foreign = await makeEstate(stranger, 'foreign', 42_000);
});
afterAll(async () => {
  await people[Symbol.asyncDispose]();
  await berth.host.kill();
});

/** A row of the table: what is called, and how it must end. */
interface Row {
  title: string;
  ask(form: 'a' | 'b'): Promise<Answer>;
  status: number;
  /** The sentence must name it. */
  names?: string;
}

/** Asks every row under both forms of the address and gives those that ended otherwise. */
async function wrong(rows: readonly Row[]): Promise<string[]> {
  const faults: string[] = [];
  for (const { title, ask, status, names } of rows) {
    for (const form of ['a', 'b'] as const) {
      const answer = await ask(form);
      const fits = answer.status === status && (names === undefined || answer.text.includes(names));
      if (!fits) faults.push(`${title}, form ${form}: ${answer.status} instead of ${status}: ${answer.text.slice(0, 300)}`);
    }
  }
  return faults;
}

async function expectRows(what: string, rows: readonly Row[]): Promise<void> {
  const faults = await wrong(rows);
  console.log(`access: ${rows.length} rows (two forms each): ${what}`);
  expect(rows.length).toBeGreaterThan(0);
  expect(faults).toEqual([]);
}

const unknownId = 'no-such-thing-0000000';

/** Every id that the contracts declare, one by one. */
const references = procedures.flatMap(({ path, procedure }) => procedure.access.resources.map((reference) => ({ path, procedure, ...reference })));

/** A valid input with another id in one field, without what that field excludes. */
function inputWith(path: string, estate: Estate, field: string, id: string): Record<string, unknown> {
  const excluded: Record<string, readonly string[]> = { 'mount.create serviceId': ['applicationId'], 'registry.test registryId': ['registryUrl', 'username', 'password'] };
  const kept = Object.entries(inputFor(path, estate, 'access')).filter(([name]) => !excluded[`${path} ${field}`]?.includes(name));
  return { ...Object.fromEntries(kept), [field]: lists.includes(field) ? [id] : id };
}

/** Fields that carry a list of ids. */
const lists = ['networks'];

/** The id that an estate has for a field of an input. */
function idFor(estate: Estate, kind: string, field: string): string {
  const ids: Record<string, string> = {
    project: estate.projectId, environment: field === 'targetEnvironmentId' ? estate.otherEnvironmentId : estate.environmentId, application: estate.applicationId,
    deployment: estate.deploymentId, domain: estate.domainId, port: estate.portId, mount: estate.mountId, sshKey: estate.sshKeyId, registry: estate.registryId, apiKey: estate.apiKeyId,
  };
  const id = ids[kind];
  if (id === undefined) throw new Error(`An estate has no ${kind}: give it one in estate.ts.`);
  return id;
}

describe('without credentials', () => {
  it('nothing is answered but a request to sign in', () =>
    expectRows('no credentials', procedures.map(({ path }) => ({ title: path, ask: (form) => callerOf(berth.url)(path, inputFor(path, own, 'nobody'), form), status: 401 }))));

  it('a bad key is refused, also beside a good session', async () => {
    const cookie = await signIn();
    const bad: Record<string, string>[] = [{ 'x-api-key': 'berth_bad' }, { authorization: 'Bearer berth_bad' }, { 'x-api-key': 'berth_bad', cookie, origin: berth.url }];
    await expectRows('bad keys', procedures.flatMap(({ path }) => bad.map((headers): Row => ({ title: `${path} with ${Object.keys(headers).join(', ')}`, ask: (form) => callerOf(berth.url, headers)(path, inputFor(path, own, 'bad'), form), status: 401 }))));
  });

  it('a session changes nothing without an Origin of this address', async () => {
    const cookie = await signIn();
    const foreignOrigins: Record<string, string>[] = [{ cookie }, { cookie, origin: 'https://elsewhere.example' }, { cookie, origin: 'null' }];
    const changes = procedures.filter(({ procedure }) => procedure.kind === 'mutation' || procedure.kind === 'upload');
    await expectRows('foreign origins', changes.flatMap(({ path }) => foreignOrigins.map((headers): Row => ({ title: `${path} from ${headers['origin'] ?? 'nowhere'}`, ask: (form) => callerOf(berth.url, headers)(path, inputFor(path, own, 'origin'), form), status: 403, names: 'Origin' }))));
  });
});

describe('another organization', () => {
  it('has no use of any id: 403 for each that exists', () =>
    expectRows('foreign ids', references.map(({ path, kind, field }) => ({
      title: `${path}.${field}`, ask: (form) => stranger(path, inputWith(path, foreign, field, idFor(own, kind, field)), form), status: 403, names: field,
    }))));

  it('and an id that does not exist is 404', () =>
    expectRows('unknown ids', references.map(({ path, field }) => ({
      title: `${path}.${field}`, ask: (form) => owner(path, inputWith(path, own, field, unknownId), form), status: 404, names: field,
    }))));

  it('sees nothing of this one in any list', async () => {
    for (const { path, procedure } of procedures.filter(({ procedure: { access, kind } }) => kind === 'query' && access.resources.length === 0)) {
      const answer = await stranger(path, inputFor(path, foreign, 'lists'));
      expect.soft([200, 403], path).toContain(answer.status);
      expect.soft(idsOf(own).filter((id) => answer.text.includes(id)), `${procedure.summary} (${path})`).toEqual([]);
    }
  });

  it('cannot read or change the settings of the installation', () =>
    expectRows('settings', ['settings.get', 'settings.update'].map((path) => ({ title: path, ask: (form) => stranger(path, inputFor(path, foreign, 'settings'), form), status: 403 }))));
});

describe('ids that are not declared as things', () => {
  /** What each of them does with an id of the other organization and with one that does not exist. */
  const others: Record<string, { foreign: (estate: Estate) => string; status: number; unknown: number }> = {
    'application.create serverId': { foreign: () => unknownId, status: 404, unknown: 404 },
    'application.update serverId': { foreign: () => unknownId, status: 400, unknown: 400 },
    'environment.update projectId': { foreign: ({ projectId }) => projectId, status: 400, unknown: 400 },
    'domain.create composeId': { foreign: () => unknownId, status: 404, unknown: 404 },
    'domain.create previewDeploymentId': { foreign: () => unknownId, status: 404, unknown: 404 },
    'domain.generateDomain serverId': { foreign: () => unknownId, status: 404, unknown: 404 },
  };
  const sessionOnly = ['user.createApiKey metadata.organizationId'];

  it('are all known here', () => {
    const found = procedures.flatMap(({ path, procedure }) => textFields(procedure)
      .filter((field) => /(Ids?|^networks\.0)$/.test(nameOf(field)) && !procedure.access.resources.some((reference) => reference.field === field.path[0]))
      .map((field) => `${path} ${nameOf(field)}`));
    expect(found.toSorted()).toEqual([...Object.keys(others), ...sessionOnly].toSorted());
  });

  it('are refused all the same', () =>
    expectRows('nested ids', Object.entries(others).flatMap(([title, { foreign: idOf, status, unknown }]): Row[] => {
      const [path = '', field = ''] = title.split(' ');
      const input = (estate: Estate, id: string): unknown => ({ ...inputFor(path, estate, 'nested'), ...extras[title], [field]: id });
      return [
        { title: `${title}, foreign`, ask: (form) => stranger(path, input(foreign, idOf(own)), form), status },
        { title: `${title}, unknown`, ask: (form) => owner(path, input(own, unknownId), form), status: unknown },
      ];
    })));
  const extras: Record<string, object> = { 'domain.create composeId': { domainType: 'compose', serviceName: 'web' }, 'domain.create previewDeploymentId': { domainType: 'preview' } };

  it('a key is made for an organization of one\'s own only', async () => {
    const call = callerOf(berth.url, { cookie: await signIn(), origin: berth.url });
    const answer = await call('user.createApiKey', { name: 'another', metadata: { organizationId: own.organizationId } });
    expect(answer.status).toBe(403);
  });
});

describe('a member', () => {
  /** What anybody who belongs to the organization may ask; everything else needs a grant or a role. */
  const open = ['user.get', 'project.all', 'domain.generateDomain'];
  /** Answers the environments that one may see, none of them perhaps. */
  const filtered = 'environment.byProjectId';

  it('reaches nothing without grants', async () => {
    const closed = procedures.filter(({ path }) => !open.includes(path) && path !== filtered);
    await expectRows('a member without grants', closed.map(({ path }) => ({ title: path, ask: (form) => member(path, inputFor(path, own, 'member'), form), status: 403 })));
  });

  it('sees nothing in lists without grants', async () => {
    expect(await valueOf(member(filtered, { projectId: own.projectId }))).toEqual([]);
    expect(await valueOf(member('project.all'))).toEqual([]);
    for (const path of open) {
      const { text } = await member(path, inputFor(path, own, 'member'));
      expect(idsOf(own).filter((id) => id !== own.organizationId && text.includes(id)), path).toEqual([]);
    }
  });

  it('with a service reaches only that service, and names nothing else of the organization', async () => {
    const others = await makeEstate(owner, 'others', 43_000);
    await people.grant({ accessedServices: [own.applicationId], canDeleteServices: true });
    try {
      expect((await member('application.one', { applicationId: own.applicationId })).status).toBe(200);
      expect((await member('project.all')).text).not.toContain(others.projectId);
      expect(await valueOf(member(filtered, { projectId: others.projectId }))).toEqual([]);
      const needGrants = references.filter(({ path, kind, procedure: { access } }) => kind !== 'sshKey' && kind !== 'registry' && access.class === 'protected' && path !== filtered);
      await expectRows('a member with one service, naming others', needGrants.map(({ path, kind, field }) => ({
        title: `${path}.${field}`, ask: (form) => member(path, inputWith(path, own, field, idFor(others, kind, field)), form), status: 403,
      })));
    } finally {
      await people.grant({});
    }
  });
});

describe('a narrowed key', () => {
  it('does only what it was made for', async () => {
    const narrow = callerOf(berth.url, (await people.newKey(people.owner, { permissions: {} })).headers);
    await expectRows('a key without permissions', procedures.map(({ path }) => ({ title: path, ask: (form) => narrow(path, inputFor(path, own, 'narrow'), form), status: 403 })));
    const reader = callerOf(berth.url, (await people.newKey(people.owner, { permissions: { application: ['read'] } })).headers);
    expect((await reader('application.one', { applicationId: own.applicationId })).status).toBe(200);
    const rest = procedures.filter(({ router, procedure: { kind } }) => router !== 'application' || kind === 'mutation' || kind === 'upload');
    await expectRows('a key that reads applications', rest.map(({ path }) => ({ title: path, ask: (form) => reader(path, inputFor(path, own, 'reader'), form), status: 403 })));
  });
});

it('has left everything as it was', async () => {
  for (const [call, estate] of [[owner, own], [stranger, foreign]] as const) {
    const application = await valueOf(call('application.one', { applicationId: estate.applicationId }));
    expect(application).toMatchObject({ name: estate.name, appName: estate.appName, description: '', environmentId: estate.environmentId, networks: [] });
    for (const [path, id] of [['domain.one', { domainId: estate.domainId }], ['port.one', { portId: estate.portId }], ['mount.one', { mountId: estate.mountId }], ['sshKey.one', { sshKeyId: estate.sshKeyId }], ['registry.one', { registryId: estate.registryId }], ['deployment.one', { deploymentId: estate.deploymentId }], ['environment.one', { environmentId: estate.otherEnvironmentId }]] as const) {
      expect.soft((await call(path, id)).status, path).toBe(200);
    }
  }
});

function idsOf(estate: Estate): string[] {
  return [...new Set(Object.entries(estate).filter(([name]) => name.endsWith('Id')).map(([, id]) => String(id)))];
}

/** The session cookie of the user who signed up; of an organization that has nothing. */
async function signIn(): Promise<string> {
  const response = await fetch(`${berth.url}/api/auth/sign-in/email`, { method: 'POST', headers: { 'content-type': 'application/json', origin: berth.url }, body: JSON.stringify({ email: 'ada@example.com', password: 'correct horse battery' }), signal: AbortSignal.timeout(10_000) });
  return response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
}
