/**
 * Hostile text in every field of every procedure: refused with the field named, or plain data; never a fault,
 * a hang or a command.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databaseKindNames } from '../../server/src/domain/database-kind.ts';
import { bedOfRun } from '../bed/bed-of-run.ts';
import { createRandom } from '../fuzz/random.ts';
import { send, type Answer } from '../http/call.ts';
import { modeOf, sampleOf } from '../run/mode.ts';
import { berthHost, type BerthHost } from './fixtures/berth-host.ts';
import { createCanaries, type Canaries } from './hostile/canaries.ts';
import { archiveOf, callerOf, procedures, valueOf, type Call } from './fixtures/caller.ts';
import { fieldOf, firstOf, makeOneOfEverything } from './fixtures/one-of-everything.ts';
import { judge, type HostileCase, type Place, type Verdict } from './hostile/hostile-judge.ts';
import { hostileValues, type HostileValue } from './hostile/hostile-values.ts';
import { inputFor } from './hostile/inputs.ts';
import { nameOf, textFields, type TextField } from './hostile/input-fields.ts';
import { peopleOnHost, type PeopleOnHost } from './fixtures/people-on-host.ts';
import { settled } from './fixtures/settling.ts';

const workers = 8;

let berth: BerthHost;
let people: PeopleOnHost;
let canaries: Canaries;
let values: HostileValue[];
/** One for each worker, so that what one changes another never reads. */
let places: Place[];

beforeAll(async () => {
  const bed = await bedOfRun();
  // What a power cut would lose is not what is tested here.
  berth = await berthHost(bed, 'hostile', 26, { BERTH_SQLITE_SYNCHRONOUS: 'NORMAL' });
  people = await peopleOnHost(bed, berth);
  canaries = createCanaries(berth.host);
  values = hostileValues(canaries.fileOf);
  const call = await everyCaller();
  // What the fixtures name outside is a closed port of loopback: Berth is to find nobody there by itself.
  await valueOf(call('settings.update', { allowedPrivateNetworks: ['127.0.0.0/8'] }));
  places = await Promise.all(
    Array.from({ length: workers }, async (_, index) => ({
      call,
      fixtures: await makeOneOfEverything(call, `fixtures-${index}`, 41_000 + index),
    })),
  );
});
afterAll(async () => {
  await people[Symbol.asyncDispose]();
  await berth.host.kill();
});

/** The owner's key, and a session of the same user where a procedure wants one. */
async function everyCaller(): Promise<Call> {
  const byKey = callerOf(berth.url, people.owner.headers);
  const bySession = callerOf(berth.url, await people.session(people.owner, berth.url));
  return (path, input, form) =>
    (procedures.find((procedure) => procedure.path === path)?.procedure.access.sessionOnly
      ? bySession
      : byKey)(path, input, form);
}

/**
 * What a procedure with more text than ids answers to a harmless input; those that are not here must succeed.
 */
const cannotSucceed: Record<string, number | readonly number[]> = {
  'application.redeploy': 412,
  // The upload before it may still be under way.
  'application.reload': [409, 412],
  'application.restart': 412,
  'application.run': 412,
  'registry.test': 400,
  'previewDeployment.redeploy': 404,
  // No pull request waits.
  'previewDeployment.approve': 404,
  'previewDeployment.delete': 404,
  'destination.testConnection': 503,
  'backup.listFiles': 503,
  // It was never switched on, or nothing is stored.
  'backup.restoreToMoment': [400, 412],
  'backup.branch': [400, 412],
  // No former volume is kept there.
  'backup.useFormerVolume': [400, 404, 412],
  'gitProvider.branches': 503,
  'gitProvider.createFromManifest': [412, 503],
  'organization.accept': 404,
  'organization.updateMember': 404,
  'user.changePassword': 400,
  'user.delete': 400,
  'user.twoFactorSetUp': 400,
  'user.twoFactorConfirm': 412,
  'user.twoFactorDisable': 412,
  'user.twoFactorNewRecoveryCodes': 412,
  'volumeBackup.removeFormerVolume': 400,
  // No deleted service has left it.
  'volumeBackup.useKeptVolume': 404,
  // No server is a node.
  'cluster.join': 400,
  'cluster.nodes': [412, 503],
  'cluster.drain': 400,
  'cluster.activate': 400,
  'cluster.promote': 400,
  'cluster.demote': 400,
  'cluster.leave': 400,
  'cluster.remove': 400,
  'server.forget': 400,
  'server.setupMonitoring': [412, 503],
  'server.getServerMetrics': [412, 503],
  'server.metrics': [412, 503],
  'service.endedOutput': 404,
  'template.one': 404,
  'templateCatalogue.create': [400, 412, 503],
  'templateCatalogue.update': 404,
  // No newer template is there.
  'template.apply': 412,
  'dnsProvider.test': [412, 503],
  'domain.planRecords': 412,
  'domain.applyRecords': 412,
  'database.rows': [412, 503],
  'database.query': [412, 503],
  'database.statements': [412, 503],
  'database.keys': [412, 503],
  'database.value': [412, 503],
  'container.restartContainer': 404,
  'container.getConfig': 404,
  'container.logs': 404,
  'swarm.getNodeInfo': 404,
  // The machine has no service without a record.
  'cleanup.removeUnknown': 404,
  'cleanup.removeKeptVolume': 404,
  'mariadb.reload': 412,
  'mysql.reload': 412,
  'postgres.reload': 412,
  'mongo.reload': 412,
  'redis.reload': 412,
  'compose.redeploy': 412,
  'compose.approve': 409,
  ...Object.fromEntries(
    databaseKindNames.flatMap((kind) => [
      [`${kind}.upgrade`, 412],
      [`${kind}.removeFormerVolume`, 400],
    ]),
  ),
};
const harmless = new Map<string, Answer>();

