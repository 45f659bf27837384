/**
 * A builder that belongs to whoever has broken out of a build step: whatever it gives, no other
 * organization's layer, label or name comes of it on the server's engine.
 */
import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createEarlyIntake } from '../../../server/src/adapters/build-engine/early-intake.ts';
import { deliverImage } from '../../../server/src/adapters/build-engine/image-transfer.ts';
import {
  archiveBeginning,
  digestOf,
  imageArchive,
} from '../../../server/src/adapters/build-engine/layer-archive.ts';
import { tarHeader } from '../../../server/src/domain/tar.ts';
import { createEngineClient } from '../../../server/src/adapters/engine/client/engine-client.ts';
import { layersOf, openIntake } from '../../../server/src/adapters/engine/images/image-load.ts';
import { findImage, removeImage } from '../../../server/src/adapters/engine/images/images.ts';

const { engineSocket } = inject('servers').m1;
const client = createEngineClient(engineSocket);
const { signal } = new AbortController();
const folder = mkdtempSync(join(tmpdir(), 'hostile-builder-'));
const builderSocket = join(folder, 'docker.sock');
const partsSocket = join(folder, 'images.sock');

/** A layer of one file. */
function layerOf(name: string, content: string): Buffer {
  const bytes = Buffer.alloc(512);
  bytes.write(content);
  return Buffer.concat([tarHeader(name, content.length), bytes, Buffer.alloc(1024)]);
}

async function* once(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes;
}

const mine = layerOf('mine', `mine ${process.pid}`);
const theirs = layerOf('theirs', `the source of another organization ${process.pid}`);
const [mineId, theirsId] = [digestOf(mine), digestOf(theirs)];
const names = {
  theirs: `berth-test/theirs-${process.pid}:1`,
  mine: `berth-test/mine-${process.pid}:1`,
  planted: `berth-test/planted-${process.pid}:1`,
};
const labels = { 'berth.managed': 'true', 'berth.organization': 'mine' };
const platform = { os: 'linux', architecture: 'amd64' };
const honest = { ...platform, config: {}, rootfs: { type: 'layers', diff_ids: [mineId] } };

/** The archive of an image of one layer, as an engine loads it. */
function archiveOf(tag: string, config: Buffer, layer: Buffer): AsyncGenerator<Uint8Array> {
  const id = digestOf(layer);
  const open = async () => ({ size: layer.length, body: once(layer) });
  return imageArchive({ tag, config, layers: [{ diffId: id, chainId: id, open }] });
}

/** What the builder says: of the image in its engine, and as parts. */
let said: { layers: string[]; config: Buffer; layer: Buffer };
const engineOfBuilder = createHttpServer((_, answer) => {
  answer.end(JSON.stringify({ Id: digestOf(said.config), RootFS: { Layers: said.layers } }));
});
const parts = createServer((asking) => {
  asking.on('error', () => undefined);
  asking.once('data', (line) => {
    if (String(line).startsWith('config')) asking.end(partOf(said.config));
    else asking.end(said.layer);
  });
});
const partOf = (bytes: Buffer): Buffer => Buffer.concat([Buffer.from(`${bytes.length}\n`), bytes]);
const listening = (server: Server, path: string): Promise<void> =>
  new Promise((resolve) => void server.listen(path, resolve));

beforeAll(async () => {
  await Promise.all([listening(engineOfBuilder, builderSocket), listening(parts, partsSocket)]);
  const config = { ...platform, config: { Labels: { 'berth.organization': 'theirs' } } };
  const whole = { ...config, rootfs: { type: 'layers', diff_ids: [theirsId] } };
  const archive = archiveOf(names.theirs, Buffer.from(JSON.stringify(whole)), theirs);
  await openIntake(engineSocket, archiveBeginning()).take(archive, signal);
});
afterAll(async () => {
  for (const name of Object.values(names)) await removeImage(client, name);
  engineOfBuilder.close();
  parts.close();
  rmSync(folder, { recursive: true });
});

function deliver(builder: Partial<typeof said>) {
  const config = Buffer.from(JSON.stringify(honest));
  said = { layers: [mineId], config, layer: partOf(mine), ...builder };
  const ends = {
    host: { client, socket: engineSocket },
    builder: { client: createEngineClient(builderSocket), socket: builderSocket, partsSocket },
  };
  const presentLayers = Promise.resolve(new Set<string>());
  const intended = { intake: createEarlyIntake(engineSocket), presentLayers };
  return deliverImage(ends, { image: names.mine, labels }, intended, signal);
}

const written = (config: object): Buffer => Buffer.from(JSON.stringify({ ...honest, ...config }));

test('an honest one hands over exactly its image', async () => {
  expect(await deliver({})).toMatchObject({ layers: 1, sent: 1 });
  expect(await layersOf(client, names.mine)).toMatchObject({ diffIds: [mineId] });
  expect(await findImage(client, names.mine)).toMatchObject({ labels });
  await removeImage(client, names.mine);
});

const [rootfs, ofTheirs] = [honest.rootfs, { type: 'layers', diff_ids: [theirsId] }];
test.each([
  ['a layer of theirs', { config: written({ rootfs: ofTheirs }) }],
  ['a layer of theirs behind its own', { config: written({ rootfs, RootFS: ofTheirs }) }],
  ['a layer of theirs, folded', { config: written({ rootfs, 'rootf\u017f': ofTheirs }) }],
  ['their label', { config: written({ config: { labels: { 'berth.organization': 'theirs' } } }) }],
])('one whose configuration names %s hands over nothing', async (_, builder) => {
  await expect(deliver(builder)).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' });
  expect(await findImage(client, names.mine)).toBeUndefined();
});

test('one that gives a layer of theirs by its digest alone has to have it', async () => {
  const config = written({ rootfs: ofTheirs });
  await expect(deliver({ layers: [theirsId], config })).rejects.toMatchObject({
    code: 'PRECONDITION_FAILED',
  });
  expect(await findImage(client, names.mine)).toBeUndefined();
});

test('one that sends another archive behind an empty layer plants nothing', async () => {
  const planted: Uint8Array[] = [Buffer.from('0\n'), archiveBeginning()];
  for await (const piece of archiveOf(names.planted, written({}), mine)) planted.push(piece);
  await expect(deliver({ layer: Buffer.concat(planted) })).rejects.toThrow(/more than the 0 bytes/);
  expect(await findImage(client, names.planted)).toBeUndefined();
  expect(await findImage(client, names.mine)).toBeUndefined();
});
