import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { translate } from '../compose/translation/translate.ts';
import { createTemplates } from './template.ts';

const templates = createTemplates(join(import.meta.dirname, '../../../../templates'));
const all = await templates.all();
const guide = await readFile(join(import.meta.dirname, '../../../../docs/guide/templates.md'), 'utf8');
const blocks = { project: '', environment: '', service: '' };

it('are twenty-five, and one is found by its name alone', async () => {
  expect(all).toHaveLength(25);
  expect(await templates.one('ghost')).toMatchObject({ title: 'Ghost', service: 'app', port: 2368 });
  await expect(templates.one('no-such')).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test.each(all)('$name becomes services without a note, its domain leads to one of them', (template) => {
  const variables = Object.fromEntries(
    template.variables.map(({ name, value }) => [name, value || 'a-value-of-its-own']),
  );
  const plan = translate({
    text: template.file,
    field: template.name,
    folder: undefined,
    variables,
    files: new Map(template.files.map(({ path, content }) => [path, content])),
    blocks,
  });
  expect(plan.notes).toEqual([]);
  expect(plan.services.map(({ name }) => name)).toContain(template.service);
});

test.each(all)('$name pins its images, and uses each variable that it lists', (template) => {
  const { file, images, variables } = template;
  expect(images.filter((image) => !/:[a-z-]*v?\d+(\.|-\w+)\d+[\w.-]*$/.test(image))).toEqual([]);
  const texts = [file, template.instructions, ...template.files.map(({ content }) => content)].join('\n');
  const used = new Set([...texts.matchAll(/(?<!\$)\$\{([A-Z_]+)\}/g)].map(([, name]) => name));
  expect(used).toEqual(new Set(variables.map(({ name }) => name)));
});

/** Known outside alone; without one, what it opens is off. */
const given = ['MAIL_PASSWORD', 'ADMIN_TOKEN', 'OPENAI_API_KEY'];

test.each(all)(
  '$name says who signs in first, and looks whether it works',
  ({ firstSignIn, file, service }) => {
    expect(firstSignIn).toMatch(/sign|account|first visitor|open/i);
    const { services } = parse(file);
    expect(services[service ?? '']?.healthcheck?.test).toBeDefined();
  },
);

test.each(all)('$name has no secret of its own: each is made where it is used', ({ variables, file }) => {
  const secrets = variables.filter(({ name }) => /PASSWORD|SECRET|KEY|TOKEN/.test(name));
  expect(secrets.filter(({ value }) => value !== '')).toEqual([]);
  expect(secrets.filter(({ generate, name }) => generate === null && !given.includes(name))).toEqual([]);
  for (const [, value] of file.matchAll(/(?:PASSWORD|PASSWD|PASS|SECRET|_KEY|TOKEN): (.*)$/gm))
    expect(value).toMatch(/^\$\{[A-Z_]+\}$/);
});

test.each(all)('$name is found by tags, has a picture, and its version stands in the guide', (template) => {
  expect(template.tags.length).toBeGreaterThan(0);
  expect(template.icon).toMatch(/^data:image\/svg\+xml;base64,/);
  expect(guide).toContain(`| ${template.title} |`);
  for (const version of versionsOf(template.images)) expect(guide).toContain(version);
});

/** Of the application itself: the images that no other template has. */
const versionsOf = (images: readonly string[]): string[] =>
  images
    .filter((image) => !/^(postgres|redis|mysql|mariadb):/.test(image))
    .map(
      (image) =>
        image
          .split(':')
          .at(-1)
          ?.replace(/^v|-(apache|php.*|alpine)$/g, '') ?? '',
    )
    .map((version) => version.replace(/-.*$/, ''));
