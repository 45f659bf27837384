/** Accounts, organizations and the audit log, joined: what signs people in and says who they are. */
import type { Database } from '../../db/database.ts';
import { contracts } from '../../modules/contracts.ts';
import { terminalContract } from '../../modules/terminal/contract.ts';
import { createAudit, type Audit } from '../../modules/audit/audit.ts';
import { organizationHandlers, type OrganizationDesk } from '../../modules/organization/handlers.ts';
import {
  createInvitations,
  endInvitationsOf,
  type Invitations,
  invitationCards,
  type InvitationCard,
} from '../../modules/organization/invitation.ts';
import { createMembers, type Members } from '../../modules/organization/member.ts';
import { createMemberships, type Memberships } from '../../modules/organization/membership.ts';
import { createReferable } from '../../modules/service/referable.ts';
import type { Quotas } from '../../modules/quota/quota.ts';
import { createOrganizations, type Organizations } from '../../modules/organization/organization.ts';
import { createAuthentication, type Authentication } from '../../modules/user/authentication.ts';
import { createAccountRemoval, installationOwnersOnly } from '../../modules/user/account-removal.ts';
import { userHandlers, type UserDesk } from '../../modules/user/handlers.ts';
import { createProofs } from '../../modules/user/sign-in/proof.ts';
import { createTwoFactors } from '../../modules/user/two-factor.ts';
import { userSession, type SessionView } from '../../modules/user/sign-in/session.ts';
import { createSignInThrottle } from '../../modules/user/sign-in/sign-in-throttle.ts';
import { createEntrance, type FirstSignUp } from '../../modules/user/sign-in/entrance.ts';
import { createSignIn, type SignInDesk } from '../../modules/user/sign-in/sign-in.ts';
import { createSignUp, firstAccountAwaited, type SignUp } from '../../modules/user/sign-in/sign-up.ts';
import { createUsers, type Users } from '../../modules/user/user.ts';
import { auditHandlers } from '../../modules/audit/handlers.ts';
import { createEvents, type Events } from '../../modules/event/event.ts';
import { createVisibility } from '../../modules/event/visibility.ts';
import type { Clock } from '../../ports/clock.ts';
import { createGuard, type Guard } from '../../procedure/guard.ts';
import { keyScopes } from '../../procedure/describe/listing.ts';
import { router, type Router } from '../../procedure/registry.ts';
import { quotasOf } from '../../deploy/quotas.ts';
import type { Stores } from '../stores.ts';

export interface Accounts {
  audit: Audit;
  events: Events;
  users: Users;
  members: Members;
  memberships: Memberships;
  organizations: Organizations;
  invitations: Invitations;
  quotas: Quotas;
  authentication: Authentication;
  /** What the routes of sign-up and sign-in need. */
  door: SignInDesk & {
    signUp: SignUp;
    session(tokens: readonly string[]): Promise<SessionView | undefined>;
    awaitsFirstAccount(): Promise<boolean>;
    invitation(token: string): Promise<InvitationCard | undefined>;
  };
  /** What the procedures of accounts need besides. */
  desk: UserDesk;
  guard: Guard;
}

export interface AccountsOptions {
  firstSignUp?: FirstSignUp;
  onFault?: (error: unknown) => void;
  guard?: typeof createGuard;
  throttle?: typeof createSignInThrottle;
}

