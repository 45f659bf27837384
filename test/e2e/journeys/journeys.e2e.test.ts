/**
 * A person with a bare machine, the README and a browser: the two commands that it begins with, then the jobs
 * that people come for, by mouse, keys and words of the command line. Their git repositories, and the
 * addresses that the machine has, are the bed's; everything else is the person's.
 */
import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bedOfRun } from '../../bed/bed-of-run.ts';
import type { BedHost } from '../../bed/host/host.ts';
import { openPage, startBrowser, type Watched } from '../../web/browser.ts';
import { createRepository, type Repository } from '../fixtures/repository.ts';
import { tinyFiles } from '../fixtures/sources.ts';
import { releaseArchive, releasedArch as arch } from '../machine/release-archive.ts';
import { laterJobs } from './later-jobs.ts';
import { mostEffort, personAt, type Effort, type Job, type Person } from './person.ts';
import { commandLike, commandsOf } from './readme.ts';

const deployLimitMs = 240_000;
/** The person's own application; the example of set-up is "hello". */
const application = 'shop';
const serving = 'echo serving v1; exec httpd -f -p 3000 -h /www';
let host: BedHost;
let browser: Browser;
let url: string;
let folder: string;
let owner: Watched;
/** As the README has people find it. */
let credentials: { email: string; password: string };
let repository: Repository;
const done = new Map<Job, Effort>();

beforeAll(async () => {
  const bed = await bedOfRun();
  browser = await startBrowser();
  host = await bed.host('person', { index: 60, root: 'equipped', images: true });
  url = `http://${host.ip}:3000`;
  await releaseArchive(host, '/root');
  repository = await createRepository(host, application, tinyFiles('v1', { start: serving }));
}, 600_000);
afterAll(async () => {
  for (const [job, { clicks, fields }] of done) {
    const most = mostEffort[job];
    console.log(
      `${job}: ${clicks} clicks, ${fields} fields (a newcomer before: ${most.clicks}, ${most.fields})`,
    );
  }
  console.log(`${done.size} of ${Object.keys(mostEffort).length} jobs`);
  await browser?.close();
  await host?.kill();
});

/** A command as it is typed at the machine, in the folder that was unpacked. */
async function typed(command: string, input = ''): Promise<string> {
  const run = await host.exec(['bash', '-c', command], { cwd: folder, limitMs: 600_000, input });
  if (run.code !== 0) throw new Error(`${command} ended with ${run.code}:\n${run.stdout}${run.stderr}`);
  return `${run.stdout}${run.stderr}`;
}

/** Does a job from Home, and holds it to what it may cost. */
async function expectJob(name: Job, act: (person: Person) => Promise<void>): Promise<void> {
  const person = personAt(owner.page);
  await act(person);
  done.set(name, person.effort);
  expect(person.effort.clicks, `clicks of "${name}"`).toBeLessThanOrEqual(mostEffort[name].clicks);
  expect(person.effort.fields, `fields of "${name}"`).toBeLessThanOrEqual(mostEffort[name].fields);
  expect(owner.faults).toEqual([]);
}

const home = async (): Promise<void> => {
  await owner.page.goto(url);
  await owner.page.getByRole('heading', { level: 1 }).first().waitFor();
};
const service = (name: string): Locator =>
  owner.page.getByRole('main').getByRole('link', { name: RegExp(`^${name}`) });
const tab = (title: string): Locator =>
  owner.page.getByRole('navigation', { name: 'Of this service' }).getByRole('link', { name: title });
const main = (text: string | RegExp): Locator => owner.page.getByRole('main').getByText(text);
const isDone = (): Promise<void> => shown(main(/^Done$/).first());

/** Waits for what takes a deployment's time; a failure says what stands there instead. */
async function shown(what: Locator, limitMs = deployLimitMs): Promise<void> {
  await what.waitFor({ timeout: limitMs }).catch(async (error: unknown) => {
    throw new Error(`${String(error)}\n${await owner.page.getByRole('main').innerText()}`);
  });
}

