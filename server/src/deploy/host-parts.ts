/** The parts of a service's host that a deployment uses, taken once when the deployment is prepared. */
import { sentenceOf } from '../domain/errors.ts';
import { serverKeyOf } from '../domain/names/server-key.ts';
import type { ApplicationRecord } from '../db/tables.ts';
import type { BuildServers } from '../modules/server/server.ts';
import type { Builder, ImageIntake } from '../ports/engine/builder.ts';
import type { Host, Hosts } from '../ports/host/host.ts';
import type { Clock } from '../ports/clock.ts';
import type { LogWriter } from '../ports/deployment-log.ts';

export interface HostParts
  extends Pick<Host, 'engine' | 'builder' | 'networks' | 'probePath' | 'fetchImage'> {
  serverKey: string;
  /** Applies the routes of the host's proxy, for a new network or a first release. */
  applyRoutes(): Promise<void>;
}

/** Finds the hosts of services, and waits for those that cannot be reached. */
export interface HostAccess {
  hosts: Hosts;
  applyRoutes(serverKey: string): Promise<void>;
}

/** Waits for a machine that cannot be reached, and writes that into the deployment's log (decisions 13). */
export async function hostOf(
  { hosts }: Pick<HostAccess, 'hosts'>,
  service: { serverId: string | null },
  { signal, log, clock }: { signal: AbortSignal; log: Pick<LogWriter, 'line'>; clock: Clock },
): Promise<Host> {
  const host = await hosts.of(serverKeyOf(service));
  const began = clock.now();
  let isTold = false;
  await host.reachable?.({
    signal,
    onWait(fault, limitMs) {
      isTold = true;
      log.line(
        `${sentenceOf(fault)} The deployment waits for it, at most ${Math.round(limitMs / 60_000)} minutes.`,
      );
    },
  });
  if (isTold)
    log.line(`It can be reached again; continuing after ${Math.round((clock.now() - began) / 1000)} s.`);
  return host;
}

export function partsOf({ applyRoutes }: Pick<HostAccess, 'applyRoutes'>, host: Host): HostParts {
  const { key, engine, builder, networks, probePath, fetchImage } = host;
  return {
    serverKey: key,
    engine,
    builder,
    networks,
    probePath,
    fetchImage,
    applyRoutes: () => applyRoutes(key),
  };
}

/** Where an image is built, and which host runs it. */
export interface BuildPlace {
  builder: Builder;
  /** How sentences name the server that builds, when another one runs the image. */
  elsewhere?: string;
  deliverTo?: ImageIntake;
}

/** Where an application is built; waits for a build server that cannot be reached, as for any other. */
export async function buildPlaceOf(
  { hosts, buildServers }: Pick<HostAccess, 'hosts'> & { buildServers: Pick<BuildServers, 'requireStill'> },
  { buildServerId, organizationId }: Pick<ApplicationRecord, 'buildServerId' | 'organizationId'>,
  host: Pick<Host, 'builder' | 'imageIntake'>,
  context: Parameters<typeof hostOf>[2],
): Promise<BuildPlace> {
  if (buildServerId === null) return { builder: host.builder };
  await buildServers.requireStill(buildServerId, organizationId);
  const { builder, name } = await hostOf({ hosts }, { serverId: buildServerId }, context);
  return { builder, elsewhere: name, deliverTo: host.imageIntake };
}