/** `firstSignUp` knows the token for the first account; without it that one is made on the machine itself. */
export function createAccounts(
  stores: Stores,
  database: Database,
  clock: Clock,
  {
    firstSignUp = { accepts: async () => false },
    onFault = () => undefined,
    guard: guarding = createGuard,
    throttle: throttling = createSignInThrottle,
  }: AccountsOptions = {},
): Accounts {
  const audit = createAudit(stores.audit, clock);
  const throttle = throttling(clock);
  const twoFactors = createTwoFactors(stores.users, clock);
  const proofs = createProofs(stores.users, throttle, twoFactors);
  const users = createUsers(stores.users, clock, proofs);
  const organizations = createOrganizations(stores.organizations, stores.members, clock);
  const memberships = membershipsOf(stores, users);
  const invitations = invitationsOf(stores, users, clock);
  const entrance = createEntrance(stores.users, {
    sessions: users,
    recordAudit: audit.record,
    firstOrganization: organizations.first,
  });
  const quotas = quotasOf(stores);
  const events = eventsOf(stores.events, clock, organizations, onFault);
  const guard = guarding({
    findScope: stores.findScope,
    referable: createReferable(stores.services, stores.serviceRows),
    findPlace: stores.users.findPlace,
    standingOf: organizations.standing,
    ownsServer: stores.ownsServer,
    transaction: database.transaction,
    withinQuota: quotas.within,
    recordAudit: audit.record,
    tell: events.tellChange,
  });
  return {
    audit,
    events,
    users,
    organizations,
    memberships,
    invitations,
    quotas,
    guard,
    desk: userDesk(stores, { twoFactors, proofs, organizations }),
    members: createMembers(stores.members),
    authentication: createAuthentication(stores.users, clock),
    door: {
      signUp: createSignUp(stores.users, { entrance, invitations, firstSignUp }, clock),
      ...createSignIn(stores.users, { entrance, invitations, throttle, twoFactors }),
      session: userSession(stores.users, clock),
      awaitsFirstAccount: firstAccountAwaited(stores.users),
      invitation: invitationCards({ ...stores, users: stores.users.users }, clock),
    },
  };
}

function invitationsOf(
  { invitations, members, organizations }: Stores,
  users: Users,
  clock: Clock,
): Invitations {
  return createInvitations(invitations, { members, organizations, leave: users.leave }, clock);
}

function membershipsOf(stores: Stores, users: Users): Memberships {
  return createMemberships({
    members: stores.members,
    organizations: stores.organizations,
    invitations: stores.invitations,
    leave: users.leave,
    endSessions: users.endSessionsIn,
  });
}

function eventsOf(
  store: Stores['events'],
  clock: Clock,
  { standing }: Organizations,
  onFault: (error: unknown) => void,
): Events {
  const { reachesInto } = store;
  const visibility = createVisibility({ contracts, standingOf: standing, reachesInto });
  return createEvents({ store, clock, visibility, onFault });
}

function userDesk(
  { users, members, organizations: rows, invitations }: Stores,
  {
    twoFactors,
    proofs,
    organizations,
  }: Pick<UserDesk, 'twoFactors' | 'proofs'> & {
    organizations: Organizations;
  },
): UserDesk {
  return {
    twoFactors,
    proofs,
    isRequired: async (organizationId) => (await organizations.one(organizationId)).requireTwoFactor,
    removal: createAccountRemoval(users, {
      organizationsOf: rows.ofUser,
      holdMembers: (organizationId) => rows.hold(organizationId, 'members'),
      countOwners: members.countOwners,
      endInvitations: endInvitationsOf(invitations),
    }),
    requireInstallationOwner: installationOwnersOnly(organizations.isFirst),
  };
}

/** The routers of accounts; `audit` stands at the end of the interface's list. */
export function accountRouters(
  { users, organizations, memberships, invitations, quotas, audit, desk: userParts }: Accounts,
  {
    gone = () => undefined,
    measureDisk = async () => undefined,
    tenantsMayCreate = async () => false,
  }: Partial<Pick<OrganizationDesk, 'gone' | 'measureDisk' | 'tenantsMayCreate'>> = {},
): {
  user: Router;
  organization: Router;
  audit: Router;
} {
  const desk = {
    organizations,
    memberships,
    invitations,
    quotas,
    gone,
    measureDisk,
    tenantsMayCreate,
    moveSession: users.moveSession,
    emailOf: async (userId: string) => (await users.account(userId)).email,
    hasTwoFactor: userParts.twoFactors.isOn,
  };
  return {
    user: router(
      'user',
      contracts.user,
      userHandlers(users, () => keyScopes({ ...contracts, terminal: terminalContract }), userParts),
    ),
    organization: router('organization', contracts.organization, organizationHandlers(desk)),
    audit: router('audit', contracts.audit, auditHandlers(audit)),
  };
}