describe('the corpus', () => {
  it('meets fields that are really read: with harmless values the calls succeed', async () => {
    const [place] = places;
    if (!place) throw new Error('There is no place to work in.');
    for (const { path, procedure } of procedures) {
      const isMoreThanIds = textFields(procedure).some(
        ({ path: [name = ''] }) => !/Ids?$/.test(name) && name !== 'cursor',
      );
      if (!isMoreThanIds) continue;
      const answer = await place.call(path, inputFor(path, place.fixtures, `harmless-${path.split('.')[0]}`));
      harmless.set(path, answer);
      expect
        .soft([cannotSucceed[path] ?? 200].flat(), `${path}: ${answer.text.slice(0, 300)}`)
        .toContain(answer.status);
    }
  });

  it('is refused with the field named, or taken as plain data', async () => {
    const { isLong, seed } = modeOf();
    const whole = procedures.flatMap((procedure) =>
      textFields(procedure.procedure).flatMap((field, index) =>
        valuesFor(procedure.path, field, index).map(
          (value): HostileCase => ({
            procedure,
            field,
            value,
            harmless: harmless.get(procedure.path) ?? { status: 200, body: {} },
          }),
        ),
      ),
    );
    const cases = isLong ? whole : sampleOf(whole, ordinaryShare, createRandom(seed).next);
    const fields = new Set(whole.map(({ procedure, field }) => `${procedure.path} ${nameOf(field)}`));
    const began = performance.now();
    const verdicts = await judged(cases);
    const count = (kind: Verdict['kind']): number =>
      verdicts.filter((verdict) => verdict.kind === kind).length;
    console.log(
      `hostile input: ${values.length} values (every second for an everyday field, every fourth for an ` +
        `id or another field, every fifth for a field of a kind of database) × ${fields.size} fields = ` +
        `${whole.length} requests, of which ${cases.length} (seed ${seed}) in ` +
        `${((performance.now() - began) / 1000).toFixed(0)} s: ` +
        `${count('refused')} refused with the field named, ${count('shown')} taken and given back as they ` +
        `were, ${count('accepted')} taken where nothing is given back`,
    );
    expect(values.length / 2).toBeGreaterThanOrEqual(60);
    expect(fields.size).toBeGreaterThanOrEqual(200);
    expect(count('shown')).toBeGreaterThan(isLong ? 1000 : 1000 / ordinaryShare);
    expect(verdicts.flatMap((verdict) => (verdict.kind === 'wrong' ? [verdict.why] : []))).toEqual([]);
  }, 3_600_000);
});

/** The ordinary run tries one case in so many. */
const ordinaryShare = 10;

/**
 * What everybody deploys with, and accounts: here hostile text comes in first, so each field meets every
 * second value, 60 and more.
 */
const everyday: readonly string[] = [
  'project',
  'environment',
  'application',
  'deployment',
  'domain',
  'port',
  'mount',
  'sshKey',
  'registry',
  'user',
  'settings',
];
/** Four procedures with one contract and one handler, which share the values as the kinds of database do. */
const fromGitHosts = /^application\.save(?:Github|Gitlab|Bitbucket|Gitea)Provider$/;

/**
 * Every second value for an everyday field, the others for the next one, so that a rule which fields share
 * meets all; every fourth for a field of another noun, where the next procedure goes on with the next value,
 * and for an id, which is looked up and nothing else. The procedures of the kinds of database are made once
 * for all of them, so they share the values.
 */
function valuesFor(procedure: string, { path }: TextField, index: number): HostileValue[] {
  const [noun = ''] = procedure.split('.');
  const kind = databaseKindNames.findIndex((name) => name === noun);
  if (kind !== -1) return oneIn(databaseKindNames.length, index + kind);
  if (!everyday.includes(noun) || fromGitHosts.test(procedure))
    return oneIn(4, index + procedures.findIndex((each) => each.path === procedure));
  return oneIn(/Ids?$/.test(path.at(-1) ?? '') ? 4 : 2, index);
}

function oneIn(share: number, first: number): HostileValue[] {
  return values.filter((_, at) => at % share === first % share);
}

/** Judges all cases, as many at once as there are workers, in their order. */
async function judged(cases: readonly HostileCase[]): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  const queue = cases.entries();
  await Promise.all(
    places.map(async (place) => {
      for (const [index, next] of queue) verdicts[index] = await judge(next, place, `case-${index}`);
    }),
  );
  return verdicts;
}

