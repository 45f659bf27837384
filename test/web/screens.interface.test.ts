/**
 * Every screen of the dashboard on a seeded installation without an engine: nothing is logged, refused or
 * thrown, and axe finds nothing, in both themes, on a phone and on a desk.
 */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { password } from '../world/inputs.ts';
import type { Program } from '../world/program.ts';
import { startWithWorlds } from '../world/started.ts';
import type { World } from '../world/world.ts';
import { isWhole, modeOf, ofThisRun } from '../run/mode.ts';
import { doors, screensOf, withoutEngine } from './screens-of.ts';
import {
  accessibilityFaults,
  openPage,
  overflow,
  settled,
  signIn,
  startBrowser,
  type Watched,
} from './browser.ts';

let program: Program;
let world: World;
let browser: Browser;

beforeAll(async () => {
  browser = await startBrowser();
  ({ program, first: world } = await startWithWorlds(0, { withPasswords: true }));
});
afterAll(async () => {
  await browser?.close();
  await program?.[Symbol.asyncDispose]();
});

async function signedIn(who: 'owner' | 'member', look: Parameters<typeof openPage>[1]): Promise<Watched> {
  const watched = await openPage(browser, look);
  for (const status of withoutEngine) watched.expect(status);
  await signIn(watched, program.url, world.people[who].email, password);
  return watched;
}

/** The ordinary run takes both widths and both themes once, in one of the two ways by its seed. */
const looks = [
  [
    { width: 1280, scheme: 'light' },
    { width: 360, scheme: 'dark' },
  ],
  [
    { width: 1280, scheme: 'dark' },
    { width: 360, scheme: 'light' },
  ],
] as const;

/** The ordinary run opens each screen in one of its looks, by the seed. */
const isOpened = (screen: number, look: number): boolean =>
  isWhole() || (screen + look + modeOf().seed) % 2 === 0;

describe.each(
  ofThisRun(looks, 2)
    .flat()
    .map((look, at) => ({ ...look, at })),
)('at $width px, $scheme', ({ at, ...look }) => {
  it('every screen is whole and accessible', async () => {
    const watched = await signedIn('owner', look);
    const found = await faultsOn(
      watched,
      screensOf(world).filter((_, screen) => isOpened(screen, at)),
    );
    expect(found).toEqual({});
    await watched.context.close();
  });

  it('whoever has not signed in sees a door that is whole and accessible', async () => {
    const watched = await openPage(browser, look);
    expect(await faultsOn(watched, doors)).toEqual({});
    await watched.context.close();
  });
});

/** What is wrong with these screens, by their addresses. */
async function faultsOn(watched: Watched, screens: readonly string[]): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const screen of screens) {
    await watched.page.goto(`${program.url}${screen}`);
    const stuck = await settled(watched.page).then(
      () => [],
      (error: unknown) => [`never settled: ${String(error).slice(0, 200)}`],
    );
    const wide = await overflow(watched.page);
    const faults = [
      ...stuck,
      ...watched.faults.splice(0),
      ...(await accessibilityFaults(watched.page)),
      ...(wide > 0 ? [`wider than the page by ${wide} px`] : []),
    ];
    if (faults.length > 0) found[screen] = faults;
  }
  return found;
}
