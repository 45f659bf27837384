/**
 * The kinds of service: how their id and status are called, and where an environment lists them (interface
 * document, Environment). Pure.
 */
import { z } from 'zod';
import { serviceStatus } from './contract-fields.ts';
import { perDatabaseKind, type DatabaseKindName } from '../../domain/database-kind.ts';
import type { DeployedKind, ServiceRef } from '../../domain/names/service-ref.ts';
import { databaseKinds, type DatabaseKinds } from '../database/kinds.ts';
import { liveRecord } from './record-live.ts';

/** Where services of a kind stand, and how their id and status are called. */
interface ServiceKind {
  list: string;
  id: string;
  status: 'applicationStatus' | 'composeStatus';
  /** As deployments call the kind. */
  deployed: DeployedKind;
}

type OfDatabases = {
  [K in DatabaseKindName]: {
    list: K;
    id: DatabaseKinds[K]['id'];
    status: 'applicationStatus';
    deployed: 'database';
  };
};

export const serviceKinds = {
  application: {
    list: 'applications',
    id: 'applicationId',
    status: 'applicationStatus',
    deployed: 'application',
  },
  ...ofDatabases(),
  compose: { list: 'compose', id: 'composeId', status: 'composeStatus', deployed: 'compose' },
} as const satisfies Record<string, ServiceKind>;

export type ServiceKinds = typeof serviceKinds;
export type ServiceKindName = keyof ServiceKinds;
export const serviceKindNames = namesOf(serviceKinds);

/** As deployments, labels of the engine and what is live name it. */
export const refOfService = ({
  kind,
  serviceId,
}: {
  kind: ServiceKindName;
  serviceId: string;
}): ServiceRef => ({
  kind: serviceKinds[kind].deployed,
  serviceId,
});

const summary = { name: z.string(), appName: z.string(), live: liveRecord } as const;
const status = serviceStatus;

type Shape = Readonly<Record<string, z.ZodType>>;
type SummaryOf<K extends ServiceKindName, E extends Shape> = z.ZodArray<
  z.ZodObject<
    { [F in ServiceKinds[K]['id']]: z.ZodString } & typeof summary &
      E & { [F in ServiceKinds[K]['status']]: typeof status }
  >
>;
type Lists<E extends Shape> = { [K in ServiceKindName as ServiceKinds[K]['list']]: SummaryOf<K, E> };

/** A list for each kind; `more` are fields besides id, name, appName and status. */
export function serviceListsOf<E extends Shape>(more: E): Lists<E> {
  const rows: [string, ServiceKind][] = Object.entries(serviceKinds);
  return asLists(
    Object.fromEntries(
      rows.map(([, row]) => [
        row.list,
        z.array(z.object({ [row.id]: z.string(), ...summary, ...more, [row.status]: status })),
      ]),
    ),
  );
}

/** Rows made from the names of the kinds have exactly these types; the compiler cannot follow that. */
function ofDatabases(): OfDatabases {
  return perDatabaseKind((kind) => ({
    list: kind,
    id: databaseKinds[kind].id,
    status: 'applicationStatus',
    deployed: 'database',
  })) as OfDatabases;
}

function namesOf(kinds: ServiceKinds): ServiceKindName[] {
  return Object.keys(kinds) as ServiceKindName[];
}

function asLists<E extends Shape>(lists: Record<string, unknown>): Lists<E> {
  return lists as Lists<E>;
}
