/** Catalogues written here in the formats of other platforms; every field of each has a line in a report. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { templateOf } from '../../../server/src/modules/template/format.ts';
import { expandWith, valuesOf } from '../../../server/src/modules/template/values.ts';
import { caprover, coolify, dokploy } from '../../../test/catalogues/catalogues.ts';
import type { ImportedTemplate } from '../../../server/src/modules/template/formats/catalogue.ts';
import { importCatalogue, readTemplateFolder, writeTemplate } from './catalogue.ts';

const now = new Date('2026-11-27T12:00:00Z');
/** What is found, by name, and what is read again of the folders that it is written to. */
async function imported(
  files: Readonly<Record<string, string>>,
  format = 'auto',
): Promise<Map<string, ImportedTemplate>> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-catalogue-'));
  try {
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(folder, 'in', name)), { recursive: true });
      await writeFile(join(folder, 'in', name), content);
    }
    const found = await importCatalogue(join(folder, 'in'), format, now);
    for (const { name, definition } of found) {
      if (!definition) continue;
      await writeTemplate(join(folder, 'out'), definition);
      expect(await readTemplateFolder(join(folder, 'out', name))).toEqual(definition);
    }
    return new Map(found.map((one) => [one.name, one]));
  } finally {
    await rm(folder, { recursive: true });
  }
}

const lines = (one: ImportedTemplate | undefined): string[] =>
  (one?.report ?? [])
    .map(({ field, outcome, text }) => `${field} ${outcome}${text && `: ${text}`}`)
    .toSorted();

/** Values as `template.create` would make them. */
function valuesIn(one: ImportedTemplate | undefined): Record<string, string> {
  if (!one?.definition) throw new Error(one?.refused ?? 'nothing was found');
  const template = templateOf(one.definition);
  const places = new Map(
    template.domains.map(({ name, path }) => [
      name,
      { host: `${name}.example.com`, address: `https://${name}.example.com${path === '/' ? '' : path}` },
    ]),
  );
  return valuesOf(template, {}, places, now);
}

it('takes a catalogue of Dokploy', async () => {
  const found = await imported(dokploy);
  expect([...found.keys()]).toEqual(['broken', 'list', 'shop']);
  expect(found.get('broken')).toMatchObject({ refused: expect.stringContaining('build') });
  const shop = found.get('shop');
  expect(shop?.definition).toMatchObject({
    title: 'Shop',
    description: 'Sells things.',
    website: 'https://shop.example.com',
    tags: ['e-commerce', 'self-hosted'],
    icon: '<svg viewBox="0 0 8 8"><path d="M0 0h8v8z"/></svg>',
    instructions: 'Documentation: https://docs.example.com',
    domains: [
      { name: 'web', service: 'app', port: 8080, path: '/' },
      { name: 'api', service: 'api', port: 9000, path: '/v1' },
    ],
    files: [{ path: 'etc/shop.conf', content: 'key ${key} host ${main_domain} keep $host\n' }],
  });
  const values = valuesIn(shop);
  expect(values).toMatchObject({
    main_domain: 'web.example.com',
    BASE_URL: 'https://web.example.com',
    db_password: expect.stringMatching(/^.{20}$/),
    digest: expect.stringMatching(/^[0-9a-f]{12}$/),
    old: expect.stringMatching(/^[0-9a-f]{32}$/),
    made: String(now.getTime()),
    TAG: '1.2',
    UNKNOWN: '',
  });
  expect(values['DATABASE_URL']).toBe(
    `postgres://${values['user']}:${values['db_password']}@db/${values['DATABASE_URL_1']}`,
  );
  expect(JSON.parse(Buffer.from(values['TOKEN']?.split('.')[1] ?? '', 'base64url').toString())).toMatchObject(
    {
      role: 'anon',
      exp: Date.parse('2030-01-01') / 1000,
    },
  );
  expect(shop?.definition?.file).toContain('./etc/shop.conf:/etc/shop.conf');
  expect(lines(shop)).toMatchInlineSnapshot(`
    [
      "config.domains.0 taken",
      "config.domains.1 taken",
      "config.domains.1.extra left out: a domain of a template has no such field",
      "config.domains.1.host changed: the host api.\${main_domain} is asked for, or a test name",
      "config.domains.2 left out: it has no service or no port",
      "config.env.BASE_URL changed: http or https follows the domain",
      "config.env.BASE_URL taken",
      "config.env.DATABASE_URL taken",
      "config.env.TOKEN taken",
      "config.env.UNKNOWN changed: \${nothing} is not defined there, and asked for",
      "config.env.UNKNOWN taken",
      "config.env.id taken: as the variable of the same name",
      "config.env.not a name left out: it is not the name of a variable",
      "config.isolated left out: every compose service has a network of its own in Berth",
      "config.mounts.0 taken",
      "config.mounts.1 left out: it has no path or no content",
      "description taken",
      "docker-compose.yml \${TAG} taken: as a variable",
      "docker-compose.yml taken",
      "docker-compose.yml version left out: it means nothing",
      "dokploy_version left out: the format of Berth has no such field",
      "id taken",
      "links.docs taken: as a line of the instructions",
      "links.github left out: a template has one address of the product",
      "links.website taken: as website",
      "logo taken",
      "name taken",
      "other left out: the format of Berth has no such section",
      "services.app.ports changed: a port without a published one is exposed only",
      "tags taken",
      "variables.db_password taken",
      "variables.digest taken",
      "variables.id taken",
      "variables.key taken",
      "variables.made changed: a point in time is fixed at the import",
      "variables.made taken",
      "variables.mail changed: an address for mail is asked for in place of a made-up one",
      "variables.mail taken",
      "variables.main_domain taken: as the host of a domain",
      "variables.old taken",
      "variables.payload changed: a point in time is fixed at the import",
      "variables.payload taken",
      "variables.port changed: a port is asked for in place of a random one",
      "variables.port taken",
      "variables.secret taken",
      "variables.user taken",
      "version left out: the tags of the images say which version it is",
    ]
  `);
  expect(valuesIn(found.get('list'))).toEqual({ A: 'b c' });
});

