import { expect, test } from 'vitest';
import { namesOnly, withoutSecrets } from './masking.ts';

const env = [
  'PORT=3000',
  'DB_PASSWORD=x1y2',
  'URL=postgres://shop:hunter22@db/shop',
  'LONG=a-long-value',
  'EMPTY=',
  'BARE',
];

test('variables keep their names', () => {
  expect(namesOnly(env)).toEqual([
    'PORT=••••',
    'DB_PASSWORD=••••',
    'URL=••••',
    'LONG=••••',
    'EMPTY=••••',
    'BARE=••••',
  ]);
});

test('secrets are hidden wherever they stand, the rest stays', () => {
  const configuration = {
    Config: {
      Env: env,
      Cmd: ['serve', '--port=3000', '--password=x1y2', '--with=a-long-value'],
      Labels: { 'app.secret': 'short', 'app.tier': 'web', 'app.token': '' },
      ExposedPorts: { '3000/tcp': {} },
    },
    Args: ['https://ann:s3cret@git.test/'],
    State: { Pid: 42, Running: true, Error: null },
    HostConfig: { Memory: 0, Binds: null },
  };
  expect(withoutSecrets(configuration, env)).toEqual({
    Config: {
      Env: namesOnly(env),
      Cmd: ['serve', '--port=3000', '--password=••••', '--with=••••'],
      Labels: { 'app.secret': '••••', 'app.tier': 'web', 'app.token': '' },
      ExposedPorts: { '3000/tcp': {} },
    },
    Args: [expect.not.stringContaining('s3cret')],
    State: { Pid: 42, Running: true, Error: null },
    HostConfig: { Memory: 0, Binds: null },
  });
});
