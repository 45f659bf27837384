/** Makes sure that the proxy leads to the service. Unchanged routes are not loaded again, so a deployment never disturbs the proxy. */
import type { Stage } from '../context.ts';

export const route: Stage = {
  name: 'route',
  sentence: () => 'Checking the routes',
  async run({ applyRoutes, networks, application }) {
    // The first task of an environment has brought its network up on this node, so the proxy can be attached now.
    await networks.ensureEnvironment(application.environmentId);
    await applyRoutes();
  },
};
