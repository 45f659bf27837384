/** Every service as one flat row, whatever its kind. */
import { useMemo } from 'react';
import type { Condition } from '../parts/mark.tsx';
import { useAsk, type Answer } from './api.ts';

export const databaseKinds = ['postgres', 'mysql', 'mariadb', 'mongo', 'redis'] as const;
export type DatabaseKind = (typeof databaseKinds)[number];
export type ServiceKind = 'application' | 'compose' | DatabaseKind;

export interface ServiceRow {
  id: string;
  kind: ServiceKind;
  name: string;
  appName: string;
  projectId: string;
  projectName: string;
  environmentId: string;
  environmentName: string;
  condition: Condition;
  /** How the last action ended, where it failed. */
  note?: string | undefined;
  /** What is not as it should be, in one sentence. */
  reason?: string | null | undefined;
  running: number;
  desired: number;
  commit?: string | null | undefined;
  /** The deployment that failed, while `note` says so. */
  failedId?: string | undefined;
  /** Of what runs. */
  since?: string | null | undefined;
  /** Of its newest deployment; of one that has none, when it was made. */
  changedAt: string;
  isDeploying: boolean;
  /** Where it answers from outside. */
  address?: string | undefined;
  /** What it uses now; nothing where it is not measured. */
  usage?: Usage | undefined;
}

export type Usage = Answer<'service.usage'>[number];

type Listed = Answer<'service.all'>[number];

export const isDatabase = (kind: string): kind is DatabaseKind => databaseKinds.some((one) => one === kind);

/** Name of the field that holds the id of a service of a kind. */
export const idField = (kind: ServiceKind): string => `${kind}Id`;

export const kindWords: Record<ServiceKind, string> = {
  application: 'Application',
  compose: 'Compose',
  postgres: 'PostgreSQL',
  mysql: 'MySQL',
  mariadb: 'MariaDB',
  mongo: 'MongoDB',
  redis: 'Redis',
};

/** Where a service's pages are. */
export const pathOf = ({ kind, id }: { kind: ServiceKind; id: string }): string =>
  kind === 'application'
    ? `/applications/${id}`
    : kind === 'compose'
      ? `/compose/${id}`
      : `/databases/${kind}/${id}`;

/** As often as most machines are measured. */
const usageEveryMs = 30_000;

/** Those that the viewer reaches, with the condition that Berth gives each. */
export function useServices(): { rows: ServiceRow[] | undefined; error: unknown } {
  const { data, error } = useAsk('service.all', {});
  const rows = useMemo(() => data?.map(rowOf), [data]);
  return { rows, error };
}

/** How one of them is; undefined until it was read. */
export function useServiceRow(id: string): ServiceRow | undefined {
  const { data } = useAsk('service.all', {});
  return useMemo(() => {
    const listed = data?.find(({ serviceId }) => serviceId === id);
    return listed && rowOf(listed);
  }, [data, id]);
}

/** The same, each with what it uses. */
export function useMeasuredServices(): { rows: ServiceRow[] | undefined; error: unknown } {
  const { rows: bare, error } = useServices();
  const { data: usage } = useAsk('service.usage', {}, { every: usageEveryMs, retry: false });
  const rows = useMemo(() => {
    const measured = new Map(usage?.map((one) => [one.serviceId, one]));
    return bare?.map((row) => ({ ...row, usage: measured.get(row.id) }));
  }, [bare, usage]);
  return { rows, error };
}

/** `condition` is the server's; what is wrong is said by it, or by how the last deployment ended. */
function rowOf(listed: Listed): ServiceRow {
  const { serviceId, deployment, status, reason } = listed;
  return {
    id: serviceId,
    kind: listed.kind,
    name: listed.name,
    appName: listed.appName,
    projectId: listed.projectId,
    projectName: listed.projectName,
    environmentId: listed.environmentId,
    environmentName: listed.environmentName,
    condition: listed.condition,
    note: status === 'error' ? 'last deployment failed' : undefined,
    failedId: status === 'error' && deployment?.status === 'error' ? deployment.deploymentId : undefined,
    reason,
    running: listed.running,
    desired: listed.desired,
    commit: deployment?.commit,
    since: listed.since,
    changedAt: deployment?.createdAt ?? listed.createdAt,
    isDeploying: status === 'running',
    address: listed.address ?? undefined,
  };
}

/** What needs attention first, then by name. */
const order: Condition[] = ['down', 'degraded', 'unreachable', 'starting', 'up', 'stopped', 'never deployed'];
export const needsAttention = ({ condition, note }: ServiceRow): boolean =>
  condition === 'down' || condition === 'degraded' || condition === 'unreachable' || note !== undefined;

/** Ways to sort a list, by the word that stands in the address. */
export const sorts = {
  attention: (left: ServiceRow, right: ServiceRow) => byAttention(left, right),
  name: (left: ServiceRow, right: ServiceRow) => byName(left, right),
  project: (left: ServiceRow, right: ServiceRow) =>
    compare(left.projectName, right.projectName) ||
    compare(left.environmentName, right.environmentName) ||
    byName(left, right),
  memory: (left: ServiceRow, right: ServiceRow) =>
    (right.usage?.memory.used ?? -1) - (left.usage?.memory.used ?? -1) || byName(left, right),
  processor: (left: ServiceRow, right: ServiceRow) =>
    (right.usage?.cpu ?? -1) - (left.usage?.cpu ?? -1) || byName(left, right),
  newest: (left: ServiceRow, right: ServiceRow) =>
    compare(right.changedAt, left.changedAt) || byName(left, right),
} as const;
export type Sort = keyof typeof sorts;

/** Compares as `localeCompare` does, which looks up the language anew each time. */
const { compare } = new Intl.Collator();

const byName = (left: ServiceRow, right: ServiceRow): number =>
  compare(left.name, right.name) || compare(left.id, right.id);

export const byAttention = (left: ServiceRow, right: ServiceRow): number =>
  Number(needsAttention(right)) - Number(needsAttention(left)) ||
  order.indexOf(left.condition) - order.indexOf(right.condition) ||
  byName(left, right);
