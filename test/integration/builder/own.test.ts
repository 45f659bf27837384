/** An organization's own builder: its life, what a killed Berth leaves of it, and what travels from it. */
import { request } from 'node:http';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeEach, expect, inject, test } from 'vitest';
import { nameOf } from '../../../server/src/adapters/build-engine/container-spec.ts';
import { archiveBeginning, emptyArchive } from '../../../server/src/adapters/build-engine/layer-archive.ts';
import { testInstallation } from '../../installation.ts';
import { createBuilderFixture } from './builder-fixture.ts';

const { engineSocket } = inject('servers').m1;
const fixture = createBuilderFixture(engineSocket);
afterAll(() => fixture[Symbol.asyncDispose]());
beforeEach(() => void fixture.lines.splice(0));

const { signal } = new AbortController();
const limits = { memoryBytes: 512 * 1024 ** 2, nanoCpus: 1e9 };
const base = 'FROM berth/debian:12\n';
const idsOf = (organizationId: string): Promise<string> =>
  fixture.docker('ps', '--all', '--quiet', '--no-trunc', '--filter', `label=berth.builder=${organizationId}`);

test('what a killed Berth leaves of a builder is found and used again, and nothing is doubled', async () => {
  const { organizationId } = fixture;
  fixture.write({ Dockerfile: `${base}RUN echo begun && sleep 100\n` });
  const killed = new AbortController();
  const build = fixture.build({
    signal: killed.signal,
    onLine: (line) => {
      if (/\d begun$/.test(line)) killed.abort(new Error('killed'));
    },
  });
  await expect(build).rejects.toThrow('killed');
  const before = await idsOf(organizationId);
  expect(before).toMatch(/^[0-9a-f]{64}$/);
  // The next Berth knows nothing of it.
  const next = createBuilderFixture(engineSocket, {}, { idleMs: 1 });
  const engine = await next.engines.lend(organizationId, { limits, signal });
  expect(await idsOf(organizationId)).toBe(before);
  // One that is used is not stopped, also not by whoever puts things in order.
  await next.engines.tidy(new Set([organizationId]));
  expect(await idsOf(organizationId)).toBe(before);
  await engine.giveBack();
  await expect.poll(() => idsOf(organizationId), { timeout: 60_000 }).toBe('');
  const volumes = await fixture.docker('volume', 'ls', '--quiet', '--filter', `label=berth.builder`);
  expect(volumes.split('\n')).toContain(nameOf({ installation: testInstallation }, organizationId));
  // Its cache is there for the next build.
  fixture.write({ Dockerfile: base });
  await fixture.build();
  expect(await idsOf(organizationId)).toMatch(/^[0-9a-f]{64}$/);
});

test('a builder whose organization is gone is removed with its cache', async () => {
  const gone = createBuilderFixture(engineSocket);
  gone.write({ Dockerfile: base });
  await gone.build();
  const kept = (await fixture.docker('ps', '--format', '{{.Label "berth.builder"}}')).split('\n');
  await gone.engines.tidy(new Set(kept.filter((id) => id !== gone.organizationId)));
  expect(await idsOf(gone.organizationId)).toBe('');
  expect(await fixture.docker('volume', 'ls', '--quiet')).not.toContain(gone.organizationId);
  // At once, where it is deleted while Berth runs, and the builder still waits for further builds.
  await gone.build();
  expect(await idsOf(gone.organizationId)).toMatch(/^[0-9a-f]{64}$/);
  await gone.engines.remove(gone.organizationId);
  await gone.engines.remove(gone.organizationId);
  expect(await idsOf(gone.organizationId)).toBe('');
  expect(await fixture.docker('volume', 'ls', '--quiet')).not.toContain(gone.organizationId);
});

test('another installation builds for the same organization in a builder of its own', async () => {
  const { organizationId } = fixture;
  const installation = 'anotherone';
  const name = nameOf({ installation }, organizationId);
  const other = createBuilderFixture(
    engineSocket,
    {},
    {
      installation,
      folder: join(dirname(engineSocket), 'builders-of-another'),
      hostFolder: '/run/bed/builders-of-another',
    },
  );
  const [before, engine] = [
    await idsOf(organizationId),
    await other.engines.lend(organizationId, { limits, signal }),
  ];
  const ids = (await idsOf(organizationId)).split('\n');
  expect(ids).toHaveLength(2);
  expect(ids).toContain(before);
  await engine.giveBack();
  await other.engines.remove(organizationId);
  expect(await idsOf(organizationId)).toBe(before);
  expect(await fixture.docker('volume', 'ls', '--quiet')).not.toContain(name);
});

