import type { BuilderProgram } from '../../ports/engine/builder.ts';
import type { CallContext } from '../../procedure/context.ts';
import { paginate } from '../../procedure/input/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { settingsContract } from './contract.ts';
import type { SettingsService } from './settings.ts';

export interface SettingsDesk {
  /** Lets everything that runs follow the settings. */
  changed(): void;
  /** Looks for programs that build. */
  builders(signal: AbortSignal): Promise<BuilderProgram[]>;
  /**
   * Before Berth gets this host name: CONFLICT when a service has it; looks whether an authority would find
   * it.
   */
  prepareHost(host: string): Promise<void>;
  /** Undefined before anybody has looked. */
  portWall(): { isSet: boolean; problem: string | null } | undefined;
}

export function settingsHandlers(
  settings: SettingsService,
  { changed, builders, prepareHost, portWall }: SettingsDesk,
): Handlers<typeof settingsContract, CallContext> {
  return {
    get: () => settings.get(),
    builders: async ({ signal }, input) => paginate(await builders(signal), input, ({ name }) => name),
    portWall: async () =>
      portWall() ?? {
        isSet: false,
        problem: 'Berth has not checked the engine yet; try again in a moment',
      },
    async update({ actor, write }, patch) {
      const { host } = patch;
      if (host && actor.role === 'owner' && host !== (await settings.get()).host) await prepareHost(host);
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