describe('what comes with a request besides its input', () => {
  it('addresses are answered with our own envelope, whatever they are', async () => {
    for (const { name, text } of values) {
      for (const path of [
        `/api/${encoded(text)}`,
        `/api/trpc/${encoded(text)}`,
        `/api/project.all?input=${encoded(text)}`,
        `/api/project.all?cursor=${encoded(text)}&limit=1`,
        `/${encoded(text)}`,
      ]) {
        const { status, body } = await send(`${berth.url}${path}`, { headers: people.owner.headers });
        expect.soft([200, 400, 404, 405, 413], `${name}: ${path.slice(0, 100)}`).toContain(status);
        expect
          .soft(status === 200 || fieldOf(body, 'error') !== undefined, `${name}: ${path.slice(0, 100)}`)
          .toBe(true);
      }
    }
  });

  it('headers open nothing and break nothing', async () => {
    // What HTTP takes as a header's value at all: visible characters, and blanks between them.
    const sendable = values.filter(
      ({ text }) => text.length < 8000 && /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text),
    );
    expect(sendable.length).toBeGreaterThan(40);
    for (const { name, text } of sendable) {
      for (const header of [
        'x-api-key',
        'authorization',
        'cookie',
        'content-type',
        'last-event-id',
        'origin',
        'accept',
        'x-forwarded-for',
        'trpc-accept',
      ]) {
        const { status } = await send(`${berth.url}/api/user.get`, {
          headers: { [header]: header === 'authorization' ? `Bearer ${text}` : text },
        });
        expect.soft([400, 401, 415], `${header}: ${name}`).toContain(status);
      }
      expect
        .soft(
          (
            await send(`${berth.url}/api/project.create`, {
              body: '{"name":"x"}',
              headers: { ...people.owner.headers, 'content-type': text },
            })
          ).status,
          name,
        )
        .toBe(415);
    }
  });

  it('names of uploaded files are kept as text', async () => {
    const [place] = places;
    const { applicationId } = place?.fixtures ?? { applicationId: '' };
    // A form's file has no folders: of a path its last part is the name. Line breaks and quotes are sent
    // encoded.
    for (const { name, text } of values.filter(
      ({ text }) =>
        text.length < 200 && /^[^\r\n"\0\\/]+$/.test(text) && !/^\.*$/.test(text) && text.isWellFormed(),
    )) {
      const form = new FormData();
      form.append('applicationId', applicationId);
      form.append('file', new Blob([await archiveOf({ 'index.html': 'hello' })]), text);
      const answer = await send(`${berth.url}/api/application.dropDeployment`, {
        headers: people.owner.headers,
        body: form,
      });
      expect.soft(answer.status, `${name}: ${answer.text}`).toBe(200);
      const page = fieldOf(
        await valueOf(
          callerOf(berth.url, people.owner.headers)('deployment.all', { applicationId, limit: 1 }),
        ),
        'items',
      );
      expect.soft(fieldOf(firstOf(page), 'description'), name).toBe(text);
    }
  });

  it('sign-in takes text as text', async () => {
    const tried = await Promise.all(
      values
        .flatMap(({ text }) => [
          { email: text, password: 'correct horse battery' },
          { email: 'ada@example.com', password: text },
        ])
        .map(
          async (body) =>
            (
              await send(`${berth.url}/api/auth/sign-in/email`, {
                body,
                headers: { origin: berth.url },
                signal: AbortSignal.timeout(60_000),
              })
            ).status,
        ),
    );
    expect(new Set(tried)).toEqual(new Set([400, 401, 429]));
  });
});

describe('afterwards', () => {
  it('no queue is stuck and Berth has met nothing unexpected', async () => {
    for (const {
      call,
      fixtures: { applicationId },
    } of places) {
      await valueOf(call('application.cleanQueues', { applicationId }));
      await settled(call, applicationId);
    }
    const log = await berth.host.exec([
      'grep',
      '--text',
      '--max-count=20',
      '"level":"error"',
      '/run/bed/berth-1.log',
    ]);
    expect(log.stdout).toBe('');
    expect((await send(`${berth.url}/api/health`)).status).toBe(200);
  });

  it('no text was executed; the search would find what it did', async () => {
    const control = createCanaries(berth.host);
    const docker = '/usr/bin/docker';
    await berth.host.exec(['touch', control.fileOf(0)]);
    await berth.host.exec([docker, 'run', '--name', 'control', 'berth/node:24', 'touch', control.fileOf(1)]);
    await berth.host.exec([docker, 'build', '--tag', 'control', '-'], {
      env: { DOCKER_BUILDKIT: '1' },
      input: `FROM berth/node:24\nRUN touch ${control.fileOf(2)}\n`,
    });
    const found = await control.found();
    for (const index of [0, 1, 2])
      expect(
        found.some((path) => path.endsWith(control.fileOf(index))),
        control.fileOf(index),
      ).toBe(true);
    expect(await canaries.found()).toEqual([]);
  });
});

/** In an address; what cannot be encoded goes as its replacement. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
