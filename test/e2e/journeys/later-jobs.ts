/** Jobs of the second hour: a domain, a database with its backup, people and a server. */
import type { Browser, Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { bedOfRun } from '../../bed/bed-of-run.ts';
import { openPage, signIn } from '../../web/browser.ts';
import type { Job, Person } from './person.ts';

const deployLimitMs = 240_000;

/** The person's place at the screen, and the machine. */
export interface Workplace {
  /** Name of the application that is there. */
  application: string;
  url(): string;
  browser(): Browser;
  page(): Page;
  expectJob(name: Job, act: (person: Person) => Promise<void>): Promise<void>;
  home(): Promise<void>;
  service(name: string): Locator;
  tab(title: string): Locator;
  main(text: string | RegExp): Locator;
  isDone(): Promise<void>;
  /** Waits for it; a failure says what stands there instead. */
  shown(what: Locator, limitMs?: number): Promise<void>;
  typed(command: string): Promise<string>;
}

export function laterJobs({
  application,
  url,
  browser,
  page: screen,
  expectJob,
  home,
  service,
  tab,
  main,
  isDone,
  shown,
  typed,
}: Workplace): void {
  it('add a domain and see its certificate', { timeout: 120_000 }, async () => {
    await home();
    await service(application).last().click();
    await expectJob('add a domain and see its certificate', async (person) => {
      const { page } = person;
      await person.click(tab('Domains'));
      await person.click(page.getByRole('button', { name: 'Add domain' }));
      await person.type(page.getByRole('dialog').getByLabel('Host'), 'shop.newcomer.example');
      await person.enter();
      await page.getByRole('list', { name: 'Certificate of shop.newcomer.example' }).waitFor();
      // What is to be entered at the DNS provider.
      await main(/^shop\.newcomer\.example A /).waitFor();
    });
  });

  it('connect a database by reference', { timeout: 600_000 }, async () => {
    await home();
    await expectJob('connect a database by reference', async (person) => {
      const { page } = person;
      await person.click(page.getByRole('link', { name: 'New service' }).first());
      await person.click(page.getByRole('radio', { name: /Database/ }));
      await person.type(page.getByLabel(/^Image/), 'berth/postgres:15');
      await person.type(page.getByLabel('Name', { exact: true }), 'db');
      await person.click(page.getByRole('button', { name: 'Deploy' }));
      await page.waitForURL(/\/deployments\//);
      await isDone();
      await home();
      await service('db').last().click();
      await tab('Data').click();
      const reference = main(/^\$\{\{db\.URL\}\}$/).first();
      await reference.waitFor();
      const copied = (await reference.textContent()) ?? '';
      await home();
      await person.click(service(application).last());
      await person.click(tab('Variables'));
      await person.click(page.getByRole('button', { name: 'Add variable' }));
      await person.paste(page.getByLabel('Name', { exact: true }).last(), `DATABASE_URL=${copied}\n`);
      await page.getByLabel('Value of DATABASE_URL').waitFor();
      await person.click(page.getByRole('button', { name: 'Save and deploy' }));
      await page.waitForURL(/\/deployments\//);
      await isDone();
    });
    const environment = await typed(`./bin/berth exec ${application} -- env`);
    expect(environment).toMatch(/DATABASE_URL=postgresql:\/\/db:[^@]+@db-/);
  });

  it('back up and restore', { timeout: 600_000 }, async () => {
    await home();
    await expectJob('back up and restore', async (person) => {
      const { page } = person;
      await person.click(
        page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Settings' }),
      );
      await person.click(
        page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Destinations' }),
      );
      await person.click(page.getByRole('button', { name: 'Add destination' }));
      const dialog = page.getByRole('dialog');
      await person.click(dialog.getByRole('radio', { name: 'Folder on this machine' }));
      await person.type(dialog.getByLabel('Name'), 'here');
      await person.click(dialog.getByRole('button', { name: /^Add/ }));
      await main('here').first().waitFor();
      await home();
      await person.click(service('db').last());
      await person.click(tab('Data'));
      await person.click(page.getByRole('button', { name: 'Back up now' }));
      const runs = page.locator('section', { has: page.getByRole('heading', { name: 'Runs' }) });
      await runs.getByText('Done', { exact: true }).first().waitFor({ timeout: deployLimitMs });
      await person.click(page.getByRole('button', { name: 'Restore', exact: true }));
      await person.click(dialog.getByRole('button', { name: /db-/ }).first());
      await person.type(page.getByLabel(/Type db/), 'db');
      await person.enter();
      await dialog
        .getByRole('status')
        .getByText('db runs on what was restored')
        .waitFor({ timeout: deployLimitMs });
    });
  });

  it('give a member limited rights', async () => {
    await home();
    await screen().getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Settings' }).click();
    await screen()
      .getByRole('navigation', { name: 'Settings' })
      .getByRole('link', { name: 'Members' })
      .click();
    await expectJob('give a member limited rights', async (person) => {
      const { page } = person;
      await person.click(page.getByRole('button', { name: 'More for Milo' }));
      await person.click(page.getByRole('menuitem', { name: 'Role and grants' }));
      const dialog = page.getByRole('dialog');
      await person.click(dialog.getByLabel('Example', { exact: true }));
      await person.click(dialog.getByRole('button', { name: 'Save' }));
      await dialog.waitFor({ state: 'detached' });
      const member = await openPage(browser());
      await signIn(member, url(), 'milo@example.com', 'correct horse battery');
      await member.page
        .getByRole('main')
        .getByRole('link', { name: RegExp(`^${application}`) })
        .waitFor();
      expect(member.faults).toEqual([]);
      await member.context.close();
    });
  });

  it('add a server', { timeout: 600_000 }, async () => {
    const bed = await bedOfRun();
    const other = await bed.host('other', { index: 61, engine: true, sshd: true });
    try {
      await home();
      await expectJob('add a server', async (person) => {
        const { page } = person;
        await person.click(
          page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Servers' }),
        );
        await person.click(page.getByRole('button', { name: 'Add server' }).first());
        const dialog = page.getByRole('dialog');
        await person.click(dialog.getByRole('button', { name: 'Make a key' }));
        const line = dialog.getByText(/authorized_keys/).first();
        await line.waitFor();
        const command = (await line.textContent()) ?? '';
        const pasted = await other.exec(['bash', '-c', `mkdir -p ~/.ssh; ${command}`], { limitMs: 60_000 });
        expect(pasted.code, pasted.stderr).toBe(0);
        await person.click(dialog.getByRole('button', { name: 'Continue' }));
        await person.type(dialog.getByLabel('Name', { exact: true }), 'frankfurt');
        await person.type(dialog.getByLabel('Address'), other.ip);
        await person.click(dialog.getByRole('button', { name: 'Add and set up' }));
        await page.waitForURL(/\/servers\//);
        await shown(page.getByRole('button', { name: 'Set up again' }), 400_000);
      });
    } finally {
      await other.kill();
    }
  });
}
