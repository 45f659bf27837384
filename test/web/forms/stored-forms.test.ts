/** Every form of the dashboard that changes something stored is in the table of the walk. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { elsewhere, places } from './stored-forms.ts';

const sources = join(import.meta.dirname, '../../../web/src');

async function components(): Promise<{ file: string; text: string }[]> {
  const files = (await readdir(sources, { recursive: true })).filter((file) => file.endsWith('.tsx'));
  return Promise.all(
    files.map(async (file) => ({ file, text: await readFile(join(sources, file), 'utf8') })),
  );
}

/** What a form changes: `*.update` where only its kind is known when it runs. */
function procedureOf(element: string): string | undefined {
  const named = /\b(?:of|update|data-form)=\{?["']([\w.]+)["']/.exec(element)?.[1];
  const ofKind = /\b(?:of|data-form)=\{procedureOf\(kind, '(\w+)'\)/.exec(element)?.[1];
  return named ?? (ofKind && `*.${ofKind}`);
}

/** The elements of this name, each up to the end of its opening tag. */
const elementsOf = (text: string, name: string): string[] =>
  text
    .split(new RegExp(`<${name}\\b`))
    .slice(1)
    .map((rest) => /^(?:[^>]|=>)*/.exec(rest)?.[0] ?? '');

const walked = new Set(places.flatMap(({ forms }) => forms));
const isWalked = (procedure: string): boolean =>
  procedure.startsWith('*.')
    ? [...walked].some((one) => one.endsWith(procedure.slice(1)))
    : walked.has(procedure) || procedure in elsewhere;

it('has every form that is made from a description and shows what is stored', async () => {
  const missing = (await components()).flatMap(({ file, text }) =>
    [...elementsOf(text, 'Form'), ...elementsOf(text, 'Collection')]
      .filter((element) => /\bstored=|\bupdate=|\.\.\.shared|\bstored:/.test(element))
      .map(procedureOf)
      .filter((procedure) => procedure !== undefined && !isWalked(procedure))
      .map((procedure) => `${file}: ${procedure}`),
  );
  expect(missing).toEqual([]);
});

/** Forms by hand that change nothing stored: they sign in, make, join, move or confirm. */
const acting: readonly string[] = [
  'application/hosted-source.tsx',
  'compose/template-update.tsx',
  'database/keys.tsx',
  'database/query.tsx',
  'form/form.tsx',
  'git/connect-github.tsx',
  'new/new-service.tsx',
  'parts/dialog.tsx',
  'server/cluster.tsx',
  'service/move-to-server.tsx',
  'service/service-actions.tsx',
  'service/terminal-tab.tsx',
  'settings/generate-key.tsx',
  'settings/push-here.tsx',
  'user/door.tsx',
  'variables/secret-variables.tsx',
];

it('has every form by hand, or it only acts', async () => {
  const missing = (await components())
    .filter(({ file }) => !acting.includes(file))
    .flatMap(({ file, text }) =>
      elementsOf(text, 'form')
        .map(procedureOf)
        .filter((procedure) => procedure === undefined || !isWalked(procedure))
        .map((procedure) => `${file}: ${procedure ?? 'a form without data-form'}`),
    );
  expect(missing).toEqual([]);
});
