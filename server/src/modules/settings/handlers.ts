import { AppError } from '../../domain/errors.ts';
import type { Actor, CallContext } from '../../procedure/context.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { settingsContract } from './contract.ts';
import type { SettingsService } from './settings.ts';

export interface SettingsDesk {
  /** Whether an organization is the installation's first, whose people run the server (decisions 10). */
  isFirstOrganization(organizationId: string): Promise<boolean>;
  /** Lets everything that runs follow the settings. */
  changed(): void;
}

export function settingsHandlers(settings: SettingsService, { isFirstOrganization, changed }: SettingsDesk): Handlers<typeof settingsContract, CallContext> {
  async function requireFirst(actor: Actor): Promise<void> {
    if (await isFirstOrganization(actor.organizationId)) return;
    throw new AppError('FORBIDDEN', 'The settings of the installation belong to its first organization. Ask an Owner or Admin of that one.');
  }
  return {
    async get({ actor }) {
      await requireFirst(actor);
      return settings.get();
    },
    async update({ actor, write }, patch) {
      await requireFirst(actor);
      try {
        return await write(() => settings.update(patch, actor));
      } finally {
        settings.refresh();
        // After a refusal nothing differs, and nothing happens.
        changed();
      }
    },
  };
}
