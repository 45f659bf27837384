import { taskServiceLabel } from '../../domain/names/labels.ts';
import { serverKeyOf } from '../../domain/names/server-key.ts';
import type { ListedContainer, SwarmService } from '../../ports/engine/engine-view.ts';
import type { CallContext } from '../../procedure/context.ts';
import { paginate } from '../../procedure/input/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import { outputEvents } from '../service/output-events.ts';
import type { Containers, ServiceContainer, ShownContainer } from './container.ts';
import type { containerContract } from './contract.ts';

interface Asked {
  serverId?: string | null | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
}

const stackLabel = 'com.docker.stack.namespace';
const projectLabel = 'com.docker.compose.project';

const appTypeLabels = { stack: stackLabel, compose: projectLabel } as const;
const typeLabels = { standalone: projectLabel, swarm: taskServiceLabel } as const;

/** By the time it is asked the guard has found out that the server is the organization's own. */
export function containerHandlers(
  containersOf: (serverKey: string) => Promise<Containers>,
): Handlers<typeof containerContract, CallContext> {
  type Page<T> = T[] | { items: T[]; nextCursor: string | null };
  /** Names are unique where ids may still be missing. */
  const listed = async (
    { actor }: CallContext,
    asked: Asked,
    test?: (container: ListedContainer) => boolean,
  ): Promise<Page<ShownContainer>> => {
    const containers = await containersOf(serverKeyOf(asked));
    return paginate(await containers.list(actor, test), asked, ({ name }) => name);
  };
  const tasks = async (
    { actor }: CallContext,
    asked: Asked,
    test: (service: SwarmService) => boolean,
  ): Promise<Page<ServiceContainer>> => {
    const containers = await containersOf(serverKeyOf(asked));
    return paginate(await containers.ofServices(actor, test), asked, ({ name }) => name);
  };

  return {
    getContainers: (context, input) => listed(context, input),
    restartContainer: async ({ actor }, { containerId, serverId }) =>
      (await containersOf(serverKeyOf({ serverId }))).restart(actor, containerId),
    async getConfig({ actor }, { containerId, serverId }) {
      return (await containersOf(serverKeyOf({ serverId }))).configuration(actor, containerId);
    },
    async *logs(context, { containerId, serverId, tail }) {
      const containers = await containersOf(serverKeyOf({ serverId }));
      yield* outputEvents(context, await containers.output(context.actor, containerId, tail));
    },
    getContainersByAppNameMatch: (context, { appName, appType, ...input }) =>
      listed(context, input, ({ name, labels }) =>
        appType ? labels[appTypeLabels[appType]] === appName : name.startsWith(appName),
      ),
    getContainersByAppLabel: (context, { appName, type, ...input }) =>
      listed(context, input, ({ labels }) => labels[typeLabels[type]] === appName),
    getStackContainersByAppName: (context, { appName, ...input }) =>
      tasks(context, input, ({ labels }) => labels[stackLabel] === appName),
    getServiceContainersByAppName: (context, { appName, ...input }) =>
      tasks(context, input, ({ name }) => name === appName),
  };
}
