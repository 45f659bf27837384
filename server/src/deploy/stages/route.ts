/**
 * Makes sure that the proxy leads to the service. Unchanged routes are not loaded again, so a deployment
 * never disturbs the proxy.
 */
import { portShownBy } from '../../domain/network/shown-port.ts';
import type { Stage } from '../context.ts';

export const route: Stage = {
  name: 'route',
  resume: 'release',
  holdsBuildSlot: false,
  sentence: () => 'Checking the routes',
  async run({ applyRoutes, networks, application, records, engine, released }) {
    // A service under a new name takes the routes over before the one under the former name goes.
    if (application.releasedAppName !== application.appName)
      await records.nameReleased(application.applicationId, application.appName);
    const image = released && (await engine.image(released.spec.image));
    const port = image ? portShownBy(image.exposedPorts) : application.shownPort;
    if (port !== null && port !== application.shownPort)
      await records.followPort(application.applicationId, port);
    // The first task of an environment has brought its network up on this node, so the proxy can be attached
    // now.
    await networks.ensureEnvironment(application.environmentId);
    await applyRoutes();
  },
};
