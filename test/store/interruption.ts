/** The interruption of deployments, for tests in which none runs. */
import type { Deployments } from '../../server/src/modules/deployment/deployment.ts';
import { createInterruption, type Interruption } from '../../server/src/modules/interruption/interruption.ts';
import { createTurns, type Turns } from '../../server/src/modules/service/turns.ts';

export const idleInterruption = (deployments: Deployments, turns: Turns = createTurns()): Interruption =>
  createInterruption({
    deployments,
    builds: { killBuild: async () => false, end: async () => undefined, endWaiting: async () => 0 },
    backupRuns: { cancelOf: async () => undefined },
    requireReach: async () => undefined,
    turns,
    userName: async () => undefined,
  });
