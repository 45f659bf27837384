import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { SetupContext } from './context.ts';
import { connectEngine } from './engine/client.ts';
import { layoutOf } from './layout.ts';
import { upResult } from './result-line.ts';
import { plan, runSteps } from './run-steps.ts';
import { readSettings } from './settings/settings.ts';
import { detachedStarter } from './starters/detached.ts';
import { unitText } from './starters/systemd.ts';
import { upSteps } from './steps.ts';

const lines: string[] = [];
beforeEach(() => void vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line)));
afterEach(() => {
  lines.length = 0;
  vi.restoreAllMocks();
});

function contextWith(example: boolean, signal = new AbortController().signal): SetupContext {
  const layout = layoutOf('/data');
  return {
    flags: { example, json: false },
    settings: readSettings({}, {}),
    layout,
    product: '/product',
    engine: connectEngine('/absent'),
    starter: detachedStarter,
    say: () => undefined,
    signal,
  };
}

it('plans the example only when it was asked for, and Berth after all it needs', () => {
  const titles = plan(upSteps, contextWith(true)).map(({ title }) => title);
  expect(titles).toEqual([
    'Programs Berth calls',
    'Container engine',
    'Docker client for builds',
    'Swarm',
    'Ports',
    'Health probe',
    'Images',
    'Release',
    'Berth',
    'Network and proxy',
    'Example application',
  ]);
  expect(plan(upSteps, contextWith(false)).map(({ title }) => title)).toEqual(titles.slice(0, -1));
});

it('says each step, its outcome and its time, and stops at the first that fails', async () => {
  const steps = [
    { title: 'One', run: async () => 'done' },
    { title: 'Two', run: () => Promise.reject(new Error('the reason')) },
    { title: 'Three', run: async () => 'never' },
  ];
  await expect(runSteps(steps, contextWith(false))).rejects.toThrow(/^Two: the reason \(after \d+\.\d s\)$/);
  expect(lines[0]).toBe('[1/3] One');
  expect(lines[1]).toMatch(/^ {6}done \(\d+\.\d s\)$/);
  expect(lines[2]).toBe('[2/3] Two');
  expect(lines).toHaveLength(3);
});

it('calls an interruption an interruption', async () => {
  const steps = [{ title: 'One', run: () => Promise.reject(new Error('AbortError')) }];
  await expect(runSteps(steps, contextWith(false, AbortSignal.abort()))).rejects.toThrow('interrupted');
});

it('gives scripts one object, with null where there is no example', () => {
  const settings = readSettings({ BERTH_HTTP_PORT: '8080' }, {});
  expect(upResult(settings, undefined, 'hello.localhost')).toEqual({
    url: 'http://localhost:3000',
    email: null,
    password: null,
    apiKey: null,
    organizationId: null,
    exampleUrl: null,
    exampleHost: null,
    proxyUrl: 'http://127.0.0.1:8080',
  });
  const failed = { email: 'e', password: 'p', applicationId: 'a', answered: false };
  expect(upResult(settings, failed, 'hello.localhost')).toMatchObject({
    email: 'e',
    apiKey: null,
    exampleUrl: null,
    exampleHost: null,
  });
  expect(
    upResult(
      settings,
      { email: 'e', password: 'p', apiKey: 'k', organizationId: 'o', applicationId: 'a', answered: true },
      'hello.localhost',
    ),
  ).toEqual({
    url: 'http://localhost:3000',
    email: 'e',
    password: 'p',
    apiKey: 'k',
    organizationId: 'o',
    exampleUrl: 'http://hello.localhost:8080/',
    exampleHost: 'hello.localhost',
    proxyUrl: 'http://127.0.0.1:8080',
  });
});

it('starts Berth by systemd from the current release with its environment file', () => {
  const unit = unitText(layoutOf('/data'));
  expect(unit).toContain('EnvironmentFile=/data/berth.env\n');
  expect(unit).toContain(
    'ExecStart=/data/current/node --max-semi-space-size=1 ' + '/data/current/dist/server/src/main.js\n',
  );
});
