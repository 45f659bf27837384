/** A service of any kind as its pages see it. */
import type { UseQueryResult } from '@tanstack/react-query';
import { useAsk, type Answer, type Input, type Path } from '../live/api.ts';
import { isDatabase, type ServiceKind } from '../live/services.ts';

export type Application = Answer<'application.one'>;
export type Compose = Answer<'compose.one'>;
export type Database = Answer<'postgres.one'>;

export interface Service {
  kind: ServiceKind;
  id: string;
  name: string;
  appName: string;
  description: string;
  status: string;
  live: Application['live'];
  pendingChanges: readonly string[];
  env: string;
  /** Of settings and variables, as they were read. */
  revision: number;
  secretEnvNames: readonly string[];
  serverId: string | null;
  environment: Application['environment'];
  deployments: Application['deployments'];
  domains: Application['domains'];
  application?: Application;
  compose?: Compose;
  database?: Database;
}

/** `application.one`, and the same of the other kinds. */
export const procedureOf = (kind: ServiceKind, name: string): Path => `${kind}.${name}` as Path;

/** The input that names a service: `{applicationId}`, and the same of the other kinds. */
export const named = (kind: ServiceKind, id: string): Record<string, string> => ({ [`${kind}Id`]: id });

/** How deployments and backups name a service. */
export const ownerOf = (kind: ServiceKind, id: string): Record<string, string> =>
  isDatabase(kind) ? { databaseId: id } : named(kind, id);

export function useService(
  kind: ServiceKind,
  id: string,
): { service: Service | undefined; error: unknown; query: UseQueryResult<unknown> } {
  const query = useAsk(procedureOf(kind, 'one'), named(kind, id) as Input<Path>);
  const { data, error } = query;
  return { service: data === undefined ? undefined : serviceOf(kind, id, data), error, query };
}

/** The answer has the shape of its kind's contract. */
function serviceOf(kind: ServiceKind, id: string, data: unknown): Service {
  const any = data as Application & Compose;
  const status = kind === 'compose' ? any.composeStatus : any.applicationStatus;
  return {
    kind,
    id,
    name: any.name,
    appName: any.appName,
    description: any.description,
    status,
    live: any.live,
    pendingChanges: any.pendingChanges,
    env: any.env,
    revision: any.revision,
    secretEnvNames: (any.secretEnvNames ?? []).map(({ name }) => name),
    serverId: any.serverId ?? null,
    environment: any.environment,
    deployments: any.deployments,
    domains: any.domains ?? [],
    ...(kind === 'application'
      ? { application: any }
      : kind === 'compose'
        ? { compose: any }
        : { database: data as Database }),
  };
}
