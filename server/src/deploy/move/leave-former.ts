/** What a service leaves behind on the server that it moved away from. */
import { ownerLabels, type ServiceRef } from '../../domain/names/service-ref.ts';
import type { Host } from '../../ports/host/host.ts';
import type { DeployContext } from '../context.ts';

export interface LeavingContext extends Pick<DeployContext, 'log'> {
  /** Where it comes from; waits for one that cannot be reached now. */
  formerHost(): Promise<Host>;
  applyFormerRoutes(): Promise<void>;
}

/** Its routes, services and images are removed there; gives that server, for what a kind has beside them. */
export async function leaveFormer(context: LeavingContext, owner: ServiceRef): Promise<Host> {
  const host = await context.formerHost();
  const { engine, name: hostName } = host;
  await context.applyFormerRoutes();
  for (const name of await servicesOf(engine, owner)) {
    await engine.removeService(name, { drains: true });
    context.log.line(`Removed ${name} from ${hostName}.`);
  }
  const images = await engine.images(`${ownerLabels[owner.kind]}=${owner.serviceId}`);
  for (const { tags } of images) for (const tag of tags) await engine.removeImage(tag);
  return host;
}

/** Names of its services on an engine. */
export async function servicesOf(
  engine: Pick<Host['engine'], 'services'>,
  { kind, serviceId }: ServiceRef,
): Promise<string[]> {
  return (await engine.services())
    .filter(({ labels }) => labels[ownerLabels[kind]] === serviceId)
    .map(({ name }) => name);
}
