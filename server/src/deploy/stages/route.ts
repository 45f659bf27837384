/** Makes sure that the proxy leads to the service. Unchanged routes are not loaded again, so a deployment never disturbs the proxy. */
import type { Stage } from '../context.ts';

export const route: Stage = {
  name: 'route',
  sentence: () => 'Checking the routes',
  run: ({ applyRoutes }) => applyRoutes(),
};
