import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { requireInside } from '../files/checkout-path.ts';
import { builders } from './builders.ts';
import { isDockerSetting, isProgramSetting, passVariables } from './step.ts';
import type { BuildPlan } from './step.ts';

const source = mkdtempSync(join(tmpdir(), 'builders-'));
mkdirSync(join(source, 'app/dist'), { recursive: true });
writeFileSync(join(source, 'app/Dockerfile'), '');
afterAll(() => rmSync(source, { recursive: true, force: true }));
const folder = (path: string) => requireInside(source, path, { field: 'buildPath', kind: 'folder' });

const plan: BuildPlan = {
  directory: await folder('app'),
  context: await folder('app'),
  dockerfile: await requireInside(source, 'app/Dockerfile', { field: 'dockerfile', kind: 'file' }),
  stage: undefined,
  singlePage: false,
  image: 'berth/shop:d1',
  labels: { 'berth.application': 'a1', 'berth.note': 'it --is $(data)' },
  buildArguments: {},
  secretFiles: {},
  env: {},
  noCache: false,
  scratch: '/build/scratch',
  programs: {
    docker: '/usr/bin/docker',
    nixpacks: '/usr/local/bin/nixpacks',
    railpack: '/usr/local/bin/railpack',
    pack: '/usr/local/bin/pack',
  },
  dockerHost: 'unix:///run/docker.sock',
  staticImage: 'caddy:2',
};
const engine = {
  HOME: '/build/scratch',
  DOCKER_CONFIG: '/build/scratch/docker-config',
  DOCKER_HOST: 'unix:///run/docker.sock',
  DOCKER_BUILDKIT: '1',
};
const path = '/usr/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const labels = ['--label=berth.application=a1', '--label=berth.note=it --is $(data)'];

describe('commands', () => {
  test('dockerfile, plain', () => {
    expect(builders.dockerfile.steps(plan)).toEqual([
      {
        argv: [
          '/usr/bin/docker',
          'build',
          '--progress=plain',
          `--file=${source}/app/Dockerfile`,
          '--tag=berth/shop:d1',
          ...labels,
          `${source}/app`,
        ],
        env: engine,
      },
    ]);
  });

  test('dockerfile, with everything', async () => {
    const full = {
      ...plan,
      context: await folder(''),
      stage: 'release',
      buildArguments: { VERSION: '1 "$(id)"', EMPTY: '' },
      secretFiles: { TOKEN: '/build/scratch/secrets/TOKEN', ODD: '/build/a,b"c/ODD' },
      noCache: true,
    };
    expect(builders.dockerfile.steps(full)).toEqual([
      {
        argv: [
          '/usr/bin/docker',
          'build',
          '--progress=plain',
          `--file=${source}/app/Dockerfile`,
          '--tag=berth/shop:d1',
          '--target=release',
          ...labels,
          '--build-arg=VERSION',
          '--build-arg=EMPTY',
          '--secret=id=TOKEN,src=/build/scratch/secrets/TOKEN',
          '--secret=id=ODD,"src=/build/a,b""c/ODD"',
          '--no-cache',
          source,
        ],
        env: { VERSION: '1 "$(id)"', EMPTY: '', ...engine },
      },
    ]);
  });

  test('static builds its own Dockerfile and takes nothing of the source’s settings', async () => {
    const given = {
      ...plan,
      context: await folder('app/dist'),
      stage: 'x',
      buildArguments: { A: '1' },
      secretFiles: { S: '/s' },
    };
    expect(builders.static.steps(given)).toEqual([
      {
        argv: [
          '/usr/bin/docker',
          'build',
          '--progress=plain',
          '--file=/build/scratch/Dockerfile',
          '--tag=berth/shop:d1',
          ...labels,
          `${source}/app/dist`,
        ],
        env: engine,
      },
    ]);
  });

  test('nixpacks', () => {
    expect(
      builders.nixpacks.steps({ ...plan, env: { NODE_ENV: 'production', PATH: '/x' }, noCache: true }),
    ).toEqual([
      {
        argv: [
          '/usr/local/bin/nixpacks',
          'build',
          `${source}/app`,
          '--name=berth/shop:d1',
          ...labels,
          '--env=NODE_ENV',
          '--no-cache',
        ],
        env: { NODE_ENV: 'production', ...engine, PATH: path },
      },
    ]);
  });

  const labelStep = {
    argv: [
      '/usr/bin/docker',
      'build',
      '--progress=plain',
      '--file=/build/scratch/Dockerfile.label',
      '--tag=berth/shop:d1',
      ...labels,
      '/build/scratch/empty',
    ],
    env: engine,
  };

  test('railpack', () => {
    const buildKit = ['--name=buildkit', '--privileged', '--userns=host', 'moby/buildkit:latest'];
    expect(builders.railpack.steps({ ...plan, env: { A: '1' } })).toEqual([
      { argv: ['/usr/bin/docker', 'create', ...buildKit], env: engine, mayFail: true },
      { argv: ['/usr/bin/docker', 'start', 'buildkit'], env: engine },
      {
        argv: [
          '/usr/local/bin/railpack',
          'build',
          '--name=berth/shop:d1',
          '--progress=plain',
          '--env=A',
          `${source}/app`,
        ],
        env: { A: '1', ...engine, PATH: path, BUILDKIT_HOST: 'docker-container://buildkit' },
      },
      labelStep,
    ]);
    expect(builders.railpack.files(plan)).toEqual({ 'Dockerfile.label': 'FROM berth/shop:d1\n' });
  });

  test.each([
    ['heroku_buildpacks', 'heroku/builder:24'],
    ['paketo_buildpacks', 'paketobuildpacks/builder-jammy-full'],
  ] as const)('%s', (type, image) => {
    expect(builders[type].steps({ ...plan, env: { A: '1' }, noCache: true })).toEqual([
      {
        argv: [
          '/usr/local/bin/pack',
          'build',
          'berth/shop:d1',
          `--path=${source}/app`,
          `--builder=${image}`,
          '--pull-policy=if-not-present',
          '--env=A',
          '--clear-cache',
        ],
        env: { A: '1', ...engine, PATH: path },
      },
      labelStep,
    ]);
  });
});

