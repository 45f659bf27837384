/**
 * Templates in a real browser on a real engine: each chosen in the gallery, deployed with stand-in images for
 * its products, and answering at its address; those of Berth, and those of a catalogue of other platforms.
 */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { templatesFolder } from '../../../server/src/composition/product-files.ts';
import { createTemplates } from '../../../server/src/modules/template/template.ts';
import type { Template } from '../../../server/src/modules/template/record.ts';
import { bedOfRun } from '../../bed/bed-of-run.ts';
import { caprover, coolify, dokploy } from '../../catalogues/catalogues.ts';
import { ofThisRun } from '../../run/mode.ts';
import { openPage, signIn, startBrowser, type Watched } from '../../web/browser.ts';
import { applicationFixture, deploymentEnded, until } from '../fixtures/applications.ts';
import { berthHost, type BerthHost, type DeploymentView } from '../fixtures/berth-host.ts';
import { createRepository } from '../fixtures/repository.ts';
import { makeStandIns } from './stand-in-images.ts';

const berthTemplates = await createTemplates(templatesFolder).all();
const formats = { dokploy, coolify, caprover };
/** Of other platforms, as `berth template catalogue add` reads them: catalogue and template. */
type Known = Pick<Template, 'name' | 'title' | 'images'> & { variables: Template['variables'] };

let berth: BerthHost;
let browser: Browser;
let owner: Watched;

const portsOf = ({ file, domains }: Pick<Template, 'file' | 'domains'>): number[] => [
  ...domains.map(({ port }) => port),
  ...[...file.matchAll(/(?:127\.0\.0\.1|localhost):(\d+)/g)].map(([, port]) => Number(port)),
  ...[...file.matchAll(/(?:127\.0\.0\.1|localhost)\//g)].map(() => 80),
];

beforeAll(async () => {
  const bed = await bedOfRun();
  browser = await startBrowser();
  berth = await berthHost(bed, 'templates', 105);
  await applicationFixture(berth, {});
  const others: Template[] = [];
  for (const [name, files] of Object.entries(formats)) {
    const { url } = await createRepository(berth.host, `catalogue-${name}`, files);
    const { templateCatalogueId } = await berth.call<{ templateCatalogueId: string }>(
      'templateCatalogue.create',
      { name, url },
    );
    for (const listed of await berth.call<(Known & { catalogue: unknown })[] & object>('template.all'))
      if (JSON.stringify(listed.catalogue).includes(templateCatalogueId))
        others.push(await berth.call('template.one', { name: listed.name, templateCatalogueId }));
  }
  const all = [...berthTemplates, ...others];
  const images = [...new Set(all.flatMap((one) => one.images.map((image) => withoutVariables(image, one))))];
  await berth.call('settings.update', { sharedImages: images.map((image) => image.split(':')[0] ?? image) });
  await makeStandIns(berth.host, images, all.flatMap(portsOf));
  owner = await openPage(browser);
  await signIn(owner, berth.url, 'ada@example.com', 'correct horse battery');
}, 600_000);
afterAll(async () => {
  await browser?.close();
  await berth?.host.kill();
});

/** `shop:${TAG:-1.2}` as it is with the variables of the template. */
const withoutVariables = (image: string, { variables }: Template): string =>
  image.replace(
    /\$\{(\w+)(?::?-([^}]*))?\}/g,
    (_all, name: string, otherwise?: string) =>
      variables.find((one) => one.name === name)?.value || (otherwise ?? ''),
  );

const fitting = (pattern: string | null): string =>
  ['ops@example.com', '8080'].find((value) => RegExp(`^(?:${pattern ?? '.*'})$`).test(value)) ?? 'given';

type Deployed = DeploymentView & { composeId?: string };

/** Chooses it as a person does, gives what is asked for, and deploys. */
async function deployed(catalogue: string, { title, variables }: Known): Promise<Deployed> {
  const { page } = owner;
  await page.goto(`${berth.url}/new`);
  await page.getByRole('radio', { name: /Template/ }).click();
  await page.getByLabel('Catalogue', { exact: true }).selectOption({ label: catalogue });
  await page.getByRole('searchbox', { name: 'Search templates' }).fill(title);
  await page
    .getByRole('button', { name: new RegExp(`^${title}`) })
    .first()
    .click();
  await page.getByRole('heading', { name: title }).waitFor();
  for (const { name, required, generate, value, pattern } of variables)
    if (required && generate === null && value === '')
      await page.getByLabel(name, { exact: true }).fill(fitting(pattern));
  await page.getByRole('button', { name: 'Deploy', exact: true }).click();
  await page.waitForURL(/\/deployments\//);
  const deploymentId = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  return deploymentEnded(berth, title, deploymentId);
}

async function expectRuns(catalogue: string, template: Known): Promise<void> {
  const deployment = await deployed(catalogue, template);
  if (deployment.errorMessage?.includes('setrlimit `RLIMIT_NOFILE`')) {
    console.log(`${template.title}: this machine lets no container have as many open files as it asks for.`);
    return;
  }
  const log = (await berth.log(deployment.deploymentId)).join('\n');
  expect({ ...deployment, log }).toMatchObject({ status: 'done', errorMessage: null });
  const { composeId = '' } = deployment;
  const { domains } = await berth.call<{ domains: { host: string; path: string }[] }>('compose.one', {
    composeId,
  });
  for (const { host, path } of domains)
    await until(`${template.title} answers at ${host}`, async () =>
      (await berth.proxied(host, path)).body.startsWith('UP'),
    );
  expect(owner.faults).toEqual([]);
  // The page would ask for what is gone.
  await owner.page.goto('about:blank');
  await berth.call('compose.delete', { composeId, deleteVolumes: true });
}

it.each(
  ofThisRun(
    berthTemplates.map((one) => [one.name, one] as const),
    10,
  ),
)(
  'the template %s is deployed and answers',
  async (_name, template) => expectRuns('Berth', template),
  300_000,
);

it.each(ofThisRun(Object.keys(formats), 3))(
  'templates of a catalogue in the format of %s are deployed and answer',
  async (catalogue) => {
    const all = await berth.call<
      (Known & { catalogue: { templateCatalogueId: string; name: string } | null })[] & object
    >('template.all');
    const own = all.filter((one) => one.catalogue?.name === catalogue);
    expect(own.length).toBeGreaterThan(0);
    for (const { name, catalogue: of } of own) {
      const { templateCatalogueId } = of ?? { templateCatalogueId: '' };
      await expectRuns(catalogue, await berth.call('template.one', { name, templateCatalogueId }));
    }
  },
  600_000,
);
