import type { CallContext } from '../../procedure/context.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { settingsContract } from './contract.ts';
import type { SettingsService } from './settings.ts';

/** `changed` lets everything that runs follow the settings. */
export function settingsHandlers(
  settings: SettingsService,
  changed: () => void,
): Handlers<typeof settingsContract, CallContext> {
  return {
    get: () => settings.get(),
    async update({ actor, write }, patch) {
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
