import { afterEach, expect, it } from 'vitest';
import { composeWorlds, shownTemplates } from '../../../../test/http/worlds/compose-world.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { createStores } from '../../composition/stores.ts';
import { parseEnv } from '../../domain/variables/dotenv.ts';
import { templateOf } from './format.ts';
import { templateDefinition } from './record.ts';
import type { Templates } from './template.ts';

const older = {
  name: 'shop',
  title: 'Shop',
  description: 'Sells things.',
  website: 'https://shop.example.com',
  firstSignIn: 'Sign in as ADMIN_USER.',
  file:
    'services:\n  app:\n    image: shop:1.0\n    environment:\n      URL: ${APP_URL}\n    restart: always\n' +
    '  db:\n    image: postgres:17.9-alpine\n    environment:\n      POSTGRES_PASSWORD: ${DB_PASSWORD}\n',
  service: 'app',
  port: 8080,
  files: [
    { path: 'shop.conf', content: 'user ${ADMIN_USER}\n' },
    { path: 'other.conf', content: 'one\n' },
  ],
  variables: [
    { name: 'APP_URL', description: 'Where it answers', generate: 'address' },
    { name: 'ADMIN_USER', description: 'Signs in', value: 'admin' },
    { name: 'DB_PASSWORD', description: 'Of the database', generate: 'password' },
    { name: 'OLD', description: 'Gone later', value: 'old' },
  ],
};
const newer = {
  ...older,
  file: older.file.replace('shop:1.0', 'shop:2.0').replace('postgres:17.9', 'postgres:18.1'),
  files: [
    { path: 'shop.conf', content: 'user ${ADMIN_USER}\nkey ${APP_KEY}\n' },
    { path: 'other.conf', content: 'two\n' },
    { path: 'new.conf', content: 'at ${HOST}\n' },
  ],
  variables: [
    ...older.variables.slice(0, 3),
    { name: 'APP_KEY', description: 'Signs sessions', generate: 'key' },
    { name: 'HOST', description: 'Its name', generate: 'host' },
    { name: 'EMAIL', description: 'Of the owner', required: true },
  ],
};

function catalogueOf(definition: object): Templates {
  const template = templateOf(templateDefinition.parse(definition));
  return { all: async () => [template], one: async () => template };
}

const { inPlace } = shownTemplates;
afterEach(() => {
  shownTemplates.inPlace = inPlace;
});