describe('the README', () => {
  it('two commands bring up Berth with an example that answers', { timeout: 900_000 }, async () => {
    const unpack = commandLike('Start in 60 seconds', 'tar ').replace('linux-x64', `linux-${arch}`);
    folder = '/root';
    folder = (await typed(`${unpack.replaceAll('linux-x64', `linux-${arch}`)} && pwd`)).trim();
    const begun = Date.now();
    const said = await typed(commandLike('Start in 60 seconds', './bin/up --example'));
    console.log(`the README's two commands: ${((Date.now() - begun) / 1000).toFixed(1)} s`);
    const [, email = '', file = ''] = /Sign in as (\S+); the password is in (\S+)/.exec(said) ?? [];
    credentials = { email, password: JSON.parse(await typed(`cat ${file}`)).password };
    expect(said).toMatch(/The example is at http:\/\/hello\.localhost/);
  });

  it('the commands after them work as they stand there', async () => {
    const section = 'Your first deployment';
    const login = commandLike(section, './bin/berth login').replace('EMAIL', credentials.email);
    await typed(login, `${credentials.password}\n`);
    // The bed's git host is a folder of the machine.
    await typed(`./bin/berth api settings.update --localRepositoryPaths '["/srv/git"]'`);
    for (const command of commandsOf(section)) {
      if (!/^\.\/bin\/berth (status|help)/.test(command)) continue;
      expect(await typed(command), command).not.toBe('');
    }
  });
});

