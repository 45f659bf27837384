import { describe, expect, test } from 'vitest';
import { composeVariables } from './compose-variables.ts';
import { formatEnv } from './dotenv.ts';
import { expandBlock, lookUpIn, readEnvFile, readRawEnvFile } from './env-expansion.ts';
import { changedSecrets } from './secret-env.ts';

const given: Record<string, string> = { OUTER: 'out', EMPTY: '' };
const fileOf = (text: string) => Object.fromEntries(readEnvFile(text, 'env_file', (name) => given[name]));

describe('an env file of docker compose', () => {
  test.each<[string, Record<string, string>]>([
    ['A=1\nB=${A}2', { A: '1', B: '12' }],
    ['A=1\nB=$A-$A', { A: '1', B: '1-1' }],
    ['B=${A}\nA=1', { B: '${A}', A: '1' }],
    ['A=${OUTER}', { A: 'out' }],
    ['OUTER=mine\nA=$OUTER', { OUTER: 'mine', A: 'out' }],
    ['A=1\nB="x${A}\\n\\$A"', { A: '1', B: 'x1\n$A' }],
    ["A=1\nB='x${A}'", { A: '1', B: 'x${A}' }],
    ['A=${NONE:-d}${NONE-e}${EMPTY:-f}${EMPTY-g}', { A: 'def' }],
    ['A=${NONE:-${OUTER}}', { A: 'out' }],
    ['A=${OUTER:+yes}${NONE:+no}', { A: 'yes' }],
    ['PASSWORD=pa$5word$', { PASSWORD: 'pa$5word$' }],
    ['HASH=$2a$14$abc', { HASH: '$2a$14$abc' }],
    ['HASH=$$2a$$14', { HASH: '$2a$14' }],
    ['A=p$NOTHING', { A: 'p$NOTHING' }],
    ['A=${unclosed', { A: '${unclosed' }],
    ['A: 1\nB: "two"', { A: '1', B: 'two' }],
    ['A=http://x:1/y', { A: 'http://x:1/y' }],
    ['OUTER\nNONE\nexport EMPTY', { OUTER: 'out', EMPTY: '' }],
    ['export A=1 # note\n# B=2\n', { A: '1' }],
    ['A=$A', { A: '$A' }],
  ])('%j', (text, expected) => expect(fileOf(text)).toEqual(expected));

  test('grows to a limit', () => {
    const lines = Array.from({ length: 40 }, (_, index) => `V${index + 1}=$V${index}$V${index}`);
    expect(() => fileOf(`V0=x\n${lines.join('\n')}`)).toThrow(/larger than 1 MiB/);
  });

  test('with format: raw is taken as it stands', () => {
    expect(readRawEnvFile('# note\nA="$B"\r\nB= x # y\n', 'f')).toEqual(
      new Map([
        ['A', '"$B"'],
        ['B', ' x # y'],
      ]),
    );
    expect(() => readRawEnvFile('A=1\nB', 'f')).toThrow(/line 2/);
  });
});

describe('a block of variables', () => {
  test.each([
    ['A=1\n# note\nB=x${A}', 'A=1\n# note\nB=x1'],
    ['A=1\nB="two\nlines $A"\nC=3', "A=1\nB='two\nlines 1'\nC=3"],
    ['A=1\nB=${{project.X}}$$A', 'A=1\nB=${{project.X}}$$A'],
    ['P=pa$$w$ord', 'P=pa$$w$ord'],
    ["A=1\nB='$A'", "A=1\nB='$A'"],
  ])('%j becomes %j', (text, expected) => expect(expandBlock(text, 'env')).toBe(expected));

  test('sees secrets where programs read it, and not in a file', () => {
    const secretEnv = changedSecrets('', { set: 'PW=s3cret' }, { field: 'secretEnv', now: '' });
    const around = { project: 'SHARED=blue', environment: '' };
    const { plain, all } = composeVariables(
      { env: 'URL=postgres://u:${PW}@db\nTEAM=${{project.SHARED}}\nBOTH=$TEAM-1', secretEnv },
      around,
    );
    expect(all).toEqual({ URL: 'postgres://u:s3cret@db', TEAM: 'blue', BOTH: 'blue-1', PW: 's3cret' });
    expect(formatEnv(plain)).not.toContain('s3cret');
    expect(plain).toMatchObject({ TEAM: 'blue', BOTH: 'blue-1' });
  });
});

test('a name that every object has is no variable', () => {
  const found = readEnvFile('A=$constructor\nB=$KNOWN', 'env', lookUpIn({ KNOWN: 'yes' }, {}));
  expect([...found]).toEqual([
    ['A', '$constructor'],
    ['B', 'yes'],
  ]);
});

test('a file sees what is given before its own names, and files before it last', () => {
  const text = 'EARLY=${BOTH}\nBOTH=second\nAFTER=${BOTH}\nGIVEN=own\nSEEN=${GIVEN}';
  const found = readEnvFile(text, 'env', lookUpIn({ GIVEN: 'given' }), lookUpIn({ BOTH: 'first' }));
  expect(Object.fromEntries(found)).toEqual({
    EARLY: 'first',
    BOTH: 'second',
    AFTER: 'second',
    GIVEN: 'own',
    SEEN: 'given',
  });
});