test('a builder that was told of a build runs when it comes, and is stopped when none does', async () => {
  const own = createBuilderFixture(engineSocket);
  await own.engines.getReady(own.organizationId, { limits, signal });
  const ready = await idsOf(own.organizationId);
  expect(ready).toMatch(/^[0-9a-f]{64}$/);
  own.write({ Dockerfile: base });
  await own.build();
  expect(await idsOf(own.organizationId)).toBe(ready);
  await own.engines.remove(own.organizationId);
  const idle = createBuilderFixture(engineSocket, {}, { idleMs: 1 });
  await idle.engines.getReady(idle.organizationId, { limits, signal });
  await expect.poll(() => idsOf(idle.organizationId), { timeout: 60_000 }).toBe('');
  await idle.engines.remove(idle.organizationId);
});

test('names, modes, links and whiteouts of an image arrive as they were built', async () => {
  // As JSON notes them, too.
  const odd = 'a "b" é & <x>';
  fixture.write({
    Dockerfile:
      // Of so many files that what stands between them is not kept while they are counted.
      `${base}RUN mkdir /many && cd /many && seq 8000 | xargs touch\n` +
      'RUN mkdir -p /odd/gone /odd/opaque && printf x > ' +
      `'/odd/${odd}' && echo 1 > /odd/gone/file && ` +
      'ln -s /etc/passwd /odd/link && ln /odd/gone/file /odd/hard && chmod 4711 /odd/hard && ' +
      'chown 1000:1000 /odd/gone && echo 1 > /odd/opaque/one && head -c 3000000 /dev/urandom > /odd/large\n' +
      'RUN sha256sum /odd/large > /odd/sum && rm /odd/gone/file && rm -r /odd/opaque && ' +
      'mkdir /odd/opaque && echo 2 > /odd/opaque/two\n',
  });
  const image = await fixture.build();
  expect(await fixture.docker('run', '--rm', image, 'sh', '-c', 'ls /many | wc -l')).toBe('8000');
  const show = 'cd /odd && sha256sum -c sum && ls -A opaque gone && stat -c "%a %u %F %n" * && readlink link';
  const said = (await fixture.docker('run', '--rm', image, 'sh', '-c', show)).split('\n');
  expect(said).toContain('/odd/large: OK');
  expect(said).toContain('two');
  expect(said).not.toContain('one');
  expect(said).not.toContain('file');
  expect(said).toContain('4711 0 regular file hard');
  expect(said).toContain('755 1000 directory gone');
  expect(said).toContain('/etc/passwd');
  expect(said.filter((line) => line.includes(odd))).toHaveLength(1);
});

test('only layers that the engine lacks travel; labels are Berth’s, whatever an image says', async () => {
  fixture.write({ Dockerfile: `${base}LABEL berth.test=forged\nRUN echo first > /first\n` });
  const labels = { 'berth.organization': fixture.organizationId, 'berth.test': 'ours' };
  const first = await fixture.build({ labels });
  const label = (image: string): Promise<string> =>
    fixture.docker('image', 'inspect', '--format', '{{index .Config.Labels "berth.test"}}', image);
  expect(await label(first)).toBe('ours');
  fixture.write({
    Dockerfile: `${base}LABEL berth.test=forged\nRUN echo first > /first\nRUN echo second > /second\n`,
  });
  const second = await fixture.build({ labels });
  expect(await fixture.docker('run', '--rm', second, 'cat', '/first', '/second')).toBe('first\nsecond');
  // The builder keeps no image under its name: nobody begins from it without being judged.
  fixture.write({ Dockerfile: `FROM ${second}\n` });
  await expect(fixture.build()).rejects.toThrow('The base image ');
});

test('an engine that was told of an image takes an archive without one', async () => {
  const answer = await new Promise<{ status: number | undefined; words: string }>((resolve, reject) => {
    const call = request({ socketPath: engineSocket, method: 'POST', path: '/images/load?quiet=1' });
    call.once('error', reject);
    call.once('response', (response) => {
      text(response).then((words) => resolve({ status: response.statusCode, words }), reject);
    });
    call.write(archiveBeginning());
    call.end(emptyArchive());
  });
  expect(answer).toEqual({ status: 200, words: expect.not.stringMatching(/error/i) });
});

