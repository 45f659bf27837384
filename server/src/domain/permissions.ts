/** Who may do what: roles, member grants and key scopes (interface document, Roles; decisions 2). */

/** Strongest first. */
export const roles = ['owner', 'admin', 'member'] as const;
export type Role = (typeof roles)[number];

/** Whether somebody of the role `own` may give, change or take the role `other`: nobody reaches above their own (decisions 12). */
export function roleCovers(own: Role, other: Role): boolean {
  return roles.indexOf(own) <= roles.indexOf(other);
}

/** Grants of a member; owners and admins need none. */
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
}

export type GrantFlag = { [K in keyof Grants]: Grants[K] extends boolean ? K : never }[keyof Grants];

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
};

/** Classes of procedures, weakest first (interface document, Authentication 8). */
export const accessClasses = ['protected', 'admin', 'owner'] as const;
export type AccessClass = (typeof accessClasses)[number];

const rolesOfClass: Record<AccessClass, readonly Role[]> = {
  protected: ['owner', 'admin', 'member'],
  admin: ['owner', 'admin'],
  owner: ['owner'],
};

export function roleReaches(role: Role, accessClass: AccessClass): boolean {
  return rolesOfClass[accessClass].includes(role);
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

/** Whether a member with these grants reaches the thing. A project opens its environments, an environment its services; a service opens only itself. */
export function memberReaches(grants: Grants, scope: Scope): boolean {
  return (
    (scope.projectId !== undefined && grants.accessedProjects.includes(scope.projectId)) ||
    (scope.environmentId !== undefined && grants.accessedEnvironments.includes(scope.environmentId)) ||
    (scope.serviceId !== undefined && grants.accessedServices.includes(scope.serviceId))
  );
}

/** Which of many things a person reaches: everything for Owner and Admin, for a member as `memberReaches` says; the grants are made ready once. */
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
