import { isDeepStrictEqual } from 'node:util';
import { askNextStart } from '../settings/ask-next-start.ts';
import { AppError } from '../../server/src/domain/errors.ts';
import type { SetupContext, Step } from '../context.ts';
import { parseEnvironment } from '../settings/environment-file.ts';
import { healthyVersion } from '../machine/health.ts';
import { environmentOf } from '../process/process-identity.ts';
import { readText, writePrivate } from '../record.ts';
import { buildId } from '../release/build-id.ts';
import { pruneReleases } from '../release/prune-releases.ts';
import { restoreDatabase } from '../restore/restore-database.ts';
import { berthEnvironment, readSettings } from '../settings/settings.ts';
import { startBerth } from '../process/start-berth.ts';
import { tellUnapproved } from '../unapproved.ts';
import { backupOfUpgrade, beginUpgrade, endUpgrade } from '../upgrade-journal.ts';

const keptReleases = 3;

/**
 * Starts this build with these settings; when it does not answer health, the Berth that last did is put back.
 */
export const startStep: Step = {
  title: 'Berth',
  async run(context) {
    const wanted = berthEnvironment(context.settings, context.layout.data, buildId(context.product));
    const running = await context.starter.running(context);
    const { adopt, giveUp } = context.flags;
    const isAsked = adopt === true || giveUp !== undefined;
    if (isAsked)
      askNextStart(context.layout.data, {
        ...(adopt === true ? { adopt } : {}),
        ...(giveUp === undefined ? {} : { giveUp }),
      });
    if (!isAsked && running !== undefined && startedWith(running.pid, wanted)) {
      const version = await healthyVersion(context.settings, 5000);
      if (version !== undefined) {
        settle(context);
        tellUnapproved(context);
        return `runs and answers, version ${version}, ${build(wanted)} (process ${running.pid})`;
      }
      context.say('Berth runs but does not answer; it is started again');
    }
    return replaceBerth(context, wanted, running !== undefined);
  },
};

async function replaceBerth(
  context: SetupContext,
  wanted: Record<string, string>,
  runs: boolean,
): Promise<string> {
  const { layout, starter } = context;
  const healthy = parseEnvironment(readText(layout.healthyEnvironment) ?? '');
  if (runs) {
    context.say(
      'stops the running ' +
        `Berth${build(healthy) === build(wanted) ? '' : ` (${build(healthy)}) for ${build(wanted)}`}`,
    );
    await starter.stop(context, { stayDown: false });
  }
  beginUpgrade(layout);
  const started = await startBerth(context, wanted);
  if ('fault' in started) return goBack(context, wanted, healthy, started);
  settle(context);
  tellUnapproved(context);
  pruneReleases(layout.releases, { keep: keptReleases, always: [build(wanted), build(healthy)] });
  const what =
    healthy['BERTH_BUILD'] === undefined || build(healthy) === build(wanted)
      ? 'started'
      : `upgraded from ${build(healthy)}`;
  return `${what}; version ${started.version}, ${build(wanted)}, answers. ${starter.sentence}`;
}

/** This Berth answered: it is from now on what an upgrade goes back to. */
function settle({ layout }: SetupContext): void {
  const environment = readText(layout.environment) ?? '';
  if (readText(layout.healthyEnvironment) !== environment)
    writePrivate(layout.healthyEnvironment, environment);
  endUpgrade(layout);
}

/** Always throws: with the old Berth running again where there is one, and its database as it was. */
async function goBack(
  context: SetupContext,
  wanted: Record<string, string>,
  healthy: Record<string, string>,
  failed: { fault: string; lastLines: string },
): Promise<never> {
  const { layout, starter } = context;
  await starter.stop(context, { stayDown: true });
  const fault = `Berth ${build(wanted)} was started, but ${failed.fault}.`;
  const story = `${fault} Its last lines:\n${failed.lastLines}\n`;
  if (healthy['BERTH_BUILD'] === undefined || isDeepStrictEqual(wanted, healthy)) {
    throw new AppError(
      'PRECONDITION_FAILED',
      `${story}It was stopped. Fix what these lines name, then run the command again.`,
    );
  }
  const backup = backupOfUpgrade(layout);
  if (backup !== undefined) {
    context.say(`puts the database back from ${backup}`);
    await restoreDatabase(context, backup);
  }
  context.say(`starts the Berth that last answered (${build(healthy)})`);
  const oldSettings = { ...readSettings({}, healthy), healthLimitMs: context.settings.healthLimitMs };
  const again = await startBerth({ ...context, settings: oldSettings }, healthy);
  if ('fault' in again) {
    throw new AppError(
      'PRECONDITION_FAILED',
      `${story}The version before it (${build(healthy)}) was put back, but ${again.fault} either. Its ` +
        `last lines:\n${again.lastLines}`,
    );
  }
  endUpgrade(layout);
  pruneReleases(layout.releases, { keep: keptReleases, always: [build(healthy)] });
  const database =
    backup === undefined ? 'the database had not been changed' : `the database was put back from ${backup}`;
  throw new AppError(
    'PRECONDITION_FAILED',
    `${story}The version before it (${build(healthy)}) runs and answers again; ${database}.`,
  );
}

/** Whether the process was started with just these variables, the release's name among them. */
function startedWith(pid: number, wanted: Readonly<Record<string, string>>): boolean {
  const environment = environmentOf(pid);
  if (environment === undefined) return false;
  return (
    Object.entries(wanted).every(([name, value]) => environment[name] === value) &&
    !Object.keys(environment).some((name) => isOurs(name) && !(name in wanted))
  );
}

function isOurs(name: string): boolean {
  return name.startsWith('BERTH_') || name === 'DATABASE_URL';
}

function build(environment: Readonly<Record<string, string>>): string {
  return environment['BERTH_BUILD'] ?? 'none';
}
