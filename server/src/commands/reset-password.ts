/**
 * A forgotten password set anew on Berth's own machine: straight in the database, whether Berth runs or not.
 * It takes no lock of the data folder and makes no adapter, so it is no second control plane; a running Berth
 * reads accounts and sessions from the database at each request and follows at once.
 */
import { readFlags, textOf } from '../../../cli/flags.ts';
import { askSecret, type Conversation } from '../../../cli/terminal.ts';
import { UsageError } from '../../../cli/usage-error.ts';
import { keptEnvironment } from '../../../setup/settings/keep-settings.ts';
import { layoutOf } from '../../../setup/layout.ts';
import { dataFolder } from '../../../setup/settings/settings.ts';
import { readConfig, type Config } from '../config.ts';
import { AppError } from '../domain/errors.ts';
import { createAudit } from '../modules/audit/audit.ts';
import { newPasswordField } from '../modules/user/record.ts';
import { resetPassword } from '../modules/user/reset-password.ts';
import { systemClock } from '../ports/clock.ts';
import { openPresent } from '../db/storage.ts';
import { createStores } from '../composition/stores.ts';

const usage =
  'Usage: ./bin/berth reset-password --email you@example.com [--remove-two-factor]\nThe new password is ' +
  'asked for, or read from the standard input. --remove-two-factor is for a lost authenticator app.';

const removal = 'remove-two-factor';

/** Gives the exit code: 0 done, 1 refused, 2 wrong usage. */
export async function runReset(argv: readonly string[], terminal: Conversation): Promise<number> {
  try {
    const { words, flags } = readFlags(argv);
    if (flags.has('help')) {
      terminal.out(`${usage}\n`);
      return 0;
    }
    const email = textOf({ words, flags }, 'email');
    if (
      words.length > 0 ||
      email === undefined ||
      email === 'true' ||
      [...flags.keys()].some((name) => name !== 'email' && name !== removal)
    )
      throw new UsageError(usage);
    const config = hostConfig(terminal.environment);
    const removeTwoFactor = flags.has(removal);
    const { endedSessions } = await reset(config, {
      email,
      removeTwoFactor,
      newPassword: await askNew(terminal),
    });
    terminal.out(
      `The password of ${email} is changed; ${endedSessions} session${endedSessions === 1 ? '' : 's'} ` +
        `ended${removeTwoFactor ? ', and two-factor sign-in is off' : ''}. API keys stay valid: delete ` +
        'those you do not trust.\n',
    );
    return 0;
  } catch (error) {
    if (terminal.signal.aborted) return 130;
    if (!(error instanceof AppError || error instanceof UsageError)) throw error;
    terminal.say(`${error.message}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

async function reset(
  config: Config,
  input: { email: string; newPassword: string; removeTwoFactor: boolean },
): Promise<{ endedSessions: number }> {
  const database = await openPresent(config);
  try {
    const stores = createStores(database);
    return await resetPassword(
      stores.users,
      {
        recordAudit: createAudit(stores.audit, systemClock).record,
        firstOrganization: stores.organizations.first,
      },
      input,
    );
  } finally {
    await database.close();
  }
}

/** The settings that Berth was started with: those that bin/up keeps, else the environment's own. */
function hostConfig(environment: NodeJS.ProcessEnv): Config {
  const data = dataFolder(environment);
  try {
    const kept = keptEnvironment(layoutOf(data));
    const { DATABASE_URL, BERTH_SQLITE_SYNCHRONOUS } = Object.keys(kept).length > 0 ? kept : environment;
    return readConfig({
      BERTH_DATA: data,
      DATABASE_URL: DATABASE_URL || undefined,
      BERTH_SQLITE_SYNCHRONOUS: BERTH_SQLITE_SYNCHRONOUS || undefined,
    });
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && (cause.code === 'EACCES' || cause.code === 'EPERM')))
      throw cause;
    throw new AppError(
      'FORBIDDEN',
      `You may not read Berth's data in ${data}. Run this as root: sudo ./bin/berth reset-password`,
      { cause },
    );
  }
}

/** A person types it twice, since it is not shown. */
async function askNew(terminal: Conversation): Promise<string> {
  const password = await askSecret(terminal, 'New password: ');
  const [issue] = newPasswordField.safeParse(password).error?.issues ?? [];
  if (issue) throw new AppError('BAD_REQUEST', `The new password ${issue.message}. Nothing was changed.`);
  if (terminal.stdin.isTTY && (await askSecret(terminal, 'Once more: ')) !== password)
    throw new AppError('BAD_REQUEST', 'The two passwords differ. Nothing was changed.');
  return password;
}
