/** Organizations: who belongs to them, with which role and grants (decisions 12). */
import { z } from 'zod';
import { roles } from '../../domain/access/permissions.ts';
import { listOf, pageInput } from '../../procedure/input/page.ts';
import { mutation, query } from '../../procedure/procedure.ts';
import { emailField, tokenField } from '../user/record.ts';
import {
  grantsInput,
  invitationRecord,
  memberRecord,
  organizationRecord,
  ownOrganization,
  quotaInput,
  quotaRecord,
} from './record.ts';
import { name } from '../service/contract-fields.ts';

const id = z.object({ organizationId: z.string().min(1).max(100) });
const userId = z.string().min(1).max(100);
const role = z.enum(roles).describe("At most the caller's own role");
/** With a session any organization of the caller, in use or not. */
const own = {
  resources: [{ kind: 'organization', field: 'organizationId' }],
  actsIn: 'organizationId',
} as const;
const anyOrganization = [
  { kind: 'organization', field: 'organizationId', acrossOrganizations: true },
] as const;
const member = [{ kind: 'user', field: 'userId' }] as const;
const granted = [
  { kind: 'project', field: 'grants.accessedProjects' },
  { kind: 'environment', field: 'grants.accessedEnvironments' },
  { kind: 'service', field: 'grants.accessedServices' },
] as const;

