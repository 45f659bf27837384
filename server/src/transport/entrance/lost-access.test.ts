/** What is open ends with the right to it, at the next heartbeat: streams of both forms, and uploads. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createStores } from '../../composition/stores.ts';
import { noGrants } from '../../domain/access/permissions.ts';
import { createPeople, type People, type Person } from '../../../../test/http/people.ts';
import { createPlace, type Place } from '../../../../test/http/places.ts';
import { serve, type TestServer } from '../../../../test/http/serve.ts';
import { temporaryDatabase } from '../../../../test/http/temporary-database.ts';
import { createTrial } from '../../../../test/http/trial.ts';
import { createUserStore } from '../../modules/user/store.ts';

const { database, remove } = await temporaryDatabase();
const users = createUserStore(database);
const trial = createTrial();
let server: TestServer;
let people: People;
let place: Place;

beforeAll(async () => {
  people = await createPeople(database);
  place = await createPlace(database, people.owner, 'Shop');
  server = await serve(database, [trial.router], { streamLimits: { heartbeatMs: 40, unreadMs: 5000 } });
});
afterAll(async () => {
  await server.close();
  await remove();
});

/** Somebody new, in the first organization, with what is needed for the project. */
async function somebody(name: string): Promise<Person> {
  await users.users.insert({
    userId: name,
    email: `${name}@example.com`,
    name,
    passwordHash: 'none',
    createdAt: '2026-01-01T00:00:00.000Z',
  });
  await users.members.insert({
    memberId: name,
    organizationId: people.owner.organizationId,
    userId: name,
    role: 'member',
    grants: { ...noGrants, accessedProjects: [place.projectId] },
    createdAt: '2026-01-01T00:00:00.000Z',
  });
  return people.newKey({ ...people.member, userId: name });
}

const losses: readonly [string, number, (person: Person) => Promise<unknown>][] = [
  ['a removed membership', 401, ({ userId }) => users.members.remove({ userId })],
  ['a deleted key', 401, ({ userId }) => users.keys.remove({ userId })],
  ['a key that is switched off', 401, ({ userId }) => users.keys.update({ userId }, { enabled: false })],
  ['a deleted session', 401, ({ userId }) => users.sessions.remove({ userId })],
  ['a lost grant', 403, ({ userId }) => users.members.update({ userId }, { grants: noGrants })],
  [
    'a required second factor',
    403,
    () => createStores(database).organizations.update({}, { requireTwoFactor: true }),
  ],
];
let names = 0;

describe.each(['', 'trpc/'])('a stream of the form /api/%s', (form) => {
  it.each(losses)('ends with %s', async (title, status, lose) => {
    const person = await somebody(`person-${(names += 1)}`);
    const bySession = title === 'a deleted session' || title === 'a required second factor';
    const headers = bySession ? await people.session(person, server.url) : person.headers;
    const input = encodeURIComponent(JSON.stringify({ projectId: place.projectId }));
    const response = await fetch(`${server.url}/api/${form}trial.ofProject?input=${input}`, {
      headers: { ...headers, accept: 'text/event-stream' },
      signal: AbortSignal.timeout(60_000),
    });
    expect(response.status).toBe(200);
    const abandoned = trial.state.abandoned;
    let text = '';
    let isLost = false;
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      // It has been looked at and let go on.
      if (isLost || text.split(': still here').length < 3) continue;
      isLost = true;
      await lose(person);
    }
    await createStores(database).organizations.update({}, { requireTwoFactor: false });
    expect(isLost).toBe(true);
    expect(text).toContain(`"httpStatus":${status}`);
    while (trial.state.abandoned === abandoned) await pause(5);
  });
});

it('counts no look against the limits of a key', async () => {
  const person = await people.newKey(people.owner, {
    rateLimitEnabled: true,
    rateLimitMax: 1,
    rateLimitTimeWindow: 3_600_000,
  });
  const leave = new AbortController();
  const response = await fetch(`${server.url}/api/trial.quiet`, {
    headers: { ...person.headers, accept: 'text/event-stream' },
    signal: leave.signal,
  });
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    if (text.split(': still here').length > 4) break;
  }
  expect(text).not.toContain('error');
  leave.abort();
});

it('ends an upload whose sender was removed while it came', async () => {
  const person = await somebody('uploader');
  let isSending = true;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (!isSending) {
        controller.close();
        return;
      }
      controller.enqueue(new Uint8Array(10));
      await pause(10);
    },
  });
  const init: RequestInit & { duplex: 'half' } = {
    method: 'POST',
    headers: { ...person.headers, 'content-type': 'application/octet-stream' },
    body,
    duplex: 'half',
    signal: AbortSignal.timeout(60_000),
  };
  const answer = fetch(`${server.url}/api/trial.receive?label=x`, init);
  while (trial.state.received === 0) await pause(5);
  await users.members.remove({ userId: 'uploader' });
  const { status } = await answer;
  isSending = false;
  expect(status).toBe(401);
});
