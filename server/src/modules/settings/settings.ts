/**
 * Settings of the installation: typed, with their initial values, read from memory after the first time
 * (decisions 12).
 */
import { AppError, badField } from '../../domain/errors.ts';
import type { Role } from '../../domain/access/permissions.ts';
import { settingFields, type SettingName, type Settings } from './record-fields.ts';
import type { SettingsStore } from './store.ts';

export type SettingsPatch = { [K in SettingName]?: Settings[K] | undefined };

export interface SettingsService {
  get(): Promise<Settings>;
  /**
   * Stores the named settings and gives all of them as they are then; FORBIDDEN for those that are the
   * Owner's. Part of the caller's transaction: call `refresh` after it.
   */
  update(patch: SettingsPatch, by: { role: Role }): Promise<Settings>;
  /**
   * In a cloud installation whatever runs needs a server of its own: BAD_REQUEST naming serverId when none is
   * given (interface document, serverId "required in cloud environments").
   */
  requireServer(serverId: string | null | undefined): Promise<void>;
  /** Forgets what is in memory. */
  refresh(): void;
}

/**
 * `installed` are initial values that this installation knows better, such as the address found at its
 * set-up.
 */
export function createSettings(store: SettingsStore, installed: SettingsPatch = {}): SettingsService {
  let known: Promise<Settings> | undefined;
  const load = async (): Promise<Settings> => complete({ ...installed, ...(await store.all()) });
  async function get(): Promise<Settings> {
    known ??= load();
    try {
      return await known;
    } catch (error) {
      known = undefined;
      throw error;
    }
  }

  return {
    get,
    async requireServer(serverId) {
      if (!serverId && (await get()).cloud)
        throw badField(
          'serverId',
          'is required in a cloud installation; create a server with server.create and name it',
        );
    },
    async update(patch, { role }) {
      const changes = Object.entries(patch).filter(([, value]) => value !== undefined);
      for (const [name] of changes) requireRight(name, role);
      for (const [name, value] of changes) await store.put(name, value);
      return load();
    },
    refresh() {
      known = undefined;
    },
  };
}

function requireRight(name: string, role: Role): void {
  if (!isSettingName(name) || settingFields[name].by !== 'owner' || role === 'owner') return;
  throw new AppError(
    'FORBIDDEN',
    `The setting ${name} gives access to the server itself; only the Owner can change it.`,
  );
}

/**
 * Stored values pass their rules again, since a later Berth may have narrower ones; a value that no longer
 * fits falls back to its initial one.
 */
function complete(stored: Record<string, unknown>): Settings {
  const entries = Object.entries(settingFields).map(([name, { rule, initial }]) => {
    const parsed = rule.safeParse(stored[name] ?? initial);
    return [name, parsed.success ? parsed.data : initial];
  });
  return asSettings(Object.fromEntries(entries));
}

function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(settingFields, name);
}

/** Every value has just passed its own rule; the compiler cannot follow that through Object.entries. */
function asSettings(values: Record<string, unknown>): Settings {
  return values as Settings;
}
