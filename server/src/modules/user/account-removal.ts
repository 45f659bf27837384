/** Deleting an account, one's own or one that nobody has a use for (decisions 12). */
import { AppError } from '../../domain/errors.ts';
import type { UserRecord, UserStore } from './store.ts';

export interface AccountRemovalParts {
  /** The organizations of a user, with the place there. */
  organizationsOf(userId: string): Promise<{ organizationId: string; name: string; role: string }[]>;
  /** Makes other changes of the organization's members wait until the transaction ends. */
  holdMembers(organizationId: string): Promise<void>;
  countOwners(organizationId: string): Promise<number>;
  /** Revokes the open invitations that the user made, and removes those made for the address. */
  endInvitations(user: UserRecord): Promise<void>;
}

export interface AccountRemoval {
  /**
   * Removes the account with its sessions, keys, memberships and second factor, inside the caller's
   * transaction; the audit log keeps its id. PRECONDITION_FAILED for the last Owner of an organization.
   */
  removeOwn(userId: string): Promise<UserRecord>;
  /** The same for another's account; PRECONDITION_FAILED while it belongs to an organization. */
  removeStray(userId: string): Promise<UserRecord>;
}

export function createAccountRemoval(store: UserStore, parts: AccountRemovalParts): AccountRemoval {
  async function held(userId: string): Promise<UserRecord> {
    const user = await store.holdUser(userId);
    if (!user) throw new AppError('NOT_FOUND', 'There is no such account. It may have been deleted.');
    return user;
  }

  async function remove(user: UserRecord): Promise<UserRecord> {
    await parts.endInvitations(user);
    // Sessions, keys, memberships and codes are removed with it by the database.
    await store.users.remove({ userId: user.userId });
    return user;
  }

  return {
    async removeOwn(userId) {
      // In one order, so that two removals at a time never wait for each other.
      const owned = (await parts.organizationsOf(userId))
        .filter(({ role }) => role === 'owner')
        .toSorted((a, b) => (a.organizationId < b.organizationId ? -1 : 1));
      for (const { organizationId, name } of owned) {
        await parts.holdMembers(organizationId);
        if ((await parts.countOwners(organizationId)) <= 1) throw lastOwner(name);
      }
      return remove(await held(userId));
    },
    async removeStray(userId) {
      const user = await held(userId);
      const [place] = await parts.organizationsOf(userId);
      if (place)
        throw new AppError(
          'PRECONDITION_FAILED',
          `The account ${user.email} belongs to ${place.name}, and only its owner can delete it. Have it ` +
            'removed from its organizations first (organization.removeMember).',
        );
      return remove(user);
    },
  };
}

function lastOwner(organization: string): AppError {
  return new AppError(
    'PRECONDITION_FAILED',
    `You are the last Owner of ${organization}. Make another member Owner first ` +
      '(organization.updateMember), or delete the organization (organization.delete).',
  );
}

/** FORBIDDEN for whoever is not an Owner of the installation's organization. */
export function installationOwnersOnly(
  isFirst: (organizationId: string) => Promise<boolean>,
): (actor: { role: string; organizationId: string }) => Promise<void> {
  return async ({ role, organizationId }) => {
    if (role === 'owner' && (await isFirst(organizationId))) return;
    throw new AppError(
      'FORBIDDEN',
      "An account can be deleted by its owner, and by an Owner of the installation's organization if it " +
        'belongs to no organization.',
    );
  };
}