describe('the jobs', () => {
  beforeAll(async () => {
    owner = await openPage(browser);
    await owner.page.goto(url);
    await owner.page.getByLabel('Email').fill(credentials.email);
    await owner.page.getByLabel('Password').fill(credentials.password);
    await owner.page.getByRole('button', { name: 'Sign in' }).click();
    await owner.page.getByRole('heading', { name: 'Home' }).waitFor();
  });

  it('deploy from a git address', { timeout: 300_000 }, () =>
    expectJob('deploy from a git address', async (person) => {
      const { page } = person;
      await person.click(page.getByRole('link', { name: 'New service' }).first());
      await page.getByLabel('Git address').waitFor();
      await page.keyboard.type(repository.url);
      person.effort.fields += 1;
      await person.click(page.getByRole('button', { name: 'Deploy' }));
      await page.waitForURL(/\/deployments\//);
      // The build log is there without another click.
      await page.getByRole('log').getByText('Dockerfile').first().waitFor();
      await isDone();
      await main(/is released at/)
        .first()
        .waitFor();
    }),
  );

  it('paste a .env and redeploy', { timeout: 300_000 }, async () => {
    await home();
    await service(application).last().click();
    await expectJob('paste a .env and redeploy', async (person) => {
      const { page } = person;
      await person.click(tab('Variables'));
      await person.click(page.getByRole('button', { name: 'Add variable' }));
      await person.paste(page.getByLabel('Name', { exact: true }), 'GREETING=hello\nCOLOUR="deep blue"\n');
      await page.getByLabel('Value of COLOUR').waitFor();
      await person.click(page.getByRole('button', { name: 'Save and deploy' }));
      await page.waitForURL(/\/deployments\//);
      await isDone();
      await main('COLOUR').first().waitFor();
    });
  });

  it('read and search logs', async () => {
    await home();
    await service(application).last().click();
    await expectJob('read and search logs', async ({ page, ...person }) => {
      await person.click(tab('Logs'));
      const line = page.getByRole('log').getByText('serving v1').first();
      await line.waitFor();
      await person.type(page.getByRole('searchbox').first(), 'serving');
      await page.waitForURL(/q=serving/);
      await line.waitFor();
    });
  });

  it('see why a build failed', { timeout: 300_000 }, async () => {
    await repository.commit({ Dockerfile: 'FROM berth/node:24\nRUNN npm ci\n' });
    await home();
    await service(application).last().click();
    await expectJob('see why a build failed', async (person) => {
      await person.click(person.page.getByRole('button', { name: 'Deploy', exact: true }));
      await person.page
        .getByRole('alert')
        .getByText(/unknown instruction: RUNN/)
        .first()
        .waitFor({ timeout: deployLimitMs });
    });
  });

  it('roll back', { timeout: 300_000 }, async () => {
    await home();
    await expectJob('roll back', async (person) => {
      const { page } = person;
      await person.click(service(application).last());
      await person.click(page.getByRole('button', { name: /^Roll back/ }).last());
      await person.click(page.getByRole('dialog').getByRole('button', { name: 'Roll back' }));
      await page.getByRole('heading', { name: /^Rollback/ }).waitFor();
      await isDone();
    });
    // The person mends the file at leisure.
    await repository.commit(tinyFiles('v2', { start: serving }));
  });

  it('open a terminal', async () => {
    await home();
    await service(application).last().click();
    await expectJob('open a terminal', async (person) => {
      await person.click(tab('Terminal'));
      await person.page.getByLabel(/Shell in/).waitFor();
      await person.page.getByLabel(/Shell in/).focus();
      await person.page.keyboard.type('echo it is $((40 + 2))\n');
      await person.page.locator('.xterm').getByText('it is 42').first().waitFor();
    });
  });

  it('make an API key, which the command line takes', async () => {
    await home();
    let key = '';
    await expectJob('make an API key', async (person) => {
      const { page } = person;
      await person.click(
        page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Settings' }),
      );
      await person.click(
        page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'API keys' }),
      );
      await person.click(page.getByRole('button', { name: 'New key' }));
      await person.type(page.getByRole('dialog').getByLabel('Name'), 'laptop');
      await person.click(page.getByRole('button', { name: 'Make key' }));
      const shown = page
        .getByRole('dialog')
        .getByText(/^berth_/)
        .first();
      await shown.waitFor();
      key = ((await shown.textContent()) ?? '').trim();
      await person.click(page.getByRole('button', { name: 'Done' }));
    });
    await typed('./bin/berth login --url http://localhost:3000', `${key}\n`);
    expect(await typed('./bin/berth ps')).toContain(application);
  });

  it('be invited and sign up', async () => {
    await home();
    await expectJob('be invited and sign up', async (person) => {
      const { page } = person;
      await person.click(
        page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Settings' }),
      );
      await person.click(
        page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Members' }),
      );
      await person.click(page.getByRole('button', { name: 'Invite' }));
      await person.type(page.getByRole('dialog').getByLabel('Email'), 'milo@example.com');
      await person.enter();
      const shown = page.getByText(/\/join#/).first();
      await shown.waitFor();
      const link = ((await shown.textContent()) ?? '').trim();
      await person.click(page.getByRole('button', { name: 'Done' }));
      const invited = await openPage(browser);
      const guest = personAt(invited.page);
      await invited.page.goto(link);
      await guest.type(invited.page.getByLabel('Name'), 'Milo');
      const email = invited.page.getByLabel('Email');
      if ((await email.count()) > 0 && (await email.inputValue()) === '')
        await guest.type(email, 'milo@example.com');
      await guest.type(invited.page.getByLabel('Password'), 'correct horse battery');
      await guest.click(invited.page.getByRole('button', { name: 'Create your account' }));
      await invited.page.getByRole('heading', { name: 'Home' }).waitFor();
      person.effort.clicks += guest.effort.clicks;
      person.effort.fields += guest.effort.fields;
      expect(invited.faults).toEqual([]);
      await invited.context.close();
    });
  });

  it('deploy a template', { timeout: 120_000 }, async () => {
    await home();
    await owner.page.getByRole('link', { name: 'New service' }).first().click();
    await expectJob('deploy a template', async (person) => {
      const { page } = person;
      await person.click(page.getByRole('radio', { name: /Template/ }));
      await person.click(page.getByRole('button', { name: /Miniflux/ }));
      await page.getByRole('heading', { name: 'Miniflux' }).waitFor();
      await person.click(page.getByRole('button', { name: 'Deploy' }));
      await page.waitForURL(/\/(deployments|compose)\//);
    });
  });

  laterJobs({
    application,
    url: () => url,
    browser: () => browser,
    page: () => owner.page,
    expectJob,
    home,
    service,
    tab,
    main,
    isDone,
    shown,
    typed,
  });

  it('see CPU and memory', async () => {
    await home();
    await service(application).last().click();
    await expectJob('see CPU and memory', async (person) => {
      await person.page
        .getByRole('img', { name: /Memory/ })
        .first()
        .waitFor();
    });
  });

  it('delete an application', async () => {
    await home();
    await service(application).last().click();
    await expectJob('delete an application', async (person) => {
      const { page } = person;
      await person.click(tab('Settings'));
      await person.click(page.getByRole('button', { name: /^Delete/ }).last());
      await person.type(page.getByRole('dialog').getByLabel(/Type/), application);
      await person.click(page.getByRole('dialog').getByRole('button', { name: 'Delete' }));
      await page.getByText(`${application} is deleted`).first().waitFor();
    });
  });
});
