import { parseEnv } from '../../server/src/domain/variables/dotenv.ts';
import { terminalContract } from '../../server/src/modules/terminal/contract.ts';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { contracts } from '../../server/src/modules/contracts.ts';
import { serviceKinds as kindsOfContracts } from '../../server/src/modules/service/record-lists.ts';
import { listProcedures } from '../../server/src/procedure/describe/listing.ts';
import { closest } from '../../server/src/domain/text/closest.ts';
import { ago, duration, lookOf, size, wantsColor } from '../look.ts';
import { cutTo, printable, printableLine, widthOf } from '../output/printable.ts';
import { table, type Column } from '../output/table.ts';
import { version } from '../version.ts';
import { readArguments } from './parts/arguments.ts';
import {
  differences,
  merged,
  variablesOf,
  withoutVariables,
  withVariables,
  assignmentsOf,
} from './parts/env-lines.ts';
import { sinceOf } from './log-words.ts';
import { matches, pick, serviceKinds, type Service } from './parts/services.ts';
import { words } from './words.ts';

const logs = words.find(({ name }) => name === 'logs') ?? words[0];

describe('the table of words', () => {
  test('calls procedures that there are, and each word once', () => {
    const known = new Set(
      listProcedures({ ...contracts, terminal: terminalContract }).map(({ path }) => path),
    );
    expect(words.flatMap(({ calls }) => calls).filter((path) => !known.has(path))).toEqual([]);
    const names = words.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
  });

  test('hides no router: each stays reachable by its name', () => {
    const routers = new Set(Object.keys(contracts));
    expect(words.filter(({ name }) => routers.has(name))).toEqual([]);
  });

  test('knows the kinds of service as the contracts do', () => {
    expect(serviceKinds).toEqual(kindsOfContracts);
  });

  test('has the version of the package', () => {
    const file: unknown = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));
    expect(file).toMatchObject({ version });
  });
});

describe('arguments', () => {
  test('are options, arguments and what stands behind --', () => {
    if (!logs) throw new Error('There is no word logs.');
    expect(readArguments(logs, ['-f', 'shop/web', '--since=2h', '-n', '5', '--', '--x', 'y'])).toEqual({
      args: ['shop/web'],
      rest: ['--x', 'y'],
      options: { follow: true, since: '2h', tail: '5' },
    });
  });

  test('a number below zero is a value', () => {
    if (!logs) throw new Error('There is no word logs.');
    expect(readArguments(logs, ['-1', '--tail', '-5', '-f'])).toEqual({
      args: ['-1'],
      rest: undefined,
      options: { tail: '-5', follow: true },
    });
  });

  test.each([
    [['--folow'], /takes no --folow\. Did you mean --follow\?/],
    [['--since'], /argument missing|since/],
    [['-x'], /Unknown option '-x'/],
  ])('%j is refused', (argv, sentence) => {
    if (!logs) throw new Error('There is no word logs.');
    expect(() => readArguments(logs, argv)).toThrow(sentence);
  });

  test.each([
    ['stauts', 'status'],
    ['deplyo', 'deploy'],
    ['rolback', 'rollback'],
    ['xyzzy', undefined],
  ])('%s may mean %s', (word, meant) => {
    expect(
      closest(
        word,
        words.map(({ name }) => name),
      ),
    ).toBe(meant);
  });
});