export const organizationContract = {
  create: mutation({
    summary: 'Creates another organization; the caller becomes its Owner',
    description:
      'Needs a logged-in session, and the role Owner or Admin in the organization in use: an Owner may ' +
      'do more on this server than a member was given. Others than Owners and Admins of the ' +
      "installation's first organization may only where the setting `tenantsMayCreateOrganizations` is on; " +
      'what they create shares the quota of the organization in use (`parentOrganizationId`). ' +
      'The session stays where it is; `organization.setActive` changes to the new one.',
    access: { class: 'admin', resources: [], sessionOnly: true },
    input: z.object({ name }),
    output: organizationRecord,
    refusals: ['FORBIDDEN'],
  }),
  one: query({
    summary: 'One organization of the caller',
    access: { class: 'protected', ...own },
    input: id,
    output: organizationRecord,
  }),
  all: query({
    summary: 'The organizations that the caller belongs to, newest first, each with the role there',
    description: "With an API key: the key's organization alone.",
    access: { class: 'protected', resources: [], beforeTwoFactor: true },
    input: z.object(pageInput),
    output: listOf(ownOrganization),
  }),
  update: mutation({
    summary: 'Renames an organization, or requires two-factor sign-in of its members',
    description:
      'Whoever requires it must have it. Sessions of members without it can only set it up from then ' +
      'on; API keys keep working.',
    access: { class: 'admin', ...own },
    input: id.extend({ name: name.optional(), requireTwoFactor: z.boolean().optional() }),
    output: organizationRecord,
    refusals: ['PRECONDITION_FAILED'],
  }),
  delete: mutation({
    summary: 'Deletes an organization with its memberships, sessions, API keys and invitations; irreversible',
    description:
      'Refused while there is anything in it: projects, servers, certificates, SSH keys and the like, and ' +
      'while other organizations share its quota. The ' +
      "installation's first organization cannot be deleted. " +
      ('Accounts stay: whoever belongs to no other organization can sign in again with an invitation. ' +
        'The entry in the audit log is in that of the first organization.'),
    access: { class: 'owner', ...own },
    input: id,
    output: organizationRecord,
    refusals: ['PRECONDITION_FAILED'],
  }),
  installation: query({
    summary: 'Every organization of the installation, newest first',
    access: { class: 'installation', resources: [] },
    input: z.object(pageInput),
    output: listOf(organizationRecord),
  }),
  setTrusted: mutation({
    summary: 'Trusts an organization with the machine itself, or withdraws that trust',
    description:
      'Owners and Admins of a trusted organization may bind folders of the server, add capabilities, use ' +
      'local repositories and destinations, and approve what their compose files ask of the machine, as ' +
      "the installation's own people may. When the trust is withdrawn, their approvals no longer count: " +
      'what runs keeps running, but its next deployment is refused.',
    access: {
      class: 'installationOwner',
      resources: [{ kind: 'organization', field: 'organizationId', acrossOrganizations: true }],
    },
    input: id.extend({ trusted: z.boolean() }),
    output: organizationRecord,
    refusals: ['PRECONDITION_FAILED'],
  }),
  setQuota: mutation({
    summary: 'Sets how much of the installation an organization may use',
    description:
      'Absent limits stay; null removes one. What already exists stays; nothing may grow beyond its limit. ' +
      'With a limit of CPU or memory every service needs a `cpuLimit` or `memoryLimit` of its own. ' +
      'Organizations that share the quota are counted together; refused for one of these, whose ' +
      '`parentOrganizationId` has the quota.',
    access: { class: 'installationOwner', resources: anyOrganization },
    input: id.extend(quotaInput),
    output: quotaRecord,
    refusals: ['PRECONDITION_FAILED'],
  }),
  usage: query({
    summary: 'What an organization uses, and what it may use',
    access: { class: 'admin', resources: anyOrganization },
    input: id,
    output: quotaRecord,
  }),
  setActive: mutation({
    summary: 'Makes the session act in another organization of the caller',
    description: 'Needs a logged-in session; an API key always acts in its own organization.',
    access: { class: 'protected', ...own, sessionOnly: true, beforeTwoFactor: true },
    input: id,
    output: ownOrganization,
  }),
  members: query({
    summary: 'The members of the organization in use with role and grants, newest first',
    description: 'Grants name only what still exists.',
    access: { class: 'admin', resources: [] },
    input: z.object(pageInput),
    output: listOf(memberRecord),
  }),
  invite: mutation({
    summary: 'Invites a person into the organization; the token is in this answer and never again',
    description:
      'There is no mail server: give the token to the person. It is good for 7 days and for one use ' +
      'with this e-mail address: at sign-up ' +
      ('(`POST /api/auth/sign-up/email` with `token`), at sign-in (`token` as well), or with ' +
        '`organization.accept`. An earlier open invitation for the same address is revoked.'),
    access: { class: 'admin', resources: granted },
    input: z.object({ email: emailField, role: role.default('member'), grants: grantsInput.optional() }),
    output: z.object({ ...invitationRecord.shape, token: z.string() }),
    refusals: ['CONFLICT', 'FORBIDDEN'],
  }),
  invitations: query({
    summary: 'The invitations of the organization, newest first, without their tokens',
    access: { class: 'admin', resources: [] },
    input: z.object(pageInput),
    output: listOf(invitationRecord),
  }),
  revoke: mutation({
    summary: 'Revokes an invitation that was not used yet',
    access: { class: 'admin', resources: [{ kind: 'invitation', field: 'invitationId' }] },
    input: z.object({ invitationId: z.string().min(1).max(100) }),
    output: invitationRecord,
    refusals: ['PRECONDITION_FAILED'],
  }),
  accept: mutation({
    summary: 'Joins the organization that an invitation is for',
    description:
      'Needs a logged-in session of the user whose e-mail address was invited. The session stays where ' +
      'it is; `organization.setActive` changes to the new one.',
    access: { class: 'protected', resources: [], sessionOnly: true },
    input: z.object({ token: tokenField }),
    output: ownOrganization,
    refusals: ['CONFLICT', 'FORBIDDEN', 'NOT_FOUND', 'PRECONDITION_FAILED'],
  }),
  updateMember: mutation({
    summary: 'Changes the role or the grants of a member; absent grants stay as they are',
    description:
      'Nobody can give or take away a role above their own, and the last Owner cannot be demoted. A ' +
      "change of the role ends the member's sessions in this organization and revokes the invitations the " +
      'member made.',
    access: { class: 'admin', resources: [...member, ...granted] },
    input: z.object({ userId, role: role.optional(), grants: grantsInput.optional() }),
    output: memberRecord,
    refusals: ['FORBIDDEN', 'PRECONDITION_FAILED'],
  }),
  removeMember: mutation({
    summary: 'Removes a member from the organization',
    description:
      'Sessions and API keys of the member in this organization end at once, and invitations the member ' +
      'made are revoked; the account stays. Nobody can remove a member whose role is above their own, and ' +
      'the last Owner cannot be removed.',
    access: { class: 'admin', resources: member },
    input: z.object({ userId }),
    output: memberRecord,
    refusals: ['FORBIDDEN', 'PRECONDITION_FAILED'],
  }),
};
