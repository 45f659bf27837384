import { any, type Rows } from '../row.ts';

const organization = { organizationId: any.id, name: any.text, trusted: false, createdAt: any.time };
const member = {
  userId: any.id,
  name: any.text,
  email: any.text,
  role: any.text,
  grants: { accessedProjects: any.list, canCreateProjects: any.boolean },
};

export const organizationRows: Rows = [
  {
    call: 'organization.create',
    input: { name: 'Second' },
    gives: { ...organization, name: 'Second', parentOrganizationId: null },
    installation: true,
  },
  { call: 'organization.create', input: { name: 'Second' }, refused: 'FORBIDDEN' },
  { call: 'organization.one', input: { organizationId: '<organizationId>' }, gives: organization },
  { call: 'organization.all', gives: any.listOf({ ...organization, role: 'owner' }) },
  {
    call: 'organization.update',
    input: { organizationId: '<organizationId>', name: 'Renamed' },
    gives: { ...organization, name: 'Renamed' },
  },
  { call: 'organization.installation', gives: any.list, installation: true },
  { call: 'organization.installation', refused: 'FORBIDDEN' },
  {
    call: 'organization.setTrusted',
    input: { organizationId: '<foreign.organizationId>', trusted: true },
    gives: { organizationId: '<foreign.organizationId>', trusted: true },
    after: [
      {
        call: 'organization.setTrusted',
        input: { organizationId: '<foreign.organizationId>', trusted: false },
        gives: { trusted: false },
      },
    ],
    installation: true,
  },
  {
    call: 'organization.setTrusted',
    as: 'admin',
    input: { organizationId: '<foreign.organizationId>', trusted: true },
    refused: 'FORBIDDEN',
    installation: true,
  },
  {
    call: 'organization.setTrusted',
    input: { organizationId: '<organizationId>', trusted: true },
    refused: 'FORBIDDEN',
  },
  {
    call: 'organization.setQuota',
    input: { organizationId: '<foreign.organizationId>', services: 100 },
    after: [
      {
        call: 'organization.setQuota',
        input: { organizationId: '<foreign.organizationId>', services: null },
      },
    ],
    installation: true,
  },
  {
    call: 'organization.setQuota',
    input: { organizationId: '<organizationId>', services: 100 },
    refused: 'FORBIDDEN',
  },
  { call: 'organization.usage', input: { organizationId: '<organizationId>' } },
  {
    call: 'organization.delete',
    before: [
      { call: 'organization.create', input: { name: 'Short-lived' }, keep: { madeId: 'organizationId' } },
    ],
    as: { person: 'owner', by: 'session' },
    input: { organizationId: '<madeId>' },
    gives: { organizationId: '<madeId>' },
    installation: true,
  },
  {
    rule: "deleting an organization is the Owner's",
    call: 'organization.delete',
    as: 'admin',
    input: { organizationId: '<organizationId>' },
    refused: 'FORBIDDEN',
  },
  {
    call: 'organization.setActive',
    before: [{ call: 'organization.create', input: { name: 'Second' }, keep: { madeId: 'organizationId' } }],
    input: { organizationId: '<madeId>' },
    gives: { organizationId: '<madeId>' },
    after: [
      { call: 'user.get', as: { person: 'owner', by: 'session' }, gives: { organizationId: '<madeId>' } },
    ],
    installation: true,
  },
  {
    call: 'organization.setActive',
    rule: "another organization's thing is 403, none is 404",
    input: { organizationId: '<foreign.organizationId>' },
    refused: 'FORBIDDEN',
  },
  { call: 'organization.members', gives: any.listOf(member) },
  {
    call: 'organization.invite',
    input: { email: 'new@example.com', role: 'member', grants: { canCreateProjects: true } },
    gives: {
      invitationId: any.id,
      email: 'new@example.com',
      role: 'member',
      status: 'pending',
      token: any.text,
    },
  },
  {
    rule: 'nobody gives a role above their own',
    call: 'organization.invite',
    as: 'admin',
    input: { email: 'new@example.com', role: 'owner' },
    refused: 'FORBIDDEN',
  },
  {
    rule: 'nobody gives a role above their own',
    call: 'organization.updateMember',
    as: 'admin',
    input: { userId: '<member.userId>', role: 'owner' },
    refused: 'FORBIDDEN',
  },
  {
    call: 'organization.invitations',
    gives: any.listOf({ invitationId: any.id, email: any.text, status: any.text, token: any.absent }),
  },
  {
    call: 'organization.revoke',
    input: { invitationId: '<invitationId>' },
    gives: { invitationId: '<invitationId>', status: 'revoked' },
  },
  {
    call: 'organization.accept',
    as: 'stranger',
    input: { token: '<stranger.invitation>' },
    gives: { organizationId: '<organizationId>', role: 'member' },
  },
  {
    rule: 'an invitation is accepted once, by the person invited',
    call: 'organization.accept',
    as: 'stranger',
    before: [{ call: 'organization.accept', as: 'stranger', input: { token: '<stranger.invitation>' } }],
    input: { token: '<stranger.invitation>' },
    refused: 'PRECONDITION_FAILED',
  },
  {
    rule: 'an invitation is accepted once, by the person invited',
    call: 'organization.accept',
    as: 'owner',
    input: { token: '<stranger.invitation>' },
    refused: 'FORBIDDEN',
  },
  {
    call: 'organization.updateMember',
    input: { userId: '<member.userId>', role: 'admin' },
    gives: { userId: '<member.userId>', role: 'admin' },
    after: [{ call: 'organization.members', as: 'member' }],
  },
  {
    call: 'organization.removeMember',
    input: { userId: '<member.userId>' },
    gives: { userId: '<member.userId>' },
    after: [{ call: 'user.get', as: 'member', refused: 'UNAUTHORIZED' }],
  },
  {
    rule: 'the last Owner stays',
    call: 'organization.removeMember',
    input: { userId: '<owner.userId>' },
    refused: 'PRECONDITION_FAILED',
  },
  {
    rule: 'the last Owner stays',
    call: 'organization.updateMember',
    input: { userId: '<owner.userId>', role: 'member' },
    refused: 'PRECONDITION_FAILED',
  },
];