describe('names', () => {
  const service = (name: string, project: string, environment = 'production'): Service => ({
    kind: 'application',
    id: `${project}-${environment}-${name}`,
    name,
    appName: `${name}-x`,
    status: 'done',
    project: { projectId: project, name: project },
    environment: { environmentId: environment, name: environment, isDefault: environment === 'production' },
  });
  const all = [
    service('web', 'shop'),
    service('web', 'shop', 'staging'),
    service('web', 'blog'),
    service('db', 'blog'),
  ];
  const idsOf = (name: string, scope?: string): string[] => matches(all, name, scope).map(({ id }) => id);

  test.each([
    ['shop/web', undefined, ['shop-production-web']],
    ['shop/staging/web', undefined, ['shop-staging-web']],
    ['db', undefined, ['blog-production-db']],
    ['web', 'shop', ['shop-production-web']],
    ['web', 'shop/staging', ['shop-staging-web']],
    ['blog-production-db', undefined, ['blog-production-db']],
    ['shop/db', undefined, []],
  ])('%s in %s', (name, scope, ids) => {
    expect(idsOf(name, scope)).toEqual(ids);
  });

  test('that mean several, or none, are refused with what there is', () => {
    expect(() => pick(all, 'web')).toThrow(/may be any of shop\/production\/web, shop\/staging\/web, blog/);
    expect(() => pick(all, 'shop/wbe')).toThrow(/There is no service shop\/wbe\. Did you mean shop\/web\?/);
    expect(() => pick([], 'web')).toThrow(/berth deploy/);
  });

  test('two of one name are told apart by their names on the network, which are taken too', () => {
    const twins = ['web-a1', 'web-b2'].map((appName) => ({
      ...service('web', 'shop'),
      id: appName,
      appName,
    }));
    expect(() => pick(twins, 'shop/web')).toThrow(
      '"shop/web" is ambiguous: it may be any of web-a1, web-b2.',
    );
    expect(pick(twins, 'web-b2').id).toBe('web-b2');
  });
});

describe('tables', () => {
  interface Row {
    name: string;
    note: string;
    count: number;
  }
  const columns: Column<Row>[] = [
    { title: 'name', value: (row) => row.name },
    { title: 'note', value: (row) => row.note },
    { title: 'count', value: (row) => row.count, right: true, spare: 1 },
  ];
  const rows = [
    { name: 'web', note: 'a note that is long enough to be cut somewhere', count: 12 },
    { name: '日本', note: '', count: 3 },
  ];

  test.each([20, 30, 40, 80, 140])('fit into %i columns', (width) => {
    const lines = table(columns, rows, width).trimEnd().split('\n');
    expect(lines).toHaveLength(3);
    expect(Math.max(...lines.map(widthOf))).toBeLessThanOrEqual(width);
  });

  test('stand one below the other', () => {
    expect(table(columns, rows, 80)).toBe(
      'NAME  NOTE                                            COUNT\n' +
        'web   a note that is long enough to be cut somewhere     12\n' +
        '日本  –                                                   3\n',
    );
  });

  test('show text of others without what moves a terminal', () => {
    const hostile = 'a\u001B[2Jb\u001B]0;title\u0007c\r\nd\u202E';
    expect(printable(hostile)).not.toMatch(/[\p{Cc}\u202E]/u);
    expect(printableLine('\u001B[31mred\u001B[0m\u001B[2J\u0007', true)).toBe(
      '\u001B[31mred\u001B[0m\u001B[0m',
    );
    expect(printableLine('\u001B[31mred\u001B[0m', false)).toBe('red');
    expect([cutTo('abcdef', 4), cutTo('日本語', 5)]).toEqual(['abc…', '日本…']);
  });

  test('colours are for terminals, and not where NO_COLOR is set', () => {
    expect([wantsColor({}, true), wantsColor({ NO_COLOR: '1' }, true), wantsColor({}, false)]).toEqual([
      true,
      false,
      false,
    ]);
    expect([lookOf(true)('red', 'x'), lookOf(false)('red', 'x')]).toEqual(['\u001B[31mx\u001B[0m', 'x']);
  });

  test('times and sizes', () => {
    const now = Date.parse('2026-01-02T00:00:00Z');
    expect([ago('2026-01-01T23:59:01Z', now), ago('2026-01-01T00:00:00Z', now), ago(null, now)]).toEqual([
      '59 s ago',
      '1 d ago',
      '–',
    ]);
    expect([duration(1234), duration(65_000), size(999), size(1_500_000)]).toEqual([
      '1.2 s',
      '1 min 5 s',
      '999 B',
      '1.5 MB',
    ]);
    expect([sinceOf('15m', now), sinceOf('2026-01-01T00:00:00Z', now), sinceOf(undefined, now)]).toEqual([
      '2026-01-01T23:45:00.000Z',
      '2026-01-01T00:00:00.000Z',
      undefined,
    ]);
    expect(() => sinceOf('yesterday', now)).toThrow(/--since is "yesterday"/);
  });
});

