/** What people come for, each from Home in the steps that are promised. */
import { beforeAll, expect, it } from 'vitest';
import type { Watched } from '../../web/browser.ts';
import { nodeFiles } from '../fixtures/sources.ts';
import { startLoad, expectAllAnswered } from '../fixtures/load.ts';
import type { App, ApplicationFixture } from '../fixtures/applications.ts';
import type { Repository } from '../fixtures/repository.ts';
import { shell, stepsOn } from './steps.ts';

const name = 'daily';
const deployLimitMs = 240_000;

export function jobTests(place: () => ApplicationFixture, owner: () => Promise<Watched>): void {
  let app: App & { repository: Repository };
  /** Of the first release. */
  let commit = '';

  beforeAll(async () => {
    app = await place().fromFiles(name, nodeFiles('v1'));
    commit = (await app.deploy()).commit ?? '';
    await app.do('application.saveEnvironment', { env: 'COLOUR=blue' });
    await app.repository.commit(nodeFiles('v2'));
    await app.deploy();
    await app.repository.commit(nodeFiles('v3', ['RUN echo the disk is upside down && exit 7']));
    await app.ended(await app.begin());
  });

  const row = ({ page }: Watched) => page.getByRole('main').getByRole('link', { name: RegExp(`^${name}`) });
  const tab = ({ page }: Watched, title: string) =>
    page.getByRole('navigation', { name: 'Of this service' }).getByRole('link', { name: title });

  async function home(): Promise<Watched> {
    const watched = await owner();
    await row(watched).waitFor();
    return watched;
  }

  it('1: what is up, and what is not, is there without a click', async () => {
    const watched = await home();
    await row(watched).getByText('Up', { exact: true }).waitFor();
    // A release that failed did no harm, and is said all the same.
    await row(watched).getByText('last deployment failed').first().waitFor();
    await watched.page.getByText(/^\d+ up$/).waitFor();
    expect(watched.faults).toEqual([]);
    await watched.context.close();
  });

  it('2: the log of what runs, in two clicks or by keys', async () => {
    const watched = await home();
    const { page, context } = watched;
    const clicks = stepsOn(page);
    await clicks.click(row(watched));
    await clicks.click(tab(watched, 'Logs'));
    await page.getByRole('log').getByText('listening as v2').waitFor();
    expect(clicks.count).toBe(2);
    await page.goto(place().berth.url);
    await row(watched).waitFor();
    const keys = stepsOn(page);
    await keys.key('Control+k');
    await page.getByLabel('Find a service or an action').waitFor();
    await keys.type(name);
    await page
      .getByRole('option', { name: RegExp(`^${name}`) })
      .first()
      .waitFor();
    await keys.type('', 'Enter');
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    await keys.key('l');
    await page.getByRole('log').getByText('listening as v2').waitFor();
    expect(keys.count).toBe(2);
    expect(watched.faults).toEqual([]);
    await context.close();
  });

  it('3: why it failed, in one click, with the line where it broke', async () => {
    const watched = await home();
    const { page, context } = watched;
    const steps = stepsOn(page);
    await steps.click(
      page.getByRole('link', { name: `Open log: why the last deployment of ${name} failed` }),
    );
    await page.getByRole('alert').getByText('Failed: Build').waitFor();
    await page.getByRole('log').getByText('the disk is upside down').first().waitFor();
    expect(steps.count).toBe(1);
    expect(watched.faults).toEqual([]);
    await context.close();
  });

  it('5: rolled back in two clicks on its page, which say what goes back; no request fails', async () => {
    const watched = await home();
    const { page, context } = watched;
    await row(watched).click();
    const load = startLoad({
      ip: place().berth.host.ip,
      hostName: app.host,
      path: '/version',
      perSecond: 100,
    });
    const steps = stepsOn(page);
    await steps.click(page.getByRole('button', { name: /^Roll back to/ }).last());
    const dialog = page.getByRole('dialog');
    await dialog.getByText(`at commit ${commit.slice(0, 7)}`).waitFor();
    await dialog.getByText(/these settings and variables go back: .*COLOUR/).waitFor();
    await steps.click(dialog.getByRole('button', { name: 'Roll back' }));
    await page.getByRole('heading', { name: /^Rollback/ }).waitFor();
    await page
      .getByRole('main')
      .getByText('Done', { exact: true })
      .first()
      .waitFor({ timeout: deployLimitMs });
    expect(steps.count).toBe(2);
    const { answers } = await expectAllAnswered(app.appName, load);
    expect(Object.keys(answers)).toEqual(['v2', 'v1']);
    expect(watched.faults).toEqual([]);
    await context.close();
  });

  it('4: a variable is changed by one key, saved, deployed, and seen in the container', async () => {
    await app.repository.commit(nodeFiles('v4'));
    const watched = await home();
    const { page, context } = watched;
    const steps = stepsOn(page);
    await steps.click(row(watched));
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    await steps.key('v');
    const value = page.getByLabel('Value of COLOUR');
    await value.fill('deep green');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('link', { name: /1 change not deployed/ }).waitFor();
    await value.fill('red');
    await value.focus();
    await steps.type('', 'Control+Enter');
    await page.waitForURL(/\/deployments\//);
    await page
      .getByRole('main')
      .getByText('Done', { exact: true })
      .first()
      .waitFor({ timeout: deployLimitMs });
    expect(steps.count).toBe(2);
    expect((await app.state()).env['COLOUR']).toBe('red');
    expect(watched.faults).toEqual([]);
    await context.close();
  });

  it('6: what uses memory, in one choice, with the line of a day', async () => {
    const watched = await home();
    const { page, context } = watched;
    const steps = stepsOn(page);
    await steps.choose(page.getByLabel('Sort'), 'memory');
    await row(watched)
      .getByText(/^\d.* MiB$/)
      .waitFor();
    await row(watched)
      .getByRole('img', { name: /Memory in the last day; now/ })
      .waitFor();
    expect(steps.count).toBe(1);
    expect(new URL(page.url()).searchParams.get('sort')).toBe('memory');
    expect(watched.faults).toEqual([]);
    await context.close();
  });

  it('7: a domain, in three clicks', async () => {
    const watched = await home();
    const { page, context } = watched;
    const steps = stepsOn(page);
    await steps.click(row(watched));
    await steps.click(tab(watched, 'Domains'));
    await steps.click(page.getByRole('button', { name: 'Add domain' }));
    await page.getByRole('dialog').getByLabel('Host').focus();
    await steps.type('other.localhost', 'Enter');
    await page.getByRole('link', { name: 'http://other.localhost' }).waitFor();
    expect(steps.count).toBe(3);
    expect((await place().berth.proxied('other.localhost', '/version')).body).toBe('v4');
    expect(watched.faults).toEqual([]);
    await context.close();
  });

  it('8: a shell, by one key', async () => {
    const watched = await home();
    const { page, context } = watched;
    await row(watched).click();
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    const steps = stepsOn(page);
    await steps.key('t');
    await page.getByText(shell).first().waitFor();
    expect(steps.count).toBe(1);
    expect(watched.faults).toEqual([]);
    await context.close();
  });

  it('10: somebody is invited in three clicks and an address', async () => {
    const watched = await home();
    const { page, context } = watched;
    const steps = stepsOn(page);
    await steps.click(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Settings' }));
    await steps.click(
      page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Members' }),
    );
    await steps.click(page.getByRole('button', { name: 'Invite' }));
    await page.getByRole('dialog').getByLabel('Email').focus();
    await steps.type('carl@example.com', 'Enter');
    await page
      .getByText(/\/join#/)
      .first()
      .waitFor();
    expect(steps.count).toBe(3);
    expect(watched.faults).toEqual([]);
    await context.close();
  });
}
