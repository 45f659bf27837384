import { execFileSync } from 'node:child_process';
import { existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { Secret } from '../../../server/src/domain/secrets/secret.ts';
import { createBuilderFixture } from './builder-fixture.ts';

const { engineSocket } = inject('servers').m1;
const fixture = createBuilderFixture(engineSocket);
afterAll(() => fixture[Symbol.asyncDispose]());
beforeEach(() => void fixture.lines.splice(0));

const base = 'FROM berth/debian:12\n';
const log = () => fixture.lines.join('\n');

test('file, context, stage, arguments, labels arrive; no process list has an argument’s value', async () => {
  fixture.write({
    'apps/web/docker/Web.Dockerfile':
      `${base.replace('\n', ' AS early\n')}ARG NOTE\nRUN printf '%s' "$NOTE" > /note && sleep 1\nCOPY ` +
      `only.txt /only.txt\nFROM early AS late\nRUN false\n`,
    'apps/web/files/only.txt': 'only',
  });
  let processes = '';
  const value = `$(id) "quoted" 'x'\nline two ${Date.now()}`;
  const image = await fixture.build({
    buildPath: '/apps/web',
    dockerfile: 'docker/Web.Dockerfile',
    contextPath: 'apps/web/files',
    stage: 'early',
    buildArguments: { NOTE: value, HTTPS_PROXY: `http://user:${value.length}-secret@proxy` },
    onLine: (line) => {
      fixture.lines.push(line);
      if (line.includes('RUN printf')) processes = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' });
    },
  });
  expect(await fixture.docker('run', '--rm', image, 'cat', '/note')).toBe(value);
  expect(await fixture.docker('run', '--rm', image, 'cat', '/only.txt')).toBe('only');
  expect(
    await fixture.docker('image', 'inspect', '--format', '{{index .Config.Labels "berth.test"}}', image),
  ).toBe('yes');
  expect(processes).toContain('--build-arg=NOTE');
  expect(processes).not.toContain('line two');
  expect(processes).toContain('--build-arg=HTTPS_PROXY');
  expect(processes).not.toContain('-secret@proxy');
  expect(existsSync(fixture.scratch)).toBe(false);
});

test('a secret reaches the step and nothing else', async () => {
  const secret = `s3cret,"$(id)"-${Date.now()}`;
  fixture.write({
    Dockerfile:
      `${base}RUN --mount=type=secret,id=TOKEN cat /run/secrets/TOKEN && sha256sum < /run/secrets/TOKEN ` +
      `> /sum\n`,
  });
  const image = await fixture.build({ buildSecrets: { TOKEN: new Secret(secret) }, noCache: true });
  expect(await fixture.docker('run', '--rm', image, 'cat', '/sum')).toBe(
    execFileSync('sha256sum', { input: secret, encoding: 'utf8' }).trim(),
  );
  expect(log()).toContain('••••');
  expect(log()).not.toContain(secret);
  const tar = join(fixture.folder, 'image.tar');
  await fixture.docker('save', '--output', tar, image);
  expect(
    execFileSync('sh', ['-c', 'grep -c -a -F -e "$1" "$2" || true', 'sh', secret, tar], {
      encoding: 'utf8',
    }).trim(),
  ).toBe('0');
});

test('a variable of the service whose name is none for a builder does not hinder', async () => {
  fixture.write({ Dockerfile: base });
  await fixture.build({ env: { 'spring.datasource.url': 'x', PATH: '/evil' } });
  expect(log()).not.toContain('spring');
});

test('the cache is used, and not when told', async () => {
  fixture.write({ Dockerfile: `${base}RUN date +%N > /made\n` });
  const first = await fixture.build();
  const again = await fixture.build();
  const anew = await fixture.build({ noCache: true });
  const made = await Promise.all(
    [first, again, anew].map((image) => fixture.docker('run', '--rm', image, 'cat', '/made')),
  );
  expect(made[1]).toBe(made[0]);
  expect(made[2]).not.toBe(made[0]);
});

describe('what leaves the source is refused', () => {
  test.each([
    ['dockerfile', { dockerfile: 'link' }],
    ['dockerfile', { dockerfile: '../outside' }],
    ['dockerfile', { dockerfile: 'none' }],
    ['containerContextPath', { contextPath: 'etc' }],
    ['buildPath', { buildPath: 'etc' }],
    ['buildPath', { buildPath: '../..' }],
    ['containerBuildStage', { stage: '--file=x' }],
    ['containerBuildStage', { stage: 'a b' }],
    ['buildArgs', { buildArguments: { '--x': '1' } }],
    ['buildArgs', { buildArguments: { 'A B': '1' } }],
    ['buildArgs', { buildArguments: { DOCKER_HOST: 'unix:///nowhere' } }],
    ['buildSecrets', { buildSecrets: { '../x': new Secret('1') } }],
  ])('%s %j', async (field, request) => {
    fixture.write({ Dockerfile: base });
    writeFileSync(join(fixture.folder, 'outside'), 'FROM berth/debian:12\n');
    symlinkSync('../outside', join(fixture.source, 'link'));
    symlinkSync('/etc', join(fixture.source, 'etc'));
    await expect(fixture.build(request)).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringMatching(new RegExp(`^${field}: `)),
    });
  });

  test('a link in the context does not bring a file of the server', async () => {
    fixture.write({ Dockerfile: `${base}COPY passwd /copied\n` });
    symlinkSync('/etc/hostname', join(fixture.source, 'passwd'));
    await expect(fixture.build()).rejects.toMatchObject({
      message: expect.stringContaining('which is not in the build context'),
    });
  });
});

