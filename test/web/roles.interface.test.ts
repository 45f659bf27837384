/**
 * Each screen as each role: whatever is not theirs is neither on the page, nor in what the page was sent, nor
 * in what it keeps; and no page breaks for the lack of it.
 */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { callerOf, valueOf } from '../e2e/fixtures/caller.ts';
import { hiddenTexts, type Fixtures } from '../world/fixtures.ts';
import type { PersonName } from '../world/people.ts';
import type { Program } from '../world/program.ts';
import { startWithWorlds } from '../world/started.ts';
import type { World } from '../world/world.ts';
import { ofThisRun } from '../run/mode.ts';
import { openPage, settled, startBrowser, type Watched } from './browser.ts';
import { screensOf, withoutEngine } from './screens-of.ts';

let program: Program;
let world: World;
let browser: Browser;

beforeAll(async () => {
  browser = await startBrowser();
  ({ program, first: world } = await startWithWorlds());
});
afterAll(async () => {
  await browser?.close();
  await program?.[Symbol.asyncDispose]();
});

/** What a refused page is told, in words. */
const refusals = [403, 404, ...withoutEngine];

/** Ids of services and projects, and what only those who reach them may read. */
const ofServices = ({ own }: World): string[] => [
  'readable-password',
  'readable-root-password',
  ...pick(own, [
    'applicationId',
    'otherApplicationId',
    'composeId',
    'postgresId',
    'deploymentId',
    'environmentId',
  ]),
];
const ofLeaders = ({ own }: World): string[] =>
  pick(own, ['registryId', 'notificationId', 'certificateId', 'invitationId', 'freeDestinationId']);
const pick = (fixtures: Fixtures, names: readonly string[]): string[] =>
  names.map((name) => fixtures[name] ?? '').filter((id) => id !== '');

interface Case {
  who: PersonName;
  /** That nobody of this role may ever be sent. */
  hidden: (world: World) => string[];
}

/** Nobody sees the other organization, or what is never read out. */
const always = ({ foreign }: World): string[] => [
  ...Object.values(hiddenTexts),
  ...pick(foreign, ['applicationId', 'postgresId', 'projectId', 'environmentId', 'serverId', 'registryId']),
];

/** They see all of the organization, or nothing of it: the ordinary run takes one by its seed. */
const ends: readonly Case[] = [
  { who: 'owner', hidden: () => [] },
  { who: 'admin', hidden: () => [] },
  { who: 'elsewhere', hidden: (seen) => [...ofLeaders(seen), ...ofServices(seen)] },
];
const cases: readonly Case[] = [
  ...ofThisRun(ends, 3),
  { who: 'granted', hidden: ofLeaders },
  { who: 'member', hidden: (seen) => [...ofLeaders(seen), ...ofServices(seen)] },
];

it.each(cases)('$who is sent nothing that is not theirs', async ({ who, hidden }) => {
  const watched = await openAs(who);
  const sent = keepAnswers(watched);
  const found: Record<string, string[]> = {};
  const texts = [...always(world), ...hidden(world)];
  for (const screen of screensOf(world)) {
    await watched.page.goto(`${program.url}${screen}`);
    await settled(watched.page);
    const kept = await watched.page.evaluate<string>(
      'JSON.stringify([document.documentElement.outerHTML, { ...localStorage }, { ...sessionStorage }])',
    );
    const answered = sent();
    // The address itself names what was asked for.
    const asked = new Set(screen.split(/[/?=]/));
    const faults = [
      ...watched.faults.splice(0),
      ...texts
        .filter((text) => !asked.has(text) && (kept.includes(text) || answered.includes(text)))
        .map((text) => `holds ${text}`),
    ];
    if (faults.length > 0) found[screen] = faults;
  }
  expect(found).toEqual({});
  await watched.context.close();
});

it('whoever may not read secrets is sent none, of what they reach', async () => {
  const { owner, granted } = world.people;
  const call = callerOf(program.url, owner.byKey);
  await valueOf(
    call('organization.updateMember', { userId: granted.userId, grants: { canReadSecrets: false } }),
  );
  const watched = await openAs('granted');
  const sent = keepAnswers(watched);
  const holdsPasswords = (screen: string): boolean => screen.startsWith('/databases/');
  const screens = Map.groupBy(screensOf(world), holdsPasswords);
  for (const screen of [...(screens.get(true) ?? []), ...ofThisRun(screens.get(false) ?? [], 3)]) {
    await watched.page.goto(`${program.url}${screen}`);
    await settled(watched.page);
  }
  const answered = sent();
  expect(answered).toContain(world.own['postgresId']);
  expect(answered).not.toContain('readable-password');
  expect(answered).not.toContain('readable-root-password');
  expect(watched.faults).toEqual([]);
  await watched.context.close();
});

async function openAs(who: PersonName): Promise<Watched> {
  const watched = await openPage(browser);
  for (const status of refusals) watched.expect(status);
  const [name = '', value = ''] = (world.people[who].bySession['cookie'] ?? '').split('=');
  await watched.context.addCookies([{ name, value, url: program.url }]);
  return watched;
}

/** Everything that the pages were answered since it was read last. */
function keepAnswers({ page }: Watched): () => string {
  const texts: string[] = [];
  page.on('response', (response) => {
    const isRead = (response.headers()['content-type'] ?? '').startsWith('application/json');
    // One that a later page broke off has nothing to look at.
    if (isRead)
      response.text().then(
        (text) => texts.push(text),
        () => undefined,
      );
  });
  return () => texts.splice(0).join('\n');
}
