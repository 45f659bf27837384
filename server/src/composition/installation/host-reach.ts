/** The walls round each machine, joined from records and the machine itself. */
import { countLeft } from '../../modules/quota/left-running.ts';
import { createImageJudge } from '../../deploy/images/judged-images.ts';
import { judgedEngine, type JudgeParts } from '../../deploy/images/judged-engine.ts';
import { seenEngine } from '../../deploy/images/own-services.ts';
import { ownMounts, releasedOn, releasedSpecs } from '../../deploy/released-specs.ts';
import { parseServerPath } from '../../domain/names/server-path.ts';
import { createHostReach, type Approvals, type HostReach } from '../../modules/host-reach/host-reach.ts';
import type { ImageAccess } from '../../modules/image/image.ts';
import type { DiskQuotas } from '../../modules/disk-quota/disk-quota.ts';
import { createPlaces } from '../../modules/host-reach/places.ts';
import type { Engine } from '../../ports/engine/engine.ts';
import type { Host, Hosts } from '../../ports/host/host.ts';
import { quotasOf, specWithinQuota } from '../../deploy/quotas.ts';
import type { Stores } from '../stores.ts';
import type { Walls } from '../hosts/walls.ts';

export function hostReachOn(
  approvals: Approvals,
  hosts: Pick<Hosts, 'find'>,
  local: Pick<Host, 'protectedPaths'>,
): HostReach {
  return createHostReach(approvals, async (serverKey) => {
    const host = await hosts.find(serverKey);
    // A server that is not connected cannot be looked at, and nothing is deployed to it.
    return createPlaces(
      host ?? {
        protectedPaths: local.protectedPaths,
        realPath: async (path) => parseServerPath(path, 'hostPath'),
        engine: { info: () => Promise.reject(new Error('not connected')) },
      },
    );
  });
}

export interface WallParts {
  approvals: Approvals;
  stores: Pick<
    Stores,
    'applications' | 'deployments' | 'images' | 'previewDeployments' | 'quotas' | 'servers'
  >;
  images: ImageAccess;
  disk: Pick<DiskQuotas, 'requireRoom'>;
}

/** The engine of a machine behind its walls. */
export function walledEngine(
  machine: Omit<Host, 'networks'>,
  { approvals, stores, images, disk }: WallParts,
  { judge, ownServices }: Walls,
): Engine {
  const { engine, key: serverKey } = machine;
  const released: JudgeParts['released'] = ({ kind }, deploymentId) =>
    releasedSpecs(stores, kind, deploymentId);
  const ofReach = specWithinQuota(
    judge({
      approvals,
      serverKey,
      places: createPlaces(machine),
      own: ownMounts(machine),
      released: releasedOn(stores, serverKey),
    }),
    {
      approvals,
      released,
      quotas: quotasOf(stores),
      requireDisk: (organizationId, image) => disk.requireRoom(organizationId, machine, image),
      countLeft: () => countLeft(stores.quotas, machine),
    },
  );
  const ofImages = createImageJudge({
    images,
    engine,
    serverKey,
    store: stores.images,
    released: (kind, deploymentId) => releasedSpecs(stores, kind, deploymentId),
  });
  return judgedEngine(seenEngine(machine, { approvals, stores }, ownServices), async (spec) => {
    await ofReach(spec);
    await ofImages(spec);
  });
}
