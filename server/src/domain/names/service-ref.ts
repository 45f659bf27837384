/**
 * Names a service of any kind, where one thing belongs to an application, a database, a compose service or
 * the preview of a pull request.
 */

export const deployedKinds = ['application', 'database', 'compose', 'previewDeployment'] as const;
export type DeployedKind = (typeof deployedKinds)[number];

export interface ServiceRef {
  kind: DeployedKind;
  serviceId: string;
}

/** The columns that name the service of a row: one is set. */
export interface OwnerColumns {
  applicationId: string | null;
  databaseId: string | null;
  composeId: string | null;
  previewDeploymentId: string | null;
}

export const idFields = {
  application: 'applicationId',
  database: 'databaseId',
  compose: 'composeId',
  previewDeployment: 'previewDeploymentId',
} as const satisfies Record<DeployedKind, keyof OwnerColumns>;

export const applicationRef = (serviceId: string): ServiceRef => ({ kind: 'application', serviceId });
export const databaseRef = (serviceId: string): ServiceRef => ({ kind: 'database', serviceId });
export const composeRef = (serviceId: string): ServiceRef => ({ kind: 'compose', serviceId });

export const previewRef = (serviceId: string): ServiceRef => ({ kind: 'previewDeployment', serviceId });

export function ownerColumns({ kind, serviceId }: ServiceRef): OwnerColumns {
  return {
    applicationId: null,
    databaseId: null,
    composeId: null,
    previewDeploymentId: null,
    [idFields[kind]]: serviceId,
  };
}

export function ownerOf(columns: OwnerColumns): ServiceRef {
  const kind = deployedKinds.find((each) => columns[idFields[each]] !== null) ?? 'application';
  return { kind, serviceId: columns[idFields[kind]] ?? '' };
}

/** One text for a service: jobs of the same key run one after another. */
export const serviceKey = ({ kind, serviceId }: ServiceRef): string => `${kind}:${serviceId}`;

/** Label of everything on an engine that belongs to a service. */
export const ownerLabels = {
  application: 'berth.application',
  database: 'berth.database',
  compose: 'berth.compose',
  previewDeployment: 'berth.preview',
} as const satisfies Record<DeployedKind, string>;

/** The service that the labels of a thing on an engine name; undefined for the platform's own. */
export function ownerOfLabels(labels: Readonly<Record<string, string>>): ServiceRef | undefined {
  for (const kind of deployedKinds) {
    const serviceId = labels[ownerLabels[kind]];
    if (serviceId !== undefined) return { kind, serviceId };
  }
  return undefined;
}

export const isSameService = (left: ServiceRef | undefined, right: ServiceRef): boolean =>
  left?.kind === right.kind && left.serviceId === right.serviceId;