it('takes a catalogue of Coolify', async () => {
  const notes = (await imported(coolify)).get('notes');
  expect(notes?.definition).toMatchObject({
    title: 'notes',
    description: 'Notes of a team.',
    website: 'https://notes.example.com',
    tags: ['productivity', 'notes', 'team'],
    domains: [
      { name: 'web', service: 'notes', port: 3000, path: '/' },
      { name: 'api', service: 'api', port: 3000, path: '/v1' },
    ],
    files: [{ path: 'notes.conf', content: 'host $host\n' }],
  });
  const values = valuesIn(notes);
  expect(values).toMatchObject({
    SERVICE_URL_NOTES: 'https://web.example.com',
    SERVICE_FQDN_NOTES: 'web.example.com',
    SERVICE_USER_DB: expect.stringMatching(/^[a-z][a-z0-9]{15}$/),
    SERVICE_PASSWORD_DB: expect.stringMatching(/^[A-Za-z0-9]{32}$/),
    SERVICE_PASSWORD_64_LONG: expect.stringMatching(/^[A-Za-z0-9]{64}$/),
    SERVICE_BASE64_64_X: expect.stringMatching(/^[A-Za-z0-9]{64}$/),
    SERVICE_REALBASE64_32_X: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/),
    SERVICE_HEX_64_X: expect.stringMatching(/^[0-9a-f]{64}$/),
    DB_NAME: 'notes',
  });
  expect(notes?.definition?.variables.find(({ name }) => name === 'LICENCE')).toMatchObject({
    required: true,
  });
  expect(notes?.definition?.file).not.toMatch(/exclude_from_hc|is_directory|SERVICE_URL_NOTES_3000/);
  expect(lines(notes)).toMatchInlineSnapshot(`
    [
      "SERVICE_BASE64_64_X taken",
      "SERVICE_FQDN_API=/v1 taken: as the domain api",
      "SERVICE_HEX_64_X taken",
      "SERVICE_PASSWORD_64_LONG taken",
      "SERVICE_PASSWORD_DB taken",
      "SERVICE_REALBASE64_32_X taken",
      "SERVICE_SUPABASEANON_KEY taken",
      "SERVICE_URL_NOTES_3000 taken: as the domain web",
      "SERVICE_URL_OTHERS left out: no service of the file is called so",
      "SERVICE_USER_DB taken",
      "compose \${DB_NAME} taken: as a variable",
      "compose \${LICENCE} taken: as a required variable",
      "compose \${SERVICE_URL_OTHERS} taken: as a variable",
      "documentation taken: as the website",
      "ignore changed: Coolify does not offer it; here it is a template like any other",
      "logo left out: svgs/notes.svg is not an SVG picture in the catalogue",
      "minversion left out: the format of Berth has no such field",
      "port taken: as the port of domains that name none",
      "services taken",
      "services.notes.exclude_from_hc left out: each service says itself what healthy means",
      "services.notes.volumes ./notes.conf taken: as a file beside the compose file",
      "services.notes.volumes ./uploads changed: a folder beside the file becomes a volume",
      "slogan taken: as the description",
      "tags, category taken",
      "volumes.notes-data changed: the compose file did not define it",
    ]
  `);
});