describe('variables', () => {
  const text = '# database\nA=1\nB="two words"\n\nexport C=x=y';

  test('are set where they stand, comments stay', () => {
    expect(withVariables(text, assignmentsOf(['A=2', 'D=new', 'C=']))).toBe(
      '# database\nA=2\nB="two words"\n\nC=\nD=new',
    );
    expect(withoutVariables(text, new Set(['A', 'C']))).toBe('# database\nB="two words"\n');
    expect(variablesOf(text).get('C')).toBe('x=y');
    expect(withVariables('', assignmentsOf(['A=1']))).toBe('A=1');
    const certificate = '# key\nKEY="first\nsecond=2"\nB=1\n';
    expect(withVariables(certificate, assignmentsOf(['KEY=x', 'my.var-1=y']))).toBe(
      '# key\nKEY=x\nB=1\nmy.var-1=y',
    );
    expect(withoutVariables(certificate, new Set(['KEY']))).toBe('# key\nB=1');
  });

  test.each(['a #b', ' x ', '"quoted"', "it's", 'first\nsecond', 'a\\n', '#', '', 'ü', '`x`', '$HOME'])(
    'the program gets the value that was typed: %j',
    (value) => {
      const block = withVariables('A=1', assignmentsOf([`V=${value}`]));
      expect(parseEnv(block).map((one) => one.value)).toEqual(['1', value]);
      expect(variablesOf(block).get('V')).toBe(value);
    },
  );

  test('a line that is none is told with the file and the line, without what it says', () => {
    expect(() => variablesOf('A=1\nsecret value\n', '.env')).toThrow('.env: line 2: has no "="');
    expect(() => variablesOf('A="1\n', '.env')).toThrow(
      '.env: line 1: opens a quote (") that is never closed',
    );
  });

  test('are merged with what somebody else changed meanwhile, unless both changed the same', () => {
    const from = '# ours\nA=1\nB=2\nC=3';
    expect(merged(from, '# ours\nA=9\nB=2', '# ours\nA=1\nB=5\nC=3\nD=4')).toBe('# ours\nA=9\nB=5\nD=4');
    expect(merged(from, `${from}\nNEW=1`, from)).toBe(`${from}\nNEW=1`);
    expect(() => merged(from, 'A=9\nB=2\nC=3', 'A=8\nB=2\nC=3')).toThrow('Somebody else changed A meanwhile');
    expect(() => merged(from, 'A=1\nB=2', 'A=1\nB=2\nC=4')).toThrow('changed C');
  });

  test('differ by name, values are not told', () => {
    expect(differences('A=1\nB=2', 'B=3\nC=4')).toEqual([
      { name: 'A', change: 'removed' },
      { name: 'B', change: 'changed' },
      { name: 'C', change: 'added' },
    ]);
    expect(() => assignmentsOf(['no-assignment'])).toThrow(/Write NAME=VALUE/);
  });
});

describe('completion', () => {
  const script = async (shell: string): Promise<string> => {
    let out = '';
    const word = words.find(({ name }) => name === 'completion');
    // Only what it prints is of interest.
    await word?.run({ args: [shell], terminal: { out: (text: string) => void (out += text) } } as never);
    return out;
  };

  test('of bash completes words, second words and options', async () => {
    const program = `${await script('bash')}
      COMP_WORDS=(berth env u) COMP_CWORD=2; _berth; echo "\${COMPREPLY[@]}"
      COMP_WORDS=(berth roll) COMP_CWORD=1; _berth; echo "\${COMPREPLY[@]}"
      COMP_WORDS=(berth logs --si) COMP_CWORD=2; _berth; echo "\${COMPREPLY[@]}"`;
    expect(execFileSync('bash', ['-c', program]).toString()).toBe('unset\nrollback\n--since\n');
  });

  test('of the others has each word', async () => {
    for (const shell of ['zsh', 'fish']) expect(await script(shell)).toContain('rollback');
    // Words that come only with a second one, and those that are in no table.
    for (const first of ['db', 'env', 'login'])
      expect(await script('fish')).toMatch(RegExp(`__fish_use_subcommand -a ${first} `));
  });
});
