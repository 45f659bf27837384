/** Organizations, their members and invitations (decisions 12). */
import { z } from 'zod';
import { roles } from '../../domain/access/permissions.ts';

const trusted = z.boolean().describe('Whether its Owners and Admins may reach the machine itself');

const parentOrganizationId = z
  .string()
  .nullable()
  .describe('The organization whose quota it shares; null: a quota of its own');

const requireTwoFactor = z
  .boolean()
  .describe('Whether its members need two-factor sign-in; sessions without it can only set it up');

export const organizationRecord = z
  .object({
    organizationId: z.string(),
    name: z.string(),
    trusted,
    createdAt: z.string(),
    requireTwoFactor,
    parentOrganizationId,
  })
  .meta({ id: 'Organization' });
export const ownOrganization = z
  .object({
    organizationId: z.string(),
    name: z.string(),
    trusted,
    createdAt: z.string(),
    requireTwoFactor,
    parentOrganizationId,
    role: z.enum(roles).describe('Of the caller in it'),
  })
  .meta({ id: 'OwnOrganization' });

const limit = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
const quotaShape = {
  services: limit.describe('Applications, databases, compose services and previews'),
  nanoCpus: limit.describe('Billionths of a core, of all services together: cpuLimit × replicas'),
  memoryBytes: limit.describe('Bytes, of all services together: memoryLimit × replicas'),
  builds: limit.min(1).describe('Concurrent builds; further ones wait'),
  backupBytes: limit.describe('Bytes of the backups that are kept, and of the stored logs of recoveries'),
  diskBytes: limit.describe(
    'Bytes of volumes, of what containers write, and of images, each with all its layers, on every server',
  ),
  records: limit.describe('Records of each kind: projects, environments, domains, mounts, keys and the like'),
};
const may = {
  services: quotaShape.services.nullable(),
  nanoCpus: quotaShape.nanoCpus.nullable(),
  memoryBytes: quotaShape.memoryBytes.nullable(),
  builds: quotaShape.builds.nullable(),
  backupBytes: quotaShape.backupBytes.nullable(),
  diskBytes: quotaShape.diskBytes.nullable(),
  records: quotaShape.records.nullable(),
};

/** A limit that is absent stays; null takes it away. */
export const quotaInput = z.object(may).partial().shape;
export const quotaRecord = z
  .object({
    organizationId: z.string(),
    sharedBy: z
      .number()
      .describe('How many organizations share the quota and are counted together; 1: this one alone'),
    quota: z.object(may).describe('Null: no limit; for `records` 2,000 of each kind'),
    used: z.object({
      services: z.number(),
      nanoCpus: z.number(),
      memoryBytes: z.number(),
      builds: z.number(),
      backupBytes: z.number(),
      diskBytes: z.number().describe('As it was last measured'),
      records: z.number().describe('Of the kind that has most'),
    }),
  })
  .meta({ id: 'OrganizationQuota' });

const ids = z.array(z.string().min(1).max(100)).max(500);
const flag = z.boolean();

/** What a member reaches and may do; Owner and Admin need none of it (decisions 2). */
const grantsShape = {
  accessedProjects: ids.describe('Ids of projects with everything in them'),
  accessedEnvironments: ids.describe('Ids of environments with everything in them'),
  accessedServices: ids.describe('Ids of applications, compose services and databases'),
  canCreateProjects: flag,
  canDeleteProjects: flag,
  canCreateServices: flag,
  canDeleteServices: flag,
  canCreateEnvironments: flag,
  canDeleteEnvironments: flag,
  canAccessToContainers: flag,
  canAccessToAPI: flag.describe('May make API keys'),
  canAccessToSSHKeys: flag,
  canAccessToGitProviders: flag,
  canOpenTerminal: flag.describe(
    'Runs programs among the variables of the services assigned: in their containers, once, by schedule ' +
      'and before a release. Such a program can print the variables, with or without canReadSecrets',
  ),
  canForwardPorts: flag.describe('Connects to ports of the services assigned, through Berth'),
  canReadSecrets: flag.describe(
    'Reads variables, passwords and tokens, which others see as dots; on unless it is taken away, for ' +
      'Owner and Admin too',
  ),
};
export const grantsRecord = z.object(grantsShape).meta({ id: 'Grants' });
export const grantsInput = z.object(grantsShape).partial();

export const memberRecord = z
  .object({
    userId: z.string(),
    name: z.string(),
    email: z.string(),
    role: z.enum(roles),
    grants: grantsRecord,
    createdAt: z.string().describe('When the user joined'),
  })
  .meta({ id: 'Member' });

export const invitationRecord = z
  .object({
    invitationId: z.string(),
    email: z.string(),
    role: z.enum(roles),
    grants: grantsRecord,
    status: z.enum(['pending', 'accepted', 'revoked', 'expired']),
    invitedBy: z.string().describe('userId of who invited'),
    expiresAt: z.string(),
    createdAt: z.string(),
  })
  .meta({ id: 'Invitation' });
