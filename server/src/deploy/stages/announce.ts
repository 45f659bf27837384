/** Says in the log which image runs now, once it is healthy and routed. */
import type { Stage } from '../context.ts';

export const announce: Stage = {
  name: 'announce',
  resume: 'here',
  holdsBuildSlot: false,
  sentence: () => 'Summing up',
  async run({ deployment, log }) {
    log.line(`Deployment ${deployment.deploymentId} runs.`);
  },
};