eachDatabase('a service whose template is newer', (test) => {
  const { begin } = composeWorlds(test);

  async function made() {
    const world = await begin();
    shownTemplates.inPlace = catalogueOf(older);
    const { composeId } = (await world.owner.mutate('template.create', {
      template: 'shop',
      environmentId: world.place.environmentId,
      variables: { ADMIN_USER: 'nina' },
    })) as { composeId: string };
    const stores = createStores(world.database);
    const compose = async () => {
      const found = await stores.composes.find({ composeId });
      if (!found) throw new Error('no such compose service');
      return found;
    };
    const variables = async (): Promise<Record<string, string>> =>
      Object.fromEntries(parseEnv((await compose()).env).map(({ name, value }) => [name, value]));
    return { ...world, composeId, stores, compose, variables };
  }

  it('is told so with what changes, and nothing is told before', async () => {
    const { owner, composeId } = await made();
    expect(await owner.query('template.updates')).toEqual([]);
    expect(await owner.query('template.changes', { composeId })).toBeNull();
    expect(await owner.mutate('template.apply', { composeId })).toMatchObject({
      code: 'PRECONDITION_FAILED',
    });
    shownTemplates.inPlace = catalogueOf(newer);
    const images = [
      { service: 'app', from: 'shop:1.0', to: 'shop:2.0' },
      { service: 'db', from: 'postgres:17.9-alpine', to: 'postgres:18.1-alpine' },
    ];
    expect(await owner.query('template.updates')).toEqual([
      { composeId, name: 'shop', template: 'shop', title: 'Shop', images },
    ]);
    expect(await owner.query('template.changes', { composeId })).toMatchObject({
      images,
      isEdited: false,
      conflicts: [],
      variables: [
        { name: 'APP_KEY', change: 'added', isRequired: false, isSecret: true },
        { name: 'HOST', change: 'added' },
        { name: 'EMAIL', change: 'added', isRequired: true },
        { name: 'OLD', change: 'removed' },
      ],
      files: [
        { path: 'shop.conf', change: 'changed' },
        { path: 'other.conf', change: 'changed' },
        { path: 'new.conf', change: 'added' },
      ],
      notes: [expect.stringMatching(/^db: postgres 18 instead of 17 cannot read/)],
      difference: expect.stringContaining('-    image: shop:1.0\n+    image: shop:2.0'),
    });
  });

  it('gets the newer file and keeps its values', async () => {
    const { owner, composeId, compose, variables, stores } = await made();
    const before = await variables();
    shownTemplates.inPlace = catalogueOf(newer);
    expect(await owner.mutate('template.apply', { composeId })).toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining('variables.EMAIL'),
    });
    expect(
      await owner.mutate('template.apply', { composeId, variables: { EMAIL: 'a@b.c', ADMIN_USER: 'x' } }),
    ).toMatchObject({ code: 'BAD_REQUEST', message: expect.stringContaining('variables.ADMIN_USER') });
    const other = (await stores.mounts.list({ composeId })).find(({ filePath }) => filePath === 'other.conf');
    await stores.mounts.update({ mountId: other?.mountId ?? '' }, { content: 'mine\n' });
    expect(await owner.mutate('template.apply', { composeId, variables: { EMAIL: 'a@b.c' } })).toMatchObject({
      title: 'Shop',
    });
    expect((await compose()).composeFile).toBe(newer.file);
    const after = await variables();
    expect(after).toMatchObject({ ...before, EMAIL: 'a@b.c', ADMIN_USER: 'nina' });
    expect(after['APP_KEY']).toMatch(/^[0-9a-f]{64}$/);
    expect(after['HOST']).toMatch(/sslip\.io$/);
    const files = await stores.mounts.list({ composeId });
    expect(Object.fromEntries(files.map(({ filePath, content }) => [filePath, content]))).toEqual({
      'shop.conf': `user nina\nkey ${after['APP_KEY'] ?? ''}\n`,
      'other.conf': 'mine\n',
      'new.conf': `at ${after['HOST'] ?? ''}\n`,
    });
    expect(await owner.query('template.updates')).toEqual([]);
  });

  const edited = older.file.replace('restart: always', 'restart: unless-stopped');
  const variables = { EMAIL: 'a@b.c' };

  it('asks what becomes of an edited file, and merges, replaces or keeps it', async () => {
    for (const [edits, file] of [
      ['merge', newer.file.replace('restart: always', 'restart: unless-stopped')],
      ['replace', newer.file],
      ['keep', edited],
    ] as const) {
      const { owner, composeId, compose } = await made();
      await owner.mutate('compose.update', { composeId, composeFile: edited });
      shownTemplates.inPlace = catalogueOf(newer);
      expect(await owner.mutate('template.apply', { composeId, variables })).toMatchObject({
        code: 'CONFLICT',
        message: expect.stringContaining('was edited'),
      });
      expect(await owner.mutate('template.apply', { composeId, edits, variables })).toMatchObject({
        isEdited: true,
      });
      expect((await compose()).composeFile).toBe(file);
      expect(await owner.query('template.changes', { composeId })).toBeNull();
    }
  });

  it('refuses to merge lines that both changed, and a compose service that somebody changed', async () => {
    const { owner, composeId, compose } = await made();
    const mine = older.file.replace('shop:1.0', 'mine:1.0');
    await owner.mutate('compose.update', { composeId, composeFile: mine });
    shownTemplates.inPlace = catalogueOf(newer);
    expect(await owner.mutate('template.apply', { composeId, edits: 'merge', variables })).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('"image: mine:1.0" and "image: shop:2.0"'),
    });
    expect(
      await owner.mutate('template.apply', { composeId, edits: 'replace', variables, revision: 0 }),
    ).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('Somebody else changed') });
    expect((await compose()).composeFile).toBe(mine);
  });

  it('is another organization’s own', async () => {
    const { composeId, stranger } = await made();
    shownTemplates.inPlace = catalogueOf(newer);
    expect(await stranger.query('template.updates')).toEqual([]);
    for (const call of ['changes', 'apply'] as const)
      expect(
        call === 'apply'
          ? await stranger.mutate('template.apply', { composeId, edits: 'replace' })
          : await stranger.query('template.changes', { composeId }),
      ).toMatchObject({ code: 'FORBIDDEN' });
  });
});
