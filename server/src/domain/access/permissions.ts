/** Who may do what: roles, member grants and key scopes (interface document, Roles; decisions 2). */

/** Strongest first. */
export const roles = ['owner', 'admin', 'member'] as const;
export type Role = (typeof roles)[number];

/**
 * Whether somebody of the role `own` may give, change or take the role `other`: nobody reaches above their
 * own (decisions 12).
 */
export function roleCovers(own: Role, other: Role): boolean {
  return roles.indexOf(own) <= roles.indexOf(other);
}

/** Grants of a member; owners and admins need none but the last. */
export interface Grants {
  accessedProjects: string[];
  accessedEnvironments: string[];
  accessedServices: string[];
  canCreateProjects: boolean;
  canDeleteProjects: boolean;
  canCreateServices: boolean;
  canDeleteServices: boolean;
  canCreateEnvironments: boolean;
  canDeleteEnvironments: boolean;
  canAccessToContainers: boolean;
  canAccessToAPI: boolean;
  canAccessToSSHKeys: boolean;
  canAccessToGitProviders: boolean;
  canOpenTerminal: boolean;
  canForwardPorts: boolean;
  /** Held by every role until it is taken; the others are a member's, and off until given. */
  canReadSecrets: boolean;
}

export type GrantFlag = { [K in keyof Grants]: Grants[K] extends boolean ? K : never }[keyof Grants];

/**
 * Needed for every procedure that runs a program of the caller's choice among a service's variables, now or
 * later: such a program can print them, and what the service may reach it may reach.
 */
export const programGrant = 'canOpenTerminal' satisfies GrantFlag;

/** What everybody begins with. */
export const noGrants: Grants = {
  accessedProjects: [],
  accessedEnvironments: [],
  accessedServices: [],
  canCreateProjects: false,
  canDeleteProjects: false,
  canCreateServices: false,
  canDeleteServices: false,
  canCreateEnvironments: false,
  canDeleteEnvironments: false,
  canAccessToContainers: false,
  canAccessToAPI: false,
  canAccessToSSHKeys: false,
  canAccessToGitProviders: false,
  canOpenTerminal: false,
  canForwardPorts: false,
  canReadSecrets: true,
};

/** Owners and Admins need this grant, too. */
export const secretsGrant = 'canReadSecrets' satisfies GrantFlag;

/** The action of a narrowed key that reads a router's secrets. */
export const secretsAction = 'readSecrets';

/**
 * Whether the secrets of a router may be read: by whoever holds the grant, with a narrowed key only when it
 * names the action there.
 */
export function readsSecrets(
  { grants, permissions }: { grants: Grants; permissions: Readonly<Record<string, string[]>> | undefined },
  router: string,
): boolean {
  return (
    grants.canReadSecrets &&
    (permissions === undefined || permissions[router]?.includes(secretsAction) === true)
  );
}

/**
 * What an organization is on this installation (decisions 2): the one it was made with, one that the
 * installation's Owner trusts with the machine, or a tenant.
 */
export type Standing = 'installation' | 'trusted' | 'tenant';

/** Where the machine itself is within reach of Owner and Admin. */
export const hostStandings: readonly Standing[] = ['installation', 'trusted'];

interface ClassRule {
  roles: readonly Role[];
  /** Organizations whose people may call; absent: those of every one. */
  standings?: readonly Standing[];
  /** Those of every one, where what the call names stands on a trusted server of theirs (`onOwnServer`). */
  byServer?: boolean;
  /** Who may call, for people. */
  words: string;
}

/** Classes of procedures (interface document, Authentication 8; decisions 2). */
export const accessClasses = {
  protected: { roles: ['owner', 'admin', 'member'], words: 'any authenticated user' },
  admin: { roles: ['owner', 'admin'], words: 'Owner or Admin' },
  owner: { roles: ['owner'], words: 'Owner' },
  hostReach: {
    roles: ['owner', 'admin'],
    standings: hostStandings,
    byServer: true,
    words: "Owner or Admin of the installation's organization, or of a trusted one",
  },
  installation: {
    roles: ['owner', 'admin'],
    standings: ['installation'],
    words: "Owner or Admin of the installation's organization",
  },
  installationOwner: {
    roles: ['owner'],
    standings: ['installation'],
    words: "Owner of the installation's organization",
  },
} as const satisfies Record<string, ClassRule>;
export type AccessClass = keyof typeof accessClasses;

/** Goes on after the words of `hostReach` where a trusted server decides as well. */
export const onOwnServer = ', or, on a trusted server, of the organization that it belongs to';

/** The rule of a class; the table's own type tells each apart. */
export const classRule = (accessClass: AccessClass): ClassRule => accessClasses[accessClass];

export function roleReaches(role: Role, accessClass: AccessClass): boolean {
  return classRule(accessClass).roles.includes(role);
}

export function standingReaches(standing: Standing, accessClass: AccessClass): boolean {
  return classRule(accessClass).standings?.includes(standing) ?? true;
}

/** Where a thing stands: what a member's grants are compared with. */
export interface Scope {
  organizationId: string;
  projectId?: string | undefined;
  environmentId?: string | undefined;
  serviceId?: string | undefined;
  /** Whose it is, for what belongs to one person (API keys). */
  userId?: string | undefined;
}

/**
 * Whether a member with these grants reaches the thing. A project opens its environments, an environment its
 * services; a service opens only itself.
 */
export function memberReaches(grants: Grants, scope: Scope): boolean {
  return (
    (scope.projectId !== undefined && grants.accessedProjects.includes(scope.projectId)) ||
    (scope.environmentId !== undefined && grants.accessedEnvironments.includes(scope.environmentId)) ||
    (scope.serviceId !== undefined && grants.accessedServices.includes(scope.serviceId))
  );
}

/**
 * Which of many things a person reaches: everything for Owner and Admin, for a member as `memberReaches`
 * says; the grants are made ready once.
 */
export function reachOf({ role, grants }: { role: Role; grants: Grants }): (scope: Scope) => boolean {
  if (role !== 'member') return () => true;
  const [projects, environments, services] = [
    new Set(grants.accessedProjects),
    new Set(grants.accessedEnvironments),
    new Set(grants.accessedServices),
  ];
  return ({ projectId, environmentId, serviceId }) =>
    (projectId !== undefined && projects.has(projectId)) ||
    (environmentId !== undefined && environments.has(environmentId)) ||
    (serviceId !== undefined && services.has(serviceId));
}
