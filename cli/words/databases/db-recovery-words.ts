/** `berth db` on the recovery of a PostgreSQL database to a moment. */
import { ago } from '../../look.ts';
import { confirm } from '../../terminal.ts';
import { UsageError } from '../../usage-error.ts';
import type { Context } from '../parts/context.ts';
import { databaseOf, type Database } from '../parts/database-of.ts';
import { destinationOf, identityIn, identityOption } from '../parts/destinations.ts';
import { answerRun, followRun } from '../parts/followed-run.ts';
import { nameOf } from '../parts/services.ts';
import type { Word } from '../parts/word.ts';

async function postgresOf(context: Context): Promise<Database> {
  const service = await databaseOf(context);
  if (service.kind !== 'postgres')
    throw new UsageError(
      `${nameOf(service)} is a ${service.kind} database; only PostgreSQL is recovered so.`,
    );
  return service;
}

const recovery: Word = {
  name: 'db recovery',
  usage: '[service]',
  summary: 'shows which moments of a PostgreSQL database can be restored, or switches that on',
  description:
    'With --to, --keep-days, --schedule, --on or --off it changes the settings first. The first time, the ' +
    'database is restarted once, within a minute. `berth db restore-at` restores a moment.',
  options: {
    to: { value: 'DESTINATION', description: 'stores to this destination, by its name, and switches it on' },
    'keep-days': { value: 'DAYS', description: 'days of which every moment can be restored; 7 at first' },
    schedule: { value: 'CRON', description: "when all files are backed up; '0 3 * * *' at first" },
    on: { description: 'switches it on again' },
    off: { description: 'switches it off; what is stored stays until it is too old' },
  },
  most: 1,
  calls: ['project.all', 'destination.all', 'backup.setRecovery', 'backup.getRecovery'],
  async run(context) {
    const { client } = await context.berth();
    const service = await postgresOf(context);
    const [to, keepDays, schedule] = [
      context.text('to'),
      context.text('keep-days'),
      context.text('schedule'),
    ];
    const enabled = context.is('off') ? false : context.is('on') || to !== undefined ? true : undefined;
    const settings = {
      ...(to !== undefined && { destinationId: await destinationOf(client, to) }),
      ...(keepDays !== undefined && { keepDays: Number(keepDays) }),
      ...(schedule !== undefined && { schedule }),
      ...(enabled !== undefined && { enabled }),
    };
    const shown =
      Object.keys(settings).length > 0
        ? await client.backup.setRecovery({ postgresId: service.id, ...settings })
        : (await client.backup.getRecovery({ postgresId: service.id })).recovery;
    if (!shown)
      throw new UsageError(
        `${nameOf(service)} has no recovery to a moment. Switch it on: ` +
          `\`berth db recovery ${nameOf(service)} --to DESTINATION\`.`,
      );
    const now = context.terminal.now();
    context.answer(shown, () =>
      [
        ...shown.windows.map(({ from, to: end }) => `from ${from} to ${end} (${ago(end, now)})`),
        ...shown.holes.map(({ at, reason }) => `hole at ${at}: ${reason}`),
        ...(shown.windows.length === 0 ? ['No moment can be restored yet.'] : []),
        ...(shown.problem === null ? [] : [shown.problem]),
      ]
        .map((line) => `${line}\n`)
        .join(''),
    );
  },
};

const restoreAt: Word = {
  name: 'db restore-at',
  usage: '[service] MOMENT',
  summary: 'restores a PostgreSQL database as it was at a moment',
  description:
    'The moment is a time with a zone, such as 2026-11-20T14:03:07Z or 2026-11-20T15:03:07+01:00. All ' +
    'databases of the server go back to it; the state before is kept as a volume, and `berth db undo` ' +
    'puts it back.',
  options: { ...identityOption, yes: { short: 'y', description: 'does it without a question' } },
  most: 2,
  calls: ['project.all', 'backup.restoreToMoment', 'backup.runLogs'],
  async run(context) {
    const { client } = await context.berth();
    const service = await postgresOf(context);
    const [, at] = context.args;
    if (at === undefined)
      throw new UsageError(
        'Name the service and the moment: `berth db restore-at shop/db 2026-11-20T14:03:07Z`.',
      );
    await confirm(
      context.terminal,
      `What is in ${nameOf(service)} is replaced by what was there at ${at}.`,
      context.is('yes'),
    );
    const { backupRunId } = await client.backup.restoreToMoment({
      postgresId: service.id,
      at,
      ...(await identityIn(context)),
    });
    const { signal } = context.terminal;
    const outcome = await followRun(context, client.backup.runLogs({ backupRunId }, { signal }));
    return answerRun(
      context,
      { service: nameOf(service), at, outcome },
      {
        done: `Restored ${nameOf(service)} as it was at ${at}.`,
        failed: `Not restored: ${nameOf(service)} has what it had. The lines above say why.`,
      },
    );
  },
};

export const dbRecoveryWords: readonly Word[] = [recovery, restoreAt];
