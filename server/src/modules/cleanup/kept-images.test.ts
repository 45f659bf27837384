import { expect, it } from 'vitest';
import { applicationRef, composeRef, databaseRef, previewRef } from '../../domain/names/service-ref.ts';
import { keptImagesOf, type KeptImagesParts } from './kept-images.ts';

interface Situation {
  service: { liveDeploymentId: string | null } | undefined;
  /** Newest first. */
  deployments: { status: string; image: string | null }[];
  live: { status: string; image: string | null } | undefined;
  isWorking: boolean;
  keptImages: number;
}

const settled: Situation = {
  service: { liveDeploymentId: 'd' },
  deployments: [],
  live: undefined,
  isWorking: false,
  keptImages: 2,
};

function keptIn(change: Partial<Situation>) {
  const { service, deployments, live, isWorking, keptImages } = { ...settled, ...change };
  const find = async () => service;
  const parts: KeptImagesParts = {
    stores: { applications: { find }, composes: { find }, previewDeployments: { find } },
    deployments: {
      all: async () => deployments,
      live: async () => live,
      isWorking: async () => isWorking,
    },
    settings: { get: async () => ({ keptImages }) },
  };
  return keptImagesOf(parts);
}

const done = (image: string | null) => ({ status: 'done', image });

it('the live release and the newest others are kept, by different images and up to the setting', async () => {
  const kept = keptIn({
    live: done('shop:1'),
    deployments: [{ status: 'error', image: 'shop:4' }, done('shop:3'), done('shop:3'), done('shop:2')],
  });
  for (const service of [applicationRef('a'), previewRef('p')])
    expect(await kept(service)).toEqual(new Set(['shop:1', 'shop:3']));
});

it.each<[string, Partial<Situation>]>([
  ['a deployment is under way', { isWorking: true, deployments: [done('shop:1')] }],
  ['nothing was released yet', { deployments: [{ status: 'error', image: 'shop:1' }, done(null)] }],
])('every image is kept while %s', async (_when, change) => {
  expect(await keptIn(change)(applicationRef('a'))).toBeUndefined();
});

it('every image of a database and of a compose service is kept', async () => {
  for (const service of [databaseRef('d'), composeRef('c')])
    expect(await keptIn({})(service)).toBeUndefined();
});

it('no image is kept of a service that is gone', async () => {
  for (const service of [applicationRef('a'), previewRef('p'), composeRef('c')])
    expect(await keptIn({ service: undefined })(service)).toEqual(new Set());
});
