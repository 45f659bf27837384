import { expect, it } from 'vitest';
import { findMasked, maskLines, maskText } from './mask.ts';

it('a masked value tells whether there is one', () => {
  expect([maskText(''), maskText('hunter2')]).toEqual(['', '••••']);
});

it('a masked block has the names alone, whatever way its values are written', () => {
  const block = [
    '# password is hunter1',
    'A=hunter2',
    'export B="hunter3\nhunter4"',
    "C='hunter5' # hunter6",
    'D=',
    'E=${{project.HUNTER7}}',
  ].join('\n');
  expect(maskLines(block)).toBe('A=••••\nB=••••\nC=••••\nD=••••\nE=••••');
  for (const empty of ['', '\n']) expect(maskLines(empty)).toBe(empty);
  for (const broken of ['hunter2', 'A="hunter2', 'A=1\nhunter2']) expect(maskLines(broken)).toBe('••••');
});

it('a masked value is found wherever it comes back', () => {
  expect(findMasked({ name: 'web', env: 'A=1\nB=••••' })).toBe('env');
  expect(findMasked({ list: [{ a: 1 }, { content: '••••' }] })).toBe('list.1.content');
  expect(findMasked({ name: 'web', env: 'A=…', deep: [null, 1, true] })).toBeUndefined();
});
