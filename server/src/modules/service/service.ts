/** What the reads of projects, environments and mounts see of services, whatever their kind. */
import type { Condition, ConditionVerdict } from '../../domain/states/condition.ts';
import type { ApplicationStatus, DeploymentStatus } from '../../domain/states/lifecycle.ts';
import type { DatabaseRecord } from '../../db/tables.ts';
import type { Live } from '../../domain/states/live.ts';
import type { ServiceRef } from '../../domain/names/service-ref.ts';
import { serviceKinds, type ServiceKindName, type ServiceKinds } from './record-lists.ts';

/** What lists show of a service. */
export interface ServiceSummary {
  kind: ServiceKindName;
  serviceId: string;
  environmentId: string;
  name: string;
  appName: string;
  description: string;
  status: ApplicationStatus;
  createdAt: string;
}

/** What runs of a service, from memory: nothing is asked of an engine or the database. */
export type LiveReader = (service: ServiceRef) => Live | null;

/** Newest first, in one statement each. */
export interface Services {
  ofOrganization(organizationId: string): Promise<ServiceSummary[]>;
  ofProjects(organizationId: string, projectIds: readonly string[]): Promise<ServiceSummary[]>;
  ofEnvironment(organizationId: string, environmentId: string): Promise<ServiceSummary[]>;
}

/** A service with where it stands, and what its record says beside what its engine runs. */
export interface PlacedService {
  kind: ServiceKindName;
  serviceId: string;
  organizationId: string;
  name: string;
  appName: string;
  environmentId: string;
  environmentName: string;
  projectId: string;
  projectName: string;
  serverId: string | null;
  status: ApplicationStatus;
  liveDeploymentId: string | null;
  isStopped: boolean;
  createdAt: string;
}

/** What a service's condition follows from, as far as its record tells it. */
export type JudgedService = Pick<
  PlacedService,
  'kind' | 'serviceId' | 'organizationId' | 'serverId' | 'liveDeploymentId' | 'isStopped'
>;

/** A service that is in another condition than before; `former` is undefined for one not looked at yet. */
export interface ConditionChange extends PlacedService, ConditionVerdict {
  former: Condition | undefined;
}

export interface NewestDeployment {
  serviceId: string;
  deploymentId: string;
  status: DeploymentStatus;
  stage: string | null;
  title: string;
  commit: string | null;
  errorMessage: string | null;
  createdAt: string;
  finishedAt: string | null;
}

/** What the list of all services is made of: a statement each, whatever their number. */
export interface ServiceReads {
  /** Of an organization, newest first. */
  placed(organizationId: string): Promise<PlacedService[]>;
  /** Of the whole installation, newest first. */
  everywhere(): Promise<PlacedService[]>;
  /** The same services in no order, without what takes a look at other tables. */
  judged(): Promise<JudgedService[]>;
  newestDeployments(organizationId: string): Promise<NewestDeployment[]>;
  /** Of domains, the oldest first. */
  addresses(
    organizationId: string,
  ): Promise<{ serviceId: string; host: string; path: string; https: boolean }[]>;
}

/** Copies of every service of some environments. */
export interface ServiceCopies {
  /** `environments`: original → copy, all of the organization; part of the caller's transaction. */
  make(organizationId: string, environments: ReadonlyMap<string, string>): Promise<void>;
  /** One database with its volumes and files, changed like this; part of the caller's transaction. */
  database(record: DatabaseRecord, changes: Partial<DatabaseRecord>): Promise<DatabaseRecord>;
}

type Shown<K extends ServiceKindName> = { [F in ServiceKinds[K]['id']]: string } & {
  [F in ServiceKinds[K]['status']]: ServiceSummary['status'];
} & Pick<ServiceSummary, 'name' | 'appName' | 'description' | 'createdAt'> & { live: Live | null };
export type ServiceLists = { [K in ServiceKindName as ServiceKinds[K]['list']]: Shown<K>[] };

const listNames = Object.values(serviceKinds).map(({ list }) => list);

/**
 * The services as a list for each kind, in the order given. Called for every environment of an organization,
 * so it makes objects of few shapes.
 */
export function serviceLists(services: readonly ServiceSummary[], liveOf: LiveReader): ServiceLists {
  const lists: Record<string, object[]> = {};
  for (const list of listNames) lists[list] = [];
  for (const { kind, serviceId, name, appName, description, status, createdAt } of services) {
    const row = serviceKinds[kind];
    lists[row.list]?.push({
      [row.id]: serviceId,
      name,
      appName,
      description,
      [row.status]: status,
      live: liveOf({ kind: row.deployed, serviceId }),
      createdAt,
    });
  }
  return asLists(lists);
}

/** Filled by the rows of the table whose types these are. */
function asLists(lists: Record<string, object[]>): ServiceLists {
  return lists as ServiceLists;
}

/** The environment of a service as its record shows it. */
export interface EnvironmentOfService {
  environmentId: string;
  name: string;
  projectId: string;
  project: { projectId: string; name: string; organizationId: string };
}

export function environmentOf(place: {
  environmentId: string;
  environmentName: string;
  projectId: string;
  projectName: string;
  organizationId: string;
}): EnvironmentOfService {
  const { environmentId, environmentName, projectId, projectName, organizationId } = place;
  return {
    environmentId,
    name: environmentName,
    projectId,
    project: { projectId, name: projectName, organizationId },
  };
}
