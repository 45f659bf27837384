/** What a build begins from, of images that a server's engine has. */
import { beforeEach, expect, it } from 'vitest';
import { createPeople } from '../../../../test/http/people.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { createStores } from '../../composition/stores.ts';
import { systemClock } from '../../ports/clock.ts';
import type { ImageState } from '../../ports/engine/engine-image.ts';
import { createImageAccess, type ImageAccess } from './image.ts';

eachDatabase('what a build begins from', (test) => {
  let images: ImageAccess;
  let [own, others] = ['', ''];

  beforeEach(async () => {
    const database = await test.open();
    const people = await createPeople(database);
    [own, others] = [people.owner.organizationId, people.stranger.organizationId];
    const store = createStores(database).images;
    images = createImageAccess({ store, shared: async () => ['shared/'], clock: systemClock });
  });

  const imageOf = (tag: string, organizationId: string): ImageState => ({
    id: 'sha256:1',
    tags: [tag],
    digests: [],
    labels: { 'berth.organization': organizationId },
    createdAt: '2026-01-01T00:00:00.000Z',
    sizeBytes: 1,
    hasHealthCheck: false,
    exposedPorts: [],
    entrypoint: [],
    volumes: [],
    env: {},
  });
  const claimOf = (reference: string) => ({ organizationId: own, serverKey: 'local', reference });
  const pushed = 'push.example.com/team/shop:d1';

  it('is what Berth built for the organization', async () => {
    const reference = 'berth-build/a1:d1';
    expect(await images.mayBuildFrom(claimOf(reference), imageOf(reference, own))).toBe(true);
  });

  it('is what it built and pushed to a registry of the organization', async () => {
    await images.keep(claimOf(pushed), { id: 'sha256:1' });
    expect(await images.mayBuildFrom(claimOf(pushed), imageOf(pushed, own))).toBe(true);
  });

  it('is nothing that only says so: a registry is asked for it', async () => {
    expect(await images.mayBuildFrom(claimOf(pushed), imageOf(pushed, own))).toBe(false);
    await images.keep({ ...claimOf(pushed), organizationId: others }, { id: 'sha256:1' });
    expect(await images.mayBuildFrom(claimOf(pushed), imageOf(pushed, own))).toBe(false);
    // What it pulled may be old; its registry has the newest.
    await images.keep(claimOf('node:24'), { id: 'sha256:1' });
    expect(await images.mayBuildFrom(claimOf('node:24'), imageOf('node:24', ''))).toBe(false);
    expect(await images.mayBuildFrom(claimOf('node:24'), undefined)).toBe(false);
  });

  it.each(['berth-build/a1:d1', 'docker.io/berth-build/a1:d1', 'index.docker.io/berth-build/a1'])(
    'is not %s of another organization, or of nobody',
    async (reference) => {
      const why = /which is not an image that Berth built for this organization/;
      for (const image of [imageOf('berth-build/a1:d1', others), imageOf('berth-build/a1:d1', ''), undefined])
        await expect(images.mayBuildFrom(claimOf(reference), image)).rejects.toThrow(why);
    },
  );

  it('is no image by the beginning of its id', async () => {
    expect(await images.mayBuildFrom(claimOf('sha256:1'), imageOf('berth-build/a1:d1', own))).toBe(false);
  });
});
