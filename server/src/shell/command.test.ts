import { expect, test } from 'vitest';
import { Secret } from '../domain/secrets/secret.ts';
import { childEnvironment, command } from './command.ts';

test('the environment of a child is made from nothing', () => {
  const given = command(['git', 'status'], {
    cwd: '/srv/x',
    env: { TOKEN: new Secret('hunter2'), HOME: '/scratch' },
  });
  expect(
    childEnvironment(given, {
      DATABASE_URL: 'postgres://u:p@h/d',
      PATH: '/evil',
      SSL_CERT_FILE: '/ca.pem',
      NODE_OPTIONS: '--x',
    }),
  ).toEqual({
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: '/scratch',
    LANG: 'C.UTF-8',
    SSL_CERT_FILE: '/ca.pem',
    TOKEN: 'hunter2',
  });
  expect(JSON.stringify(given)).not.toContain('hunter2');
});

test('a secret cannot be an argument', () => {
  // @ts-expect-error A Secret is no string, so that no other process can read it from the process list.
  expect(() => command(['git', new Secret('hunter2')], { cwd: '/' })).toThrow('is not a function');
});

test.each([
  [['git', 'a\0b'] as const, {}],
  [['git'] as const, { A: 'a\0b' }],
  [['git'] as const, { 'A=B': '1' }],
  [['git'] as const, { '': '1' }],
])('%j with %j is refused', (argv, env: Record<string, string>) => {
  expect(() => command([...argv], { cwd: '/', env })).toThrow(
    expect.objectContaining({ code: 'BAD_REQUEST' }),
  );
});
