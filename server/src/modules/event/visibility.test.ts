import { expect, it } from 'vitest';
import { noGrants, type Grants, type Role } from '../../domain/access/permissions.ts';
import type { Actor } from '../../procedure/context.ts';
import { contracts } from '../contracts.ts';
import type { EventRecord } from './store.ts';
import { createVisibility, type Sight } from './visibility.ts';

const shop = { organizationId: 'o', projectId: 'p', environmentId: 'e', serviceId: 'shop' };
// Of an event, what decides who sees it.
const event = (kind: string, change: Partial<EventRecord> = {}): EventRecord =>
  ({
    kind,
    ...shop,
    userId: null,
    formerProjectId: null,
    formerEnvironmentId: null,
    ...change,
  }) as EventRecord;

interface Caller {
  role?: Role;
  grants?: Partial<Grants>;
  isFirst?: boolean;
  /** Something of a project or environment is within reach. */
  reaches?: boolean;
}

/** Of a caller in the installation's first organization, or another one. */
async function sees(
  one: EventRecord,
  { role = 'member', grants = {}, isFirst = true, reaches = false }: Caller = {},
): Promise<Sight> {
  const visibility = createVisibility({
    contracts,
    standingOf: async () => (isFirst ? 'installation' : 'tenant'),
    reachesInto: async () => reaches,
  });
  const actor: Partial<Actor> = {
    userId: 'me',
    organizationId: 'o',
    role,
    grants: { ...noGrants, ...grants },
  };
  return (await visibility.of(actor as Actor))(one);
}

it.each(['owner', 'admin'] as const)('shows an %s whatever happens in the organization', async (role) => {
  expect(await sees(event('application'), { role })).toBe('whole');
  expect(await sees(event('project', { environmentId: null, serviceId: null }), { role })).toBe('whole');
  expect(await sees(event('destination'), { role })).toBe('whole');
});

it('shows nobody what happens in another organization', async () => {
  expect(await sees(event('application', { organizationId: 'theirs' }), { role: 'owner' })).toBe('none');
});

it('shows a member the services, environments and projects that were granted', async () => {
  expect(await sees(event('application'))).toBe('none');
  expect(await sees(event('application'), { grants: { accessedServices: ['shop'] } })).toBe('whole');
  expect(await sees(event('application'), { grants: { accessedServices: ['blog'] } })).toBe('none');
  expect(await sees(event('application'), { grants: { accessedEnvironments: ['e'] } })).toBe('whole');
  expect(await sees(event('application'), { grants: { accessedProjects: ['p'] } })).toBe('whole');
});

it('shows a member the project that something of theirs stands in, and no other service of it', async () => {
  const project = event('project', { environmentId: null, serviceId: null });
  expect(await sees(project, { reaches: true })).toBe('whole');
  expect(await sees(project, { reaches: false })).toBe('none');
  expect(await sees(event('environment', { serviceId: null }), { reaches: true })).toBe('whole');
  expect(await sees(event('application'), { reaches: true })).toBe('none');
});

it('shows a member that something left what they reach, and not where it went', async () => {
  const moved = event('application', {
    environmentId: 'secret',
    formerProjectId: 'p',
    formerEnvironmentId: 'e',
  });
  expect(await sees(moved, { grants: { accessedEnvironments: ['e'] } })).toBe('left');
  expect(await sees(moved, { grants: { accessedEnvironments: ['e', 'secret'] } })).toBe('whole');
  expect(await sees(moved, { grants: { accessedEnvironments: ['other'] } })).toBe('none');
});

it('shows what a grant opens to whoever has it, and one’s own to oneself', async () => {
  expect(await sees(event('sshKey'))).toBe('none');
  expect(await sees(event('sshKey'), { grants: { canAccessToSSHKeys: true } })).toBe('whole');
  expect(await sees(event('gitProvider'), { grants: { canAccessToGitProviders: true } })).toBe('whole');
  expect(await sees(event('user', { userId: 'me' }))).toBe('whole');
  expect(await sees(event('user', { userId: 'another' }), { role: 'owner' })).toBe('none');
});

it('shows the installation’s own only to Owner and Admin of its first organization', async () => {
  const settings = event('settings', { organizationId: null, projectId: null });
  expect(await sees(settings, { role: 'owner' })).toBe('whole');
  expect(await sees(settings, { role: 'owner', isFirst: false })).toBe('none');
  expect(await sees(settings)).toBe('none');
});

it('shows nothing of a kind that no procedure reads', async () => {
  expect(await sees(event('unheardOf'), { role: 'owner' })).toBe('none');
});