it('takes a catalogue of CapRover', async () => {
  const found = await imported(caprover);
  expect(found.get('built')?.refused).toContain('build');
  const wiki = found.get('wiki');
  expect(wiki?.definition).toMatchObject({
    title: 'Wiki',
    description: 'Pages of a team.',
    website: 'https://wiki.example.com',
    instructions: 'Wikis for teams.\n\nOpen ${APP_URL} and sign in.',
    domains: [
      { name: 'web', service: 'app', port: 3000 },
      { name: 'api', service: 'api', port: 80 },
    ],
  });
  const values = valuesIn(wiki);
  expect(values).toMatchObject({
    VERSION: '2.5',
    DB_PASS: expect.stringMatching(/^[0-9a-f]{16}$/),
    APP_URL: 'https://web.example.com',
    API_HOST: 'api.example.com',
  });
  expect(expandWith(wiki?.definition?.file ?? '', { DB_PASS: 'p' })).toContain('postgres://u:p@db:5432/wiki');
  expect(wiki?.definition?.file).toContain('PRICE: 5$$');
  expect(wiki?.definition?.variables).toContainEqual(
    expect.objectContaining({ name: 'EMAIL', required: true, pattern: '[\\s\\S]*(?:.+@.+)[\\s\\S]*' }),
  );
  expect(lines(wiki)).toMatchInlineSnapshot(`
    [
      "captainVersion taken",
      "description taken",
      "displayName taken",
      "documentation taken: as the website",
      "future left out: the format of Berth has no such field",
      "instructions.end taken: as a part of the instructions",
      "instructions.start taken: as a part of the instructions",
      "isOfficial left out: it speaks of the image, which the compose file names",
      "services taken",
      "services.app.containerHttpPort taken",
      "services.app.dockerfileLines changed: it only names the image wiki:$$cap_version",
      "services.app.documentation left out: a note for authors",
      "services.app.other left out: a service of a compose file has no such field",
      "services.app.websocketSupport taken: the proxy of Berth passes WebSockets on",
      "services.db.notExposeAsWebApp taken",
      "variables.$$cap_db_pass taken",
      "variables.$$cap_db_pass.validRegex taken",
      "variables.$$cap_db_version taken",
      "variables.$$cap_email taken",
      "variables.$$cap_email.validRegex taken",
      "variables.$$cap_flagged taken",
      "variables.$$cap_flagged.more left out: a variable of a template has no such field",
      "variables.$$cap_flagged.validRegex left out: it is too long, or has flags",
      "variables.$$cap_version taken",
      "variables.$$cap_version.validRegex taken",
      "volumes.db-data changed: the compose file did not define it",
    ]
  `);
});

it('tells formats apart in one folder, and refuses one that holds none', async () => {
  const all = { ...dokploy, ...coolify, ...caprover };
  expect([...(await imported(all)).keys()]).toEqual(['broken', 'built', 'list', 'notes', 'shop', 'wiki']);
  expect([...(await imported(all, 'caprover')).keys()]).toEqual(['built', 'wiki']);
  await expect(imported({ 'a.txt': 'a' })).rejects.toThrow('holds no template');
  expect((await imported({ 'a.yml': '# slogan: A\nservices: [\n' })).get('a')?.refused).toContain('not YAML');
});

it('has a row in the guide for every field of the formats', async () => {
  const guide = await readFile(
    join(import.meta.dirname, '../../../docs/guide/template-catalogues.md'),
    'utf8',
  );
  const fields = (
    'meta.json template.toml config.domains config.env config.mounts config.isolated slogan documentation ' +
    'category exclude_from_hc is_directory SERVICE_REALBASE64 captainVersion containerHttpPort ' +
    'notExposeAsWebApp dockerfileLines validRegex'
  ).split(' ');
  expect(fields.filter((field) => !guide.includes(field))).toEqual([]);
});
