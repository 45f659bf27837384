import { badField } from '../../domain/errors.ts';
import { parseOwnHost } from '../../domain/access/own-host.ts';
import { isWithin, parseBaseDomain } from '../../domain/routing/base-domain.ts';
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
  /** Host name in the address that Berth was started with, if it has one. */
  urlHost: string | undefined;
  /** Throws BAD_REQUEST or CONFLICT naming `baseDomain` when services could not be named below it. */
  checkBaseDomain(base: string): Promise<void>;
  /** Undefined before anybody has looked. */
  portWall(): { isSet: boolean; problem: string | null } | undefined;
}

/** A service below the base domain could set cookies for it, and browsers would send them to Berth. */
function requireOutside(
  baseDomain: string | null,
  patch: { baseDomain?: string | null | undefined },
  hosts: readonly (string | null | undefined)[],
): void {
  const within = hosts.find((host) => baseDomain !== null && host && isWithin(baseDomain, host));
  if (within === undefined) return;
  throw badField(
    patch.baseDomain ? 'baseDomain' : 'host',
    `cannot be saved: the host of Berth, ${within}, would be within the base domain of services, ` +
      `${baseDomain}, and services could set cookies for it. Use names outside each other`,
  );
}

/** Names in the one form by which they are compared: ASCII in lower case. */
const withPlainNames = <
  P extends { host?: string | null | undefined; baseDomain?: string | null | undefined },
>(
  patch: P,
): P => ({
  ...patch,
  ...(patch.host ? { host: parseOwnHost(patch.host) } : {}),
  ...(patch.baseDomain ? { baseDomain: parseBaseDomain(patch.baseDomain) } : {}),
});

export function settingsHandlers(
  settings: SettingsService,
  { changed, builders, prepareHost, urlHost, checkBaseDomain, portWall }: SettingsDesk,
): Handlers<typeof settingsContract, CallContext> {
  return {
    get: () => settings.get(),
    builders: async ({ signal }, input) => paginate(await builders(signal), input, ({ name }) => name),
    portWall: async () =>
      portWall() ?? {
        isSet: false,
        problem: 'Berth has not checked the engine yet; try again in a moment',
      },
    async update({ actor, write }, given) {
      const patch = withPlainNames(given);
      const present = await settings.get();
      const { host = present.host, baseDomain = present.baseDomain } = patch;
      if (host && actor.role === 'owner' && host !== present.host) await prepareHost(host);
      if (patch.host || patch.baseDomain) requireOutside(baseDomain, patch, [host, urlHost]);
      if (baseDomain && baseDomain !== present.baseDomain) await checkBaseDomain(baseDomain);
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
