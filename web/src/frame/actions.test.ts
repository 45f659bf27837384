/** What the palette offers to whom, and that each command line is one that there is. */
import { expect, it } from 'vitest';
import { procedureKinds } from '../../../client/procedure-kinds.ts';
import type { ServiceKind, ServiceRow } from '../live/services.ts';
import { actions, actionsFor, nameOnCommandLine } from './actions.ts';

// By its path alone: it is typed for node, and this for a browser.
const commandLine: string = new URL('../../../cli/words/words.ts', import.meta.url).href;
const { words }: { words: readonly { name: string }[] } = await import(/* @vite-ignore */ commandLine);

const row = (kind: ServiceKind, change: Partial<ServiceRow> = {}): ServiceRow => ({
  id: 'id1',
  kind,
  name: 'web',
  appName: 'web',
  projectId: 'p',
  projectName: 'shop',
  environmentId: 'e',
  environmentName: 'production',
  condition: 'up',
  running: 1,
  desired: 1,
  changedAt: '',
  isDeploying: false,
  ...change,
});
const stopped: Partial<ServiceRow> = { condition: 'stopped', running: 0, desired: 0 };

/** Who is offered each: everybody who sees the service, or Owners, Admins and Members with the grant. */
const offered: Record<string, string> = {
  deploy: 'everybody',
  redeploy: 'everybody',
  restart: 'everybody',
  start: 'everybody',
  stop: 'everybody',
  rollback: 'everybody',
  history: 'everybody',
  logs: 'everybody',
  terminal: 'canOpenTerminal',
  variables: 'everybody',
  domain: 'everybody',
  backup: 'everybody',
  restore: 'everybody',
  schedules: 'everybody',
  server: 'everybody',
  move: 'everybody',
  settings: 'everybody',
  delete: 'canDeleteServices',
};

it('every action is offered to whom the table says', () => {
  expect(Object.fromEntries(actions.map(({ key, grant }) => [key, grant ?? 'everybody']))).toEqual(offered);
  const keysOf = (may: (grant: string) => boolean): string[] => [
    ...new Set(
      [row('application'), row('application', stopped), row('postgres')].flatMap((one) =>
        actionsFor(one, may).map(({ key }) => key),
      ),
    ),
  ];
  expect(keysOf(() => true).toSorted()).toEqual(Object.keys(offered).toSorted());
  for (const grant of ['canOpenTerminal', 'canDeleteServices'])
    expect(keysOf((held) => held === grant).toSorted()).toEqual(
      Object.keys(offered)
        .filter((key) => offered[key] === 'everybody' || offered[key] === grant)
        .toSorted(),
    );
});

const kinds: readonly ServiceKind[] = ['application', 'compose', 'postgres', 'redis'];

it.each(kinds)(
  'of a service of the kind %s every command line and every call is one that there is',
  (kind) => {
    const procedures: Record<string, Record<string, string>> = procedureKinds;
    const isThere = (path: string): boolean => {
      const [router = '', name = ''] = path.split('.');
      return procedures[router]?.[name] !== undefined;
    };
    for (const one of [row(kind), row(kind, stopped)])
      for (const { key, command, does } of actionsFor(one, () => true)) {
        const [, first = '', second = ''] = command('shop/web', one).split(' ');
        const isKnown =
          first === 'api'
            ? isThere(second)
            : words.some(({ name }) => name === first || name === `${first} ${second}`);
        expect([key, isKnown]).toEqual([key, true]);
        const isCalled = 'opens' in does || isThere(`${kind}.${does.calls}`);
        expect([key, isCalled]).toEqual([key, true]);
      }
  },
);

it('what takes something away is opened, where it asks first', () => {
  const opened = actions.flatMap(({ key, does }) => ('opens' in does ? [key] : []));
  expect(opened).toEqual(expect.arrayContaining(['stop', 'delete', 'rollback', 'restore', 'move', 'server']));
});

it('a service is named as a shell takes it', () => {
  expect(nameOnCommandLine(row('application'))).toBe('shop/web');
  expect(nameOnCommandLine(row('application', { environmentName: 'staging' }))).toBe('shop/staging/web');
  expect(nameOnCommandLine(row('application', { name: "it's $(rm) here" }))).toBe(
    `'shop/it'\\''s $(rm) here'`,
  );
});
