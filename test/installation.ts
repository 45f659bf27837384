import type { Ground } from '../server/src/composition/ground.ts';

/** The installation that tests make things for where they need no Berth. */
export const testInstallation = 'testinstallation';

/** The installation of every world, whose id the engines in memory are asked with. */
export const worldInstallation: Ground['installation'] = {
  installationId: testInstallation,
  incarnation: {
    incarnationId: 'first',
    cause: 'created',
    startedAt: '2000-01-01T00:00:00.000Z',
    endedAt: null,
  },
};
