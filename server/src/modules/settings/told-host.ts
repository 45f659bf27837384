/** The host name of Berth that set-up was told. */
import type { SettingsStore } from './store.ts';

/** What set-up was told last (`bin/up --host`), so that it is heard once. */
const heardSetting = 'hostOfSetUp';

/**
 * What `bin/up --host` says becomes the setting when it says something new; whatever an Owner sets after that
 * stays. Gives whether it did.
 */
export async function hearSetUp(
  { all, put }: Pick<SettingsStore, 'all' | 'put'>,
  told: string | undefined,
  say: (sentence: string) => void = () => undefined,
): Promise<boolean> {
  const heard = (await all())[heardSetting] ?? '';
  if ((told ?? '') === heard) return false;
  await put('host', told);
  await put(heardSetting, told);
  say(
    told === undefined
      ? 'Berth no longer has a host name of its own'
      : `The host name of Berth is now ${told}`,
  );
  return true;
}
