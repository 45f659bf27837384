/** Catalogues of an organization's own, from real repositories: read, used, told of newer ones, removed. */
import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { caprover, coolify, dokploy } from '../../../../test/catalogues/catalogues.ts';
import { composeWorlds, shownTemplates } from '../../../../test/http/worlds/compose-world.ts';
import {
  addCommit,
  createGitFixture,
  makeRepository,
  type GitFixture,
} from '../../../../test/integration/git/git-fixture.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { createWorkFiles } from '../../adapters/files/work-files.ts';
import { createStores } from '../../composition/stores.ts';
import { systemClock } from '../../ports/clock.ts';
import { createReadCatalogue } from './read-catalogue.ts';
import { createTemplateCatalogues } from './template-catalogue.ts';

interface WholeOne {
  variables: {
    name: string;
    required: boolean;
    generate: string | null;
    value: string;
    pattern: string | null;
  }[];
}

const fitting = ({ pattern }: { pattern: string | null }): string =>
  ['given', 'ops@example.com', '8080'].find((value) => RegExp(`^(?:${pattern ?? '.*'})$`).test(value)) ?? '';

const described = [
  'title: Wiki',
  'description: Pages of ours.',
  'website: https://wiki.example.com',
  'service: app',
  'port: 8080',
  'firstSignIn: Sign in as admin.',
  'variables:',
  '  - name: TOKEN',
  '    description: Signs',
  '    generate: key',
  '',
].join('\n');
const wiki = (version: string): Record<string, string> => ({
  'ours/wiki/template.yml': described,
  'ours/wiki/compose.yml': `services:\n  app:\n    image: wiki:${version}\n`,
});

let git: GitFixture;
const { read } = shownTemplates;
beforeEach(() => {
  git = createGitFixture();
  shownTemplates.read = createReadCatalogue({
    files: createWorkFiles(),
    git: git.git,
    workRoot: join(git.folder, 'work'),
    localRepositoryPaths: async () => [git.folder],
    clock: systemClock,
  });
});
afterEach(() => {
  shownTemplates.read = read;
  git[Symbol.dispose]();
});