const ofBoth = [
  'PATH',
  'path',
  'HOME',
  'DOCKER_HOST',
  'DOCKER_CONFIG',
  'BUILDKIT_HOST',
  'LD_PRELOAD',
  'LD_LIBRARY_PATH',
  'GODEBUG',
  'GOMAXPROCS',
  'SSL_CERT_FILE',
  'GLIBC_TUNABLES',
  'GCONV_PATH',
  'GIT_SSH_COMMAND',
  'XDG_CONFIG_HOME',
];
const ofPrograms = ['HTTP_PROXY', 'https_proxy', 'no_proxy', 'BERTH_RUN', 'TZ', 'DOCKER_PASSWORD'];
const ofNone = [
  'NODE_ENV',
  'DATABASE_URL',
  'GOOGLE_KEY',
  'API_TOKEN',
  'GOAL_NAME',
  'npm_config_x',
  'PACKAGE_NAME',
];
const given = (name: string) => ({ args: [`--x=${name}`], env: { [name]: 'v' }, left: [] });
const left = (name: string) => ({ args: [], env: {}, left: [name] });

test.each(ofBoth)('%s is given to no program, which would take it for itself', (name) => {
  expect(passVariables('--x', { [name]: 'v' }, isDockerSetting)).toEqual(left(name));
  expect(passVariables('--x', { [name]: 'v' }, isProgramSetting)).toEqual(left(name));
});

test.each(ofPrograms)(
  '%s is a build argument, its value in no argument, and no variable of a program',
  (name) => {
    expect(passVariables('--x', { [name]: 'v' }, isDockerSetting)).toEqual(given(name));
    expect(passVariables('--x', { [name]: 'v' }, isProgramSetting)).toEqual(left(name));
  },
);

test.each([...ofNone, 'BUILDKIT_SYNTAX'])('%s keeps its value out of the arguments', (name) =>
  expect(passVariables('--x', { [name]: 'v' }, isDockerSetting)).toEqual(given(name)),
);

test('the Dockerfile of a static site', () => {
  const files = builders.static.files(plan);
  expect(files['Dockerfile']).toMatch(/^FROM caddy:2\nRUN mkdir -p \/etc\/caddy && printf '%s\\n' '\{' /);
  expect(files['Dockerfile']).toContain('EXPOSE 80\n');
  expect(files['Dockerfile']).not.toContain('try_files');
  expect(builders.static.files({ ...plan, singlePage: true })['Dockerfile']).toContain(
    "'try_files {path} {path}/ /index.html'",
  );
  expect(files['Dockerfile.dockerignore']).toContain('**/.env\n');
});
