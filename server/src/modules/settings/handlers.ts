import type { BuilderProgram } from '../../ports/builder.ts';
import type { CallContext } from '../../procedure/context.ts';
import { paginate } from '../../procedure/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { settingsContract } from './contract.ts';
import type { SettingsService } from './settings.ts';

/** `changed` lets everything that runs follow the settings; `builders` looks for programs that build. */
export function settingsHandlers(
  settings: SettingsService,
  changed: () => void,
  builders: (signal: AbortSignal) => Promise<BuilderProgram[]>,
): Handlers<typeof settingsContract, CallContext> {
  return {
    get: () => settings.get(),
    builders: async ({ signal }, input) => paginate(await builders(signal), input, ({ name }) => name),
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
