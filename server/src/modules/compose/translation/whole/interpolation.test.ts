import { describe, expect, test } from 'vitest';
import { interpolate } from './interpolation.ts';

const values = { A: 'one', EMPTY: '', N: '3' };
const read = (text: string): { value: unknown; unset: string[] } => {
  const { value, unset } = interpolate(text, 'services.web.image', {
    values,
    reference: (inner) => `<${inner}>`,
    field: 'composeFile',
  });
  return { value, unset: [...unset.keys()] };
};

describe('variables of a compose file', () => {
  test.each<[string, string]>([
    ['plain', 'plain'],
    ['$A', 'one'],
    ['${A}', 'one'],
    ['$A$A', 'oneone'],
    ['x-${A}-y', 'x-one-y'],
    ['$$A', '$A'],
    ['$$$$', '$$'],
    ['$', '$'],
    ['a $ b', 'a $ b'],
    ['for i in $(seq 3)', 'for i in $(seq 3)'],
    ['$1 $-', '$1 $-'],
    ['${NONE:-$2a$14}', '$2a$14'],
    ['$${A}', '${A}'],
    ['${A:-other}', 'one'],
    ['${EMPTY:-other}', 'other'],
    ['${EMPTY-other}', ''],
    ['${NONE-other}', 'other'],
    ['${NONE:-}', ''],
    ['${NONE:-${A}}', 'one'],
    ['${NONE:-a${NONE:-b${N}}}', 'ab3'],
    ['${NONE:-$A}', 'one'],
    ['${A:+set}', 'set'],
    ['${EMPTY:+set}', ''],
    ['${EMPTY+set}', 'set'],
    ['${NONE:+set}', ''],
    ['${A:?sentence}', 'one'],
    ['${EMPTY?sentence}', ''],
    ['${A:-${NONE:?not asked}}', 'one'],
    ['${NONE:-{"a": {"b": 1}}} x', '{"a": {"b": 1}} x'],
    ['${A:-{"a": {"b": 1}}} x', 'one x'],
    ['${NONE:-^(\\d{4})$}', '^(\\d{4})$'],
    ['${NONE:-$${a}@$${b}}', '${a}@${b}'],
    ['${NONE:-a{b} x', 'a{b x'],
    ['${NONE:-${{project.NAME}}}', '<project.NAME>'],
    ['${{project.NAME}}', '<project.NAME>'],
    ['a${{ NAME }}b', 'a<NAME>b'],
  ])('%s → %s', (text, value) => expect(read(text)).toEqual({ value, unset: [] }));

  test.each<[string, RegExp]>([
    ['${NONE:?which version}', /services\.web\.image needs the variable NONE: which version/],
    ['${EMPTY:?}', /needs the variable EMPTY/],
    ['${NONE?}', /needs the variable NONE/],
    ['${A', /never closed/],
    ['${A:-x', /never closed/],
    ['${}', /no variable name/],
    ['${1}', /no variable name/],
    ['${A!x}', /never closed/],
    ['${{A', /never closed/],
    ['${NONE:-${NONE:?inner}}', /needs the variable NONE: inner/],
  ])('%s is refused', (text, sentence) => expect(() => read(text)).toThrow(sentence));

  test('one without value is empty, and told', () =>
    expect(read('${NONE}$OTHER')).toEqual({ value: '', unset: ['NONE', 'OTHER'] }));

  test('in maps and lists, in values and not in names; numbers and truths stay', () => {
    const tree = new Map<unknown, unknown>([['$A', ['$A', 5, true, null, new Map([['b', '${N}']])]]]);
    expect(interpolate(tree, 'x', { values, reference: String, field: 'f' }).value).toEqual(
      new Map([['$A', ['one', 5, true, null, new Map([['b', '3']])]]]),
    );
  });

  test('they cannot make the file grow without end, nor be nested without end', () => {
    const large = { field: 'composeFile', reference: String, values: { L: 'x'.repeat(100_000) } };
    expect(() =>
      interpolate(
        Array.from({ length: 20 }, () => '$L'),
        'services',
        large,
      ),
    ).toThrow(/larger than 1 MiB/);
    expect(() => read('${NONE:-'.repeat(200) + '}'.repeat(200))).toThrow(/nested too deep/);
  });
});