eachDatabase("catalogues of an organization's own", (test) => {
  const { begin } = composeWorlds(test);
  async function withCatalogue(files: Record<string, string>, input: object = {}) {
    const world = await begin();
    const folder = join(git.folder, 'ours.git');
    makeRepository(folder, files);
    const source = {
      folder,
      work: `${folder}-work`,
      commit: (changed: Record<string, string>) => addCommit(folder, 'main', changed),
      remove: () => rmSync(folder, { recursive: true }),
    };
    const made = (await world.owner.mutate('templateCatalogue.create', {
      name: 'Ours',
      url: folder,
      ...input,
    })) as { templateCatalogueId: string };
    return { ...world, source, made, templateCatalogueId: made.templateCatalogueId };
  }

  it('of every format are read with what was left out, and their templates deployed', async () => {
    const { owner, place } = await begin();
    let leftOut: object[] = [];
    for (const [name, files] of Object.entries({ dokploy, coolify, caprover, berth: wiki('1.0') })) {
      const url = join(git.folder, `${name}.git`);
      makeRepository(url, files);
      const made = (await owner.mutate('templateCatalogue.create', { name, url })) as {
        templateCatalogueId: string;
        templateCount: number;
        leftOut: object[];
      };
      expect(made).toMatchObject({ name, lastError: null, commit: expect.stringMatching(/^[0-9a-f]{40}$/) });
      expect(made).not.toHaveProperty('password');
      leftOut = [...leftOut, ...made.leftOut];
      const { templateCatalogueId, templateCount } = made;
      const all = (await owner.query('template.all')) as {
        name: string;
        catalogue: { templateCatalogueId: string } | null;
      }[];
      const own = all.filter(({ catalogue }) => catalogue?.templateCatalogueId === templateCatalogueId);
      expect(own).toHaveLength(templateCount);
      for (const { name: template } of own) {
        const { variables }: WholeOne = Object(
          await owner.query('template.one', { name: template, templateCatalogueId }),
        );
        const required = variables.filter((one) => one.required && one.generate === null && one.value === '');
        const created = await owner.mutate('template.create', {
          template,
          templateCatalogueId,
          environmentId: place.environmentId,
          variables: Object.fromEntries(required.map((one) => [one.name, fitting(one)])),
        });
        expect([name, template, created]).toEqual([
          name,
          template,
          expect.objectContaining({ deploymentId: expect.any(String) }),
        ]);
      }
    }
    expect(leftOut).toContainEqual({ name: 'broken', reason: expect.stringContaining('build') });
  });

  it('are read again; services made of their templates are told of newer ones, and follow', async () => {
    const { owner, place, source, database, templateCatalogueId } = await withCatalogue(wiki('1.0'));
    const { composeId } = (await owner.mutate('template.create', {
      template: 'wiki',
      templateCatalogueId,
      environmentId: place.environmentId,
    })) as { composeId: string };
    expect(await owner.query('template.updates')).toEqual([]);
    source.commit(wiki('2.0'));
    const stores = createStores(database);
    const catalogues = createTemplateCatalogues({
      store: stores.templateCatalogues,
      clock: systemClock,
      read: (of, signal) => shownTemplates.read(of, signal),
    });
    const { signal } = new AbortController();
    await catalogues.refreshOld(signal);
    expect(await owner.query('template.updates')).toEqual([]);
    await stores.templateCatalogues.update({ templateCatalogueId }, { lookedAt: Date.now() - 90_000_000 });
    await catalogues.refreshOld(signal);
    const images = [{ service: 'app', from: 'wiki:1.0', to: 'wiki:2.0' }];
    expect(await owner.query('template.updates')).toMatchObject([{ composeId, template: 'wiki', images }]);
    expect(await owner.mutate('template.apply', { composeId })).toMatchObject({ images });
    expect(await stores.composes.find({ composeId })).toMatchObject({
      composeFile: expect.stringContaining('wiki:2.0'),
      madeFrom: { template: 'wiki', catalogueId: templateCatalogueId },
    });
    expect(await owner.query('template.updates')).toEqual([]);
    source.commit(wiki('3.0'));
    await owner.mutate('templateCatalogue.refresh', { templateCatalogueId });
    expect(await owner.query('template.updates')).toHaveLength(1);
    await owner.mutate('templateCatalogue.remove', { templateCatalogueId });
    expect(await owner.query('template.updates')).toEqual([]);
    expect(await stores.templateCatalogues.templates.list({ templateCatalogueId })).toEqual([]);
    expect(await owner.query('template.changes', { composeId })).toBeNull();
  });

  it('that cannot be read any more keep what they gave, and say why', async () => {
    const { owner, source, templateCatalogueId, made } = await withCatalogue(wiki('1.0'));
    source.remove();
    expect(await owner.mutate('templateCatalogue.refresh', { templateCatalogueId })).toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(await owner.query('templateCatalogue.one', { templateCatalogueId })).toMatchObject({
      templateCount: 1,
      lastError: expect.any(String),
      commit: (made as unknown as { commit: string }).commit,
    });
    const elsewhere = { templateCatalogueId, url: 'https://git.example.com/acme/templates' };
    await owner.mutate('templateCatalogue.update', {
      templateCatalogueId,
      username: 'ci',
      password: 'token',
    });
    expect(await owner.mutate('templateCatalogue.update', elsewhere)).toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining('password'),
    });
    expect(await owner.mutate('templateCatalogue.update', { ...elsewhere, password: 'other' })).toMatchObject(
      { url: elsewhere.url, username: 'ci' },
    );
  });

  it('are of their organization alone; folders and links lead nowhere else', async () => {
    const { owner, stranger, place, templateCatalogueId, source } = await withCatalogue(wiki('1.0'), {
      folder: 'ours',
    });
    const foreign = { templateCatalogueId, name: 'wiki' };
    expect(await stranger.query('template.one', foreign)).toMatchObject({ code: 'FORBIDDEN' });
    expect(await stranger.query('templateCatalogue.all')).toEqual([]);
    const listed = (await stranger.query('template.all')) as { catalogue: unknown }[];
    expect(listed.filter(({ catalogue }) => catalogue !== null)).toEqual([]);
    expect(
      await owner.mutate('template.create', {
        template: 'none',
        templateCatalogueId,
        environmentId: place.environmentId,
      }),
    ).toMatchObject({ code: 'NOT_FOUND' });
    for (const folder of ['../..', '/etc', 'none'])
      expect(
        await owner.mutate('templateCatalogue.create', { name: 'Other', url: source.folder, folder }),
      ).toMatchObject({ code: 'BAD_REQUEST', message: expect.stringContaining('folder') });
    expect(await owner.mutate('templateCatalogue.create', { name: 'Etc', url: '/etc' })).toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining('url'),
    });
    symlinkSync('/etc', join(source.work, 'ours', 'out'));
    symlinkSync('/etc/passwd', join(source.work, 'ours', 'wiki', 'icon.svg'));
    source.commit({ 'ours/other.txt': 'x' });
    expect(await owner.mutate('templateCatalogue.refresh', { templateCatalogueId })).toMatchObject({
      templateCount: 1,
    });
    const out = { name: 'Out', url: source.folder, folder: 'ours/out' };
    expect(await owner.mutate('templateCatalogue.create', out)).toMatchObject({ code: 'BAD_REQUEST' });
    const shown = (await owner.query('template.all')) as { catalogue: unknown }[];
    expect(shown.find(({ catalogue }) => catalogue !== null)).toMatchObject({ name: 'wiki', icon: null });
  });
});
