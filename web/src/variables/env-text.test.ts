import { expect, it } from 'vitest';
import { differences, lineOf, readVariables, textOf, variablesOf, withKeysOf } from './env-text.ts';

const plain = (text: string) => variablesOf(text).map(({ name, value }) => [name, value]);

it('reads lines, quotes and exports', () => {
  expect(plain('# a\nA=1\nexport B="x\\ny"\nC=\'a # b\'\nnothing')).toEqual([
    ['A', '1'],
    ['B', 'x\ny'],
    ['C', 'a # b'],
  ]);
});

it('gives back what it writes', () => {
  for (const value of ['', 'plain', 'two words', 'a"b', "it's", 'a\nb', 'back\\slash', '#hash', '\ttab'])
    expect(plain(lineOf({ name: 'X', value }))).toEqual([['X', value]]);
});

it('leaves comments, order and unchanged lines as they were', () => {
  const stored = '# first\nB="2"\n\nA=1';
  const variables = variablesOf(stored).map((one) => (one.name === 'A' ? { ...one, value: '9' } : one));
  expect(textOf(stored, variables)).toBe('# first\nB="2"\n\nA=9');
  expect(textOf(stored, [...variables, { key: 0, name: 'C', value: 'x y' }])).toMatch(/A=9\nC='x y'$/);
  expect(textOf(stored, [])).toBe('# first');
});

it('names what differs', () => {
  expect(differences('A=1\nB=2', 'A=1\nB=3\nC=4')).toEqual([
    { name: 'B', what: 'changed' },
    { name: 'C', what: 'added' },
  ]);
  expect(differences('A=1', '')).toEqual([{ name: 'A', what: 'removed' }]);
});

it('keeps the keys of those that had the same name', () => {
  const [first, second] = variablesOf('A=1\nB=2');
  const renewed = withKeysOf(
    [first, second].flatMap((one) => one ?? []),
    variablesOf('C=3\nB=4'),
  );
  expect(renewed.map(({ name, value }) => [name, value])).toEqual([
    ['C', '3'],
    ['B', '4'],
  ]);
  expect(renewed[1]?.key).toBe(second?.key);
  expect([first?.key, second?.key]).not.toContain(renewed[0]?.key);
});

it('keeps the lines of a value of several, when others change and when it is removed', () => {
  const key = '-----BEGIN KEY-----\nabc=\n-----END KEY-----\n';
  const stored = `A=1\nKEY="${key}"\nB=2`;
  const variables = variablesOf(stored);
  expect(variables.map(({ name, value }) => [name, value])).toEqual([
    ['A', '1'],
    ['KEY', key],
    ['B', '2'],
  ]);
  const changed = variables.map((one) => (one.name === 'B' ? { ...one, value: '3' } : one));
  expect(textOf(stored, changed)).toBe(`A=1\nKEY="${key}"\nB=3`);
  const without = variables.filter(({ name }) => name !== 'KEY');
  expect(textOf(stored, without)).toBe('A=1\nB=2');
  expect(plain(lineOf({ name: 'KEY', value: key }))).toEqual([['KEY', key]]);
});

it('says which line is not understood, and reads what stands before it', () => {
  for (const [text, line] of [
    ['A=1\nno assignment', 2],
    ['A=1\nB="never closed\nC=3', 2],
    ['A=1\n\n9X=1', 3],
  ] as const) {
    const { variables, fault } = readVariables(text);
    expect(fault).toMatch(new RegExp(`^line ${line}: `));
    expect(variables.map(({ name }) => name)).toEqual(['A']);
  }
  expect(readVariables('A=1 # why\nexport B=`x`').fault).toBeUndefined();
});
