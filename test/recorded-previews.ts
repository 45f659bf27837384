/** Previews of the recorded shop. */
import type { Answers } from './answering-server.ts';

/** `at` gives the time so many minutes before the recording. */
export const recordedPreviews = (at: (minutesAgo: number) => string): Answers => ({
  'previewDeployment.create': {
    previewDeploymentId: 'pv2',
    applicationId: 'web-id',
    domain: 'http://preview-web-k3x9a1-checkout.example.com',
  },
  'previewDeployment.delete': true,
  'previewDeployment.waiting': [
    {
      pullRequestNumber: 44,
      title: 'Fix the price of two',
      author: 'eve',
      commit: 'da1560886d4f094c3e6c9ef40349f7d38b5d27d7',
      heldAt: at(20),
    },
  ],
  'previewDeployment.approve': {
    previewDeploymentId: 'pv3',
    applicationId: 'web-id',
    domain: 'http://preview-web-k3x9a1-44.example.com',
  },
  'previewDeployment.all': [
    {
      previewDeploymentId: 'pv1',
      pullRequestNumber: 41,
      status: 'running',
      branch: 'new-checkout',
      name: null,
      image: null,
      domain: 'preview-web-k3x9a1-41.example.com',
      createdAt: at(200),
      errorMessage: null,
      databases: [
        {
          name: 'db (pull request 41)',
          databaseType: 'postgres',
          sourceName: 'db',
          from: 'backup',
          asOf: at(600),
          isMasked: true,
          status: 'ready',
          errorMessage: null,
        },
      ],
    },
  ],
});
