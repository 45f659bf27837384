import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createEngineInMemory, type EngineInMemory } from '../../test/engine-in-memory/engine-in-memory.ts';
import { addImage, findImage, push, removeImage, tagImage } from '../../test/engine-in-memory/images.ts';
import { bringImage, readDigests, type BringRequest } from './bring-image.ts';
import { engineOver } from './client.ts';
import { digestOf } from './image-digest.ts';

const reference = 'registry.test:5000/caddy:2';
let layout: { data: string };
let memory: EngineInMemory;
let request: BringRequest;
let said: string[];

beforeEach(() => {
  layout = { data: mkdtempSync(join(tmpdir(), 'berth-digests-')) };
  memory = createEngineInMemory();
  memory.addRegistry('registry.test:5000');
  said = [];
  const engine = engineOver(memory.api, 'in memory');
  request = {
    engine,
    layout,
    version: '1.0.0',
    say: (line) => said.push(line),
    async pull(name) {
      const { signal } = new AbortController();
      const answer = await engine.pull(name, { answerLimitMs: 1000, limitMs: 5000, signal });
      return answer.kind === 'pulled' ? undefined : answer.reason;
    },
  };
});
afterEach(() => rmSync(layout.data, { recursive: true }));

/** Puts another image under the tag into the registry; returns its id. */
function publish(): string {
  const here = findImage(memory.state, reference);
  const { id } = addImage(memory.state, reference, { programs: {} });
  push(memory.state, reference, undefined);
  memory.state.images.delete(id);
  if (here) tagImage(memory.state, here, reference);
  return id;
}

const idHere = async (): Promise<string | undefined> => (await memory.engine.image(reference))?.id;

it('a moved tag changes nothing until another version of Berth asks', async () => {
  const first = publish();
  expect(await bringImage(reference, request)).toEqual({ isPulled: true });
  const second = publish();
  expect(await bringImage(reference, request)).toEqual({ isPulled: false });
  expect(await idHere()).toBe(first);

  // Removed by hand: the same content comes back under the tag.
  removeImage(memory.state, first);
  expect(await bringImage(reference, request)).toEqual({ isPulled: true });
  expect(await idHere()).toBe(first);

  expect(await bringImage(reference, { ...request, version: '1.1.0' })).toEqual({ isPulled: true });
  expect(await idHere()).toBe(second);
  expect(readDigests(layout)[reference]).toMatchObject({
    version: '1.1.0',
    digest: expect.stringMatching(/^registry\.test:5000\/caddy@sha256:/),
  });
});

it('an image stays when its registry does not answer another version', async () => {
  const first = publish();
  await bringImage(reference, request);
  memory.state.registries.clear();
  expect(await bringImage(reference, { ...request, version: '1.1.0' })).toEqual({ isPulled: false });
  expect(await idHere()).toBe(first);
  expect(said.join()).toContain('stays as it is');
});

it('a digest that the registry no longer has gives way to the tag', async () => {
  const first = publish();
  await bringImage(reference, request);
  removeImage(memory.state, first);
  memory.state.registries.clear();
  memory.addRegistry('registry.test:5000');
  const second = publish();
  expect(await bringImage(reference, request)).toEqual({ isPulled: true });
  expect(await idHere()).toBe(second);
});

it('an image from before the record is remembered and not asked for', async () => {
  publish();
  await request.pull(reference);
  memory.state.registries.clear();
  expect(await bringImage(reference, request)).toEqual({ isPulled: false });
  expect(readDigests(layout)[reference]?.version).toBe('1.0.0');
});

it('one that nobody gives says why, and one that was built here has no digest', async () => {
  expect((await bringImage(reference, request)).fault).toContain('manifest unknown');
  memory.addImage('local:1', { programs: {} });
  expect(await bringImage('local:1', request)).toEqual({ isPulled: false });
  expect(readDigests(layout)).toEqual({});
});

it.each([
  ['caddy:2', ['other@sha256:1', 'docker.io/library/caddy@sha256:2'], 'docker.io/library/caddy@sha256:2'],
  ['docker.io/library/caddy:2', ['caddy@sha256:2'], 'caddy@sha256:2'],
  ['caddy:2', ['example.com/caddy@sha256:2'], undefined],
])('%s among %j is %s', (name, digests, found) => expect(digestOf(name, digests)).toBe(found));
