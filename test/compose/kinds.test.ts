/**
 * Compose files of the kinds that people have: what becomes of each. They are written for this test; the
 * kinds are those of public catalogues and of projects' own repositories.
 */
import { expect, test } from 'vitest';
import { parseComposeFile } from '../../server/src/modules/compose/compose-file.ts';
import { translate } from '../../server/src/modules/compose/translation/translate.ts';
import { dangersOfPlan } from '../../server/src/modules/host-reach/dangers.ts';
import { fieldCases } from './field-cases.ts';
import type { Kind } from './kind.ts';
import { machines } from './machines.ts';
import { programs } from './programs.ts';

const all = Object.entries({ ...programs, ...machines, ...fieldCases });
const textOf = ({ file }: Kind): string => file.replace(/^\n/, '').replace(/^ {6}/gm, '');

const planOf = (kind: Kind) =>
  translate({
    text: textOf(kind),
    field: 'composeFile',
    folder: kind.folder,
    variables: kind.variables ?? {},
    blocks: { project: '', environment: '', service: '' },
  });

test.each(all.filter(([, { refused }]) => refused === undefined))('%s', (_kind, kind) => {
  const plan = planOf(kind);
  const found = Object.fromEntries(plan.services.map((service) => [service.name, service]));
  for (const [name, expected] of Object.entries(kind.services ?? {}))
    expect(found[name]).toMatchObject(expected);
  for (const note of kind.notes ?? []) expect(plan.notes).toContainEqual(expect.stringMatching(note));
  expect(plan.notes).toHaveLength(kind.notes?.length ?? 0);
  expect(dangersOfPlan(plan).map(({ value }) => value)).toEqual(kind.dangers ?? []);
});

test.each(all.filter(([, { refused }]) => refused !== undefined))('%s, refused', (_kind, kind) => {
  expect(() => planOf(kind)).toThrow(
    expect.objectContaining({ code: 'BAD_REQUEST', message: expect.stringMatching(kind.refused ?? /^$/) }),
  );
});

test('each of these files is one, and there are as many as the kinds of the catalogues', () => {
  for (const [, kind] of all.filter(([, { refused }]) => refused === undefined))
    expect(parseComposeFile(textOf(kind)).services.size).toBeGreaterThan(0);
  expect(all.length).toBeGreaterThanOrEqual(36);
});
