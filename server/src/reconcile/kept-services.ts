/** What the reconciler keeps running: the services of every kind that Berth deploys. */
import {
  databaseRef,
  applicationRef,
  composeRef,
  deployedKinds,
  ownerOf,
  previewRef,
  serviceKey,
  type DeployedKind,
  type ServiceRef,
} from '../domain/names/service-ref.ts';
import { serverKeyOf } from '../domain/names/server-key.ts';
import type { ApplicationRecord, ComposeRecord, DatabaseRecord } from '../db/tables.ts';
import type { Applications } from '../modules/application/application.ts';
import type { Composes } from '../modules/compose/compose.ts';
import type { Databases } from '../modules/database/database.ts';
import type { PreviewDeployments } from '../modules/preview-deployment/preview-deployment.ts';
import type { TableRecord } from '../db/tables.ts';
import { internalNetwork } from '../deploy/spec/networks.ts';
import type { Deployments } from '../modules/deployment/deployment.ts';
import type { Turns } from '../modules/service/turns.ts';
import type { ServiceSpec } from '../ports/engine/engine.ts';
import type { Host } from '../ports/host/host.ts';
import { reconcileServices, type KeptService } from './services.ts';
import type { UnknownPlan } from './ownership/unknown-services.ts';

export interface KeptServicesParts {
  applications: Applications;
  databases: Databases;
  composes: Composes;
  previews: PreviewDeployments;
  deployments: Deployments;
  turns: Turns;
  liveSpecs: {
    application(application: ApplicationRecord): Promise<ServiceSpec | undefined>;
    database(database: DatabaseRecord): Promise<ServiceSpec | undefined>;
    compose(compose: ComposeRecord): Promise<ServiceSpec[]>;
    preview(preview: TableRecord<'preview_deployment'>): Promise<ServiceSpec | undefined>;
  };
  unknown: Omit<UnknownPlan, 'serverKey' | 'hostSince'>;
  servers: {
    find(where: {
      serverId: string;
    }): Promise<{ createdAt: string; machineSince: string | null } | undefined>;
  };
  /** Undefined where another control plane may have one-off tasks of its own. */
  instance: string | undefined;
}

interface Kept extends KeptService {
  serverId: string | null;
  liveSpecs(): Promise<ServiceSpec[]>;
}

/** Keeps the services that stand on a host. */
export function createServiceKeeper(parts: KeptServicesParts): (host: Host) => Promise<string[]> {
  const { deployments, turns, instance } = parts;
  const kinds = keptKinds(parts);
  const find = ({ kind, serviceId }: ServiceRef): Promise<Kept | undefined> => kinds[kind].find(serviceId);

  return async ({ key, engine, networks }) => {
    // Records first: what is made between the two looks is known then, and no orphan.
    const busy = new Set(
      (await deployments.unfinished()).map((deployment) => serviceKey(ownerOf(deployment))),
    );
    const server = await parts.servers.find({ serverId: key });
    const all: Kept[] = [];
    for (const kind of deployedKinds) all.push(...(await kinds[kind].all()));
    return reconcileServices({
      engine,
      busy,
      services: all.filter((service) => serverKeyOf(service) === key),
      known: new Set(all.map(serviceKey)),
      standsElsewhere: async (service) => {
        const now = await find(service);
        return now !== undefined && serverKeyOf(now) !== key;
      },
      kinds: new Set<DeployedKind>(deployedKinds),
      liveSpecs: async (service) => (await (await find(service))?.liveSpecs()) ?? [],
      async ensureNetworks({ environmentId, kind, serviceId }, { networks: names, networkMtu: mtu }) {
        await networks.ensureEnvironment(environmentId);
        if (kind !== 'compose') return;
        await networks.ensureCompose(serviceId, mtu);
        if (names.includes(internalNetwork(serviceId))) await networks.ensureInternal(serviceId, mtu);
      },
      settled: async (service) => ((await deployments.isWorking(service)) ? undefined : find(service)),
      takeIfFree: turns.takeIfFree,
      instance,
      unknown: { ...parts.unknown, serverKey: key, hostSince: server?.machineSince ?? server?.createdAt },
    });
  };
}

function keptKinds({
  applications,
  databases,
  composes,
  previews,
  liveSpecs,
}: KeptServicesParts): Record<DeployedKind, KeptKind> {
  const one = async (spec: Promise<ServiceSpec | undefined>): Promise<ServiceSpec[]> =>
    [await spec].filter((found) => found !== undefined);
  return {
    application: keptKind(
      applicationRef,
      applications,
      ({ applicationId }) => applicationId,
      (record: ApplicationRecord) => one(liveSpecs.application(record)),
    ),
    database: keptKind(
      databaseRef,
      databases,
      ({ databaseId }) => databaseId,
      (record: DatabaseRecord) => one(liveSpecs.database(record)),
    ),
    compose: keptKind(composeRef, composes, ({ composeId }) => composeId, liveSpecs.compose),
    previewDeployment: keptKind(
      previewRef,
      placed(previews, applications),
      ({ previewDeploymentId }) => previewDeploymentId,
      (record: PlacedPreview) => one(liveSpecs.preview(record)),
    ),
  };
}

type PlacedPreview = TableRecord<'preview_deployment'> &
  Pick<ApplicationRecord, 'environmentId' | 'serverId'>;

/** Previews, which stand where their applications do. */
function placed(
  previews: PreviewDeployments,
  applications: Applications,
): { find(id: string): Promise<PlacedPreview | undefined>; all(): Promise<PlacedPreview[]> } {
  return {
    async find(previewDeploymentId) {
      const preview = await previews.find(previewDeploymentId);
      const application = preview && (await applications.find(preview.applicationId));
      return preview && application && { ...preview, ...placeOf(application) };
    },
    async all() {
      const places = new Map(
        (await applications.all()).map((application) => [application.applicationId, placeOf(application)]),
      );
      return (await previews.all()).map((preview) => ({
        ...preview,
        ...(places.get(preview.applicationId) ?? nowhere),
      }));
    },
  };
}

/** An application that is being deleted takes its previews with it. */
const nowhere = { environmentId: '', serverId: null };

function placeOf({
  environmentId,
  serverId,
}: ApplicationRecord): Pick<ApplicationRecord, 'environmentId' | 'serverId'> {
  return { environmentId, serverId };
}

interface KeptKind {
  find(serviceId: string): Promise<Kept | undefined>;
  all(): Promise<Kept[]>;
}

/** The services of one kind as the reconciler sees them. */
function keptKind<R extends Omit<Kept, 'kind' | 'serviceId' | 'liveSpecs'>>(
  refOf: (id: string) => ServiceRef,
  records: { find(id: string): Promise<R | undefined>; all(): Promise<R[]> },
  idOf: (record: R) => string,
  liveSpecs: (record: R) => Promise<ServiceSpec[]>,
): KeptKind {
  const kept = (record: R): Kept => ({
    ...record,
    ...refOf(idOf(record)),
    liveSpecs: () => liveSpecs(record),
  });
  return {
    async find(serviceId) {
      const record = await records.find(serviceId);
      return record && kept(record);
    },
    all: async () => (await records.all()).map(kept),
  };
}