/** Images as deployments of applications have them. */
const builtName = (name: string): string => `berth-build/${name}-${fixture.organizationId.toLowerCase()}:d1`;
const ofOrganization = (organizationId: string) => ({ labels: { 'berth.organization': organizationId } });

test('a build begins from what Berth built for its organization, by FROM and COPY --from', async () => {
  const { organizationId, docker } = fixture;
  const image = builtName('base');
  fixture.write({ Dockerfile: `${base}RUN echo mine > /mine\n` });
  await fixture.build({ image, ...ofOrganization(organizationId) });
  fixture.write({
    Dockerfile: `ARG BASE\nFROM $BASE\nRUN cat /mine > /again\nCOPY --from=${image} /mine /copied\n`,
  });
  const made = await fixture.build({ buildArguments: { BASE: image }, ...ofOrganization(organizationId) });
  expect(await docker('run', '--rm', made, 'cat', '/again', '/copied')).toBe('mine\nmine');
  // Once it is removed here, what the builder had of it is nobody's base either.
  await docker('image', 'rm', '--force', image);
  await expect(fixture.build({ buildArguments: { BASE: image } })).rejects.toMatchObject({
    code: 'FORBIDDEN',
  });
});

test('an image of set-up that is not here is no base, whoever publishes one of its name', async () => {
  const absent = 'berth/there-is-none:1';
  for (const dockerfile of [
    `FROM ${absent}\n`,
    `FROM docker.io/${absent}\n`,
    `${base}COPY --from=${absent} /bin /bin\n`,
    `# syntax=${absent}\n${base}`,
  ]) {
    fixture.write({ Dockerfile: dockerfile });
    await expect(fixture.build()).rejects.toMatchObject({
      code: 'PRECONDITION_FAILED',
      message: expect.stringContaining('are never pulled from a registry'),
    });
    // Nothing has begun.
    expect(fixture.lines).toEqual([]);
  }
});

test.each([
  ['another organization’s', ofOrganization('another')],
  ['nobody’s', { labels: {} }],
])('%s image is refused as a base, as one that does not exist', async (_whose, labels) => {
  const [theirs, none] = [builtName('theirs'), builtName('none')];
  fixture.write({ Dockerfile: `${base}RUN echo theirs > /theirs\n` });
  await fixture.build({ image: theirs, ...labels });
  const refusalOf = async (reference: string, dockerfile: string): Promise<unknown> => {
    fixture.write({ Dockerfile: dockerfile });
    fixture.lines.splice(0);
    const refused: unknown = await fixture.build().catch((error: unknown) => error);
    // Nothing has begun.
    expect(fixture.lines).toEqual([]);
    expect(refused).toMatchObject({ code: 'FORBIDDEN' });
    return refused instanceof Error ? refused.message.replaceAll(reference, 'IMAGE') : undefined;
  };
  const sentences = [
    await refusalOf(theirs, `FROM ${theirs}\n`),
    await refusalOf(theirs, `${base}COPY --from=${theirs} /theirs /theirs\n`),
    await refusalOf(theirs, `# syntax=${theirs}\n${base}`),
    await refusalOf(`docker.io/${theirs}`, `FROM docker.io/${theirs}\n`),
    await refusalOf(none, `FROM ${none}\n`),
  ];
  expect(new Set(sentences).size).toBe(1);
  expect(sentences[0]).toMatch(
    /^The Dockerfile names IMAGE, which is not an image that Berth built for this/,
  );
  expect(sentences[0]).toMatch(/keptImages.*Name the image of a kept deployment.*or push the image/);
  await fixture.docker('image', 'rm', '--force', theirs);
});

test('memory of the whole builder follows the builds that run in it', async () => {
  const { organizationId, engines } = fixture;
  const one = await engines.lend(organizationId, { limits, signal });
  const limitOf = async (): Promise<number> =>
    Number(
      await fixture.docker('inspect', '--format', '{{.HostConfig.Memory}}', await idsOf(organizationId)),
    );
  const alone = await limitOf();
  const two = await engines.lend(organizationId, { limits, signal });
  expect((await limitOf()) - alone).toBe(limits.memoryBytes);
  await two.giveBack();
  expect(await limitOf()).toBe(alone);
  await one.giveBack();
});