describe('failures say why', () => {
  test.each([
    [
      `${base}RUN echo last words; exit 7\n`,
      {},
      'the step "RUN echo last words; exit 7" ended with exit code 7',
    ],
    [
      `${base}RUN vite -v || true\nRUN echo secret abc not found;Cannot connect to the Docker daemon\n`,
      {},
      'ended with exit code 127; its output is in the log. The program Cannot was not found',
    ],
    [
      `${base}RUN vite build\n`,
      {},
      'ended with exit code 127; its output is in the log. The program vite was',
    ],
    [`${base}COPY a.lock ./\nCOPY shared ./shared\nCOPY api ./\n`, {}, 'which is not in the build context'],
    ['FROM 127.0.0.1:9/none:1\n', {}, 'its registry 127.0.0.1:9 does not answer'],
    ['FRUM x\n', {}, 'The Dockerfile cannot be read'],
    [base, { stage: 'nope' }, 'no stage named nope'],
    [`${base}COPY none /x\n`, {}, 'copies /none'],
    [`${base}RUN --mount=type=secret,id=TOKEN,required=true true\n`, {}, 'needs the build secret TOKEN'],
  ])('%j', async (dockerfile, request, sentence) => {
    fixture.write({ Dockerfile: dockerfile });
    await expect(fixture.build(request)).rejects.toThrow(sentence);
    expect(existsSync(fixture.scratch)).toBe(false);
  });

  test('a full disk is named', async () => {
    fixture.write({ Dockerfile: `${base}RUN head -c 1 /dev/zero > /dev/full\n` });
    await expect(fixture.build()).rejects.toThrow('disk of the server that builds is full');
  });

  test('an engine that is not there, a docker without BuildKit, a missing program', async () => {
    fixture.write({ Dockerfile: base });
    const nowhere = createBuilderFixture(join(fixture.folder, 'nowhere', 'docker.sock'));
    nowhere.write({ Dockerfile: base });
    await expect(nowhere.build()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await nowhere[Symbol.asyncDispose]();
    const plain = join(fixture.folder, 'plain-docker');
    writeFileSync(
      plain,
      '#!/bin/sh\necho "ERROR: BuildKit is enabled but the buildx component is missing or broken." ' +
        '>&2\nexit 1\n',
      { mode: 0o755 },
    );
    for (const [dockerPath, sentence] of [
      [plain, 'cannot build with BuildKit (ERROR: BuildKit is enabled but'],
      [join(fixture.folder, 'no-docker'), 'The program no-docker is not installed'],
    ] as const) {
      const other = createBuilderFixture(engineSocket, { dockerPath });
      other.write({ Dockerfile: base });
      await expect(other.build()).rejects.toMatchObject({
        code: 'PRECONDITION_FAILED',
        message: expect.stringContaining(sentence),
      });
      await other[Symbol.asyncDispose]();
    }
    for (const [buildType, program] of [
      ['heroku_buildpacks', 'pack'],
      ['paketo_buildpacks', 'pack'],
    ] as const) {
      await expect(fixture.build({ buildType })).rejects.toMatchObject({
        code: 'PRECONDITION_FAILED',
        message: expect.stringMatching(
          new RegExp(`needs the program "${program}", which is not installed on this server; install`),
        ),
      });
    }
  });
});
