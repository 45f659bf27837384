/** `berth plan`, `apply` and `export`: a project as a file. */
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { BerthError } from '../../client/berth-error.ts';
import { databaseKindNames } from '../../server/src/domain/database-kind.ts';
import { sentenceOf } from '../../server/src/domain/errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { printable } from '../output/printable.ts';
import { sentence } from '../output/wrap.ts';
import { confirm, exists, isPersonThere, readText } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';
import type { Caller } from '../file/caller.ts';
import type { ToDeploy } from '../file/deploying.ts';
import type { WholePlan } from '../file/plan.ts';
import type { WholeFile } from '../file/read-file.ts';
import type { Step } from '../file/steps.ts';
import type { Context } from './parts/context.ts';
import { linkOf, scopeOf } from '../folder-links.ts';
import type { OfFile } from '../file/meant-service.ts';
import type { Options, ProcedureName, Word } from './parts/word.ts';

const usualNames = ['berth.yml', 'berth.yaml'];
const fileOption: Options = {
  file: { short: 'f', value: 'PATH', description: 'this file instead of berth.yml; - is standard input' },
  prune: { description: 'removes services and environments of the project that are not in the file' },
};

const pendingOption: Options = {
  pending: { description: 'also deploys services that were changed before and are not in effect yet' },
};

const backupReads: readonly ProcedureName[] = ['server.all', 'destination.all', 'registry.all'];
const reads: readonly ProcedureName[] = [
  ...(['project.all', 'project.one', 'application.one', 'compose.one', 'redirect.byApplicationId'] as const),
  ...databaseKindNames.map((kind): ProcedureName => `${kind}.one`),
  ...backupReads,
  ...(['sshKey.all', 'gitProvider.all', 'schedule.all', 'backup.getRecovery'] as const),
];
const writes: readonly ProcedureName[] = [
  ...(['project.create', 'project.update', 'environment.create', 'environment.update'] as const),
  ...(['environment.remove', 'application.scale', 'application.delete', 'compose.delete'] as const),
  ...(['application', 'compose', ...databaseKindNames] as const).flatMap((kind): ProcedureName[] => [
    `${kind}.create`,
    `${kind}.update`,
    `${kind}.saveEnvironment`,
    `${kind}.deploy`,
  ]),
  ...databaseKindNames.map((kind): ProcedureName => `${kind}.remove`),
  ...(['domain', 'port', 'redirect'] as const).flatMap((router): ProcedureName[] => [
    `${router}.create`,
    `${router}.update`,
    `${router}.delete`,
  ]),
  ...(['mount', 'backup', 'schedule'] as const).flatMap((router): ProcedureName[] => [
    `${router}.create`,
    `${router}.update`,
    `${router}.remove`,
  ]),
  ...(['backup.setRecovery', 'deployment.logs', 'deployment.one'] as const),
];

/** What applying a file may call. */
export const fileCalls: readonly ProcedureName[] = [...reads, ...writes];

interface Planned {
  caller: Caller;
  file: WholeFile;
  plan: WholePlan;
  /** Services that the steps change, or that never ran; with --pending all that run otherwise than saved. */
  due: ToDeploy[];
  /** Those that were changed before, which only --pending deploys. */
  left: ToDeploy[];
  notes: string[];
}

/** Loaded when it is asked for: the other words begin without the schemas. */
async function planned(context: Context, folder?: string): Promise<Planned> {
  const [{ parseBerthFile }, { planFile }, { callerOf }, { toDeploy }] = await Promise.all([
    import('../file/read-file.ts'),
    import('../file/plan.ts'),
    import('../file/caller.ts'),
    import('../file/deploying.ts'),
  ]);
  const { path, text } = await fileText(context, folder);
  const file = parseBerthFile(text, path);
  const { connection } = await context.berth();
  const caller = callerOf(connection, context.terminal.signal);
  const plan = await planFile(caller, file, { prune: context.is('prune') });
  const { due: all, notes } = await toDeploy(caller, file, plan);
  const isDue = (one: ToDeploy): boolean =>
    context.is('pending') || !one.service.run.isReleased || isTouched(plan, one);
  const left = all.filter((one) => !isDue(one));
  const told = left.map(({ what, reason }) => `${what} is ${reason}. \`berth apply --pending\` deploys it.`);
  return { caller, file, plan, due: all.filter(isDue), left, notes: [...plan.notes, ...notes, ...told] };
}

/** Whether a step changes the service, or what its project or environment gives to all of theirs. */
const isTouched = ({ steps }: WholePlan, { what }: Pick<ToDeploy, 'what'>): boolean =>
  steps.some((step) => step.what === what || (/^(project|environment) /.test(step.what) && isShared(step)));

const isShared = ({ cause }: Step): boolean => cause === 'new release';

async function fileText(
  context: Context,
  folder = context.terminal.folder,
): Promise<{ path: string; text: string }> {
  const { terminal } = context;
  const given = context.text('file');
  if (given !== undefined)
    return {
      path: given,
      text: await readText(terminal, given === '-' ? given : resolve(terminal.folder, given)),
    };
  const path = await fileIn(folder);
  if (path !== undefined) return { path, text: await readText(terminal, join(folder, path)) };
  throw new UsageError(
    'There is no berth.yml here. `berth export PROJECT > berth.yml` writes one of what runs; --file names ' +
      'another.',
  );
}

/** Name of the folder's file; undefined without one. */
async function fileIn(folder: string): Promise<string | undefined> {
  for (const name of usualNames) if (await exists(join(folder, name))) return name;
  return undefined;
}

const signs = { create: '+', change: '~', remove: '-' } as const;
const colors = { create: 'green', change: 'yellow', remove: 'red' } as const;

/** Under one head with the step before where both are about the same thing. */
function shownStep({ look }: Context, { action, what, changes, cause }: Step, before?: Step): string {
  const isSame = before?.what === what && before.action === action && before.cause !== 'data loss';
  const head = look(colors[action], printable(`${signs[action]} ${what}`));
  const lines = changes.map(({ field, from, to, note, cause: one }) => {
    const values = to === undefined ? '' : from === undefined ? `: ${to}` : `: ${from} → ${to}`;
    const why = [note, action === 'create' ? undefined : causeText(one)].filter((part) => part !== undefined);
    return `    ${printable(`${field}${values}${why.length === 0 ? '' : ` (${why.join('; ')})`}`)}\n`;
  });
  const warning = cause === 'data loss' ? ` ${look('red', '[data loss]')}` : '';
  return `${isSame && warning === '' ? '' : `${head}${warning}\n`}${lines.join('')}`;
}

function causeText(cause: Step['cause']): string {
  return cause === 'nothing' ? 'at once' : cause;
}

function shownPlan(context: Context, { plan, due, notes }: Planned): string {
  const { look } = context;
  const steps = plan.steps.map((step, index) => shownStep(context, step, plan.steps[index - 1]));
  const changing = new Set(
    plan.steps.flatMap(({ what, cause, action }) =>
      action === 'create' || cause === 'restart' || cause === 'new release' ? [what] : [],
    ),
  );
  const deploys = due
    .filter(({ what }) => !changing.has(what))
    .map(
      ({ what, reason }) =>
        `${look('yellow', sentence(`> ${what} is deployed: ${reason}`, context.terminal))}\n`,
    );
  const told = [
    ...plan.problems.map((problem) => `${look('red', sentence(`! ${problem}`, context.terminal))}\n`),
    ...notes.map((note) => `${look('dim', sentence(`· ${note}`, context.terminal))}\n`),
  ];
  const body = [...steps, ...deploys];
  const count = plan.steps.length + deploys.length;
  const end = count === 0 ? 'Nothing differs.\n' : `${count} ${count === 1 ? 'step' : 'steps'}.\n`;
  return [...body, ...told, end].join('');
}

function planAnswer({ plan, due, notes }: Planned): unknown {
  return {
    steps: plan.steps.map(({ action, what, changes, cause }) => ({ action, what, cause, changes })),
    deploys: due.map(({ what, reason }) => ({ what, reason })),
    problems: plan.problems,
    notes,
  };
}

const isEmpty = ({ plan, due }: Pick<Planned, 'plan' | 'due'>): boolean =>
  plan.steps.length === 0 && due.length === 0;

const plan: Word = {
  name: 'plan',
  usage: '',
  summary: 'shows how berth.yml differs from what runs, and what applying it does',
  description:
    'Lists the differences field by field, with what each change causes: nothing (it takes effect at ' +
    'once), a restart, a new release, or data loss. It also shows what was changed in Berth since, and ' +
    'what exists there but not in the file. Nothing is changed.',
  options: { ...fileOption, ...pendingOption, check: { description: 'ends with 1 when something differs' } },
  most: 0,
  calls: reads,
  async run(context) {
    const all = await planned(context);
    context.answer(planAnswer(all), () => shownPlan(context, all));
    if (all.plan.problems.length > 0) return exitCodes.refused;
    const differs = !isEmpty(all) || all.left.length > 0;
    return context.is('check') && differs ? exitCodes.refused : exitCodes.done;
  },
};

const apply: Word = {
  name: 'apply',
  usage: '',
  summary: 'applies berth.yml',
  description:
    'Makes the changes that `berth plan` shows, in the right order, and deploys the services whose ' +
    'settings it changed, databases first. Without a terminal it needs --yes. If it is interrupted or ' +
    'something is refused, it reports what is done, and the next `berth apply --pending` does the rest.',
  options: {
    ...fileOption,
    ...pendingOption,
    yes: { description: 'does not ask' },
    'allow-data-loss': { description: 'also makes changes that lose data' },
    'no-deploy': { description: 'saves only' },
  },
  most: 0,
  calls: fileCalls,
  async run(context) {
    const all = await planned(context);
    const { plan: whole } = all;
    if (!context.isJson || whole.problems.length > 0) context.terminal.say(shownPlan(context, all));
    if (whole.problems.length > 0) return exitCodes.refused;
    refuseLoss(context, whole);
    if (isEmpty(all)) {
      context.answer({ done: [], deployed: [] }, () => '');
      return exitCodes.done;
    }
    await confirm(context.terminal, 'This is what will be done.', context.is('yes'));
    const outcome = await doAll(context, all);
    context.answer({ done: outcome.done, deployed: outcome.deployed }, () => '');
    return outcome.code;
  },
};

function refuseLoss(context: Context, { steps }: WholePlan): void {
  const losing = steps.filter(({ cause }) => cause === 'data loss');
  if (losing.length === 0 || context.is('allow-data-loss')) return;
  throw new UsageError(
    `Data would be lost: ${losing.map(({ what }) => what).join(', ')}. Nothing was done. \`berth apply ` +
      '--allow-data-loss` does it anyway.',
  );
}

interface AllDone {
  done: string[];
  deployed: string[];
  code: number;
}

/** All steps, then the deployments that are due, but that of a service which the caller deploys itself. */
async function doAll(
  context: Context,
  { caller, file, plan: whole, left }: Planned,
  except?: OfFile,
): Promise<AllDone> {
  const done: string[] = [];
  const deployed: string[] = [];
  for (const [index, step] of whole.steps.entries()) {
    try {
      await step.run();
    } catch (error) {
      const rest = whole.steps.slice(index).map(({ what }) => what);
      context.say(
        `${done.length} of ${whole.steps.length} steps are done. Left: ${[...new Set(rest)].join(', ')}. ` +
          'Run `berth apply --pending` for the rest.',
      );
      throw prefixed(error, step.what);
    }
    done.push(step.what);
    const fields = step.action === 'change' ? `: ${step.changes.map(({ field }) => field).join(', ')}` : '';
    context.say(`✓ ${step.what}${fields}`, 'green');
  }
  if (context.is('no-deploy')) return { done, deployed, code: exitCodes.done };
  const { toDeploy, deployOne } = await import('../file/deploying.ts');
  const { client } = await context.berth();
  const untouched = new Set(left.map(({ what }) => what));
  for (const one of (await toDeploy(caller, file, whole)).due) {
    if (untouched.has(one.what)) continue;
    if (one.environment === except?.environment && one.key === except.key) continue;
    context.say(`Deploying ${one.what} …`);
    const { isGood, errorMessage } = await deployOne(caller, one, {
      names: whole.names,
      async wait(deploymentId) {
        for await (const event of client.deployment.logs(
          { deploymentId },
          { signal: context.terminal.signal },
        ))
          void event;
      },
    });
    if (!isGood) {
      context.say(`✗ ${one.what}: ${errorMessage ?? ''}`, 'red');
      context.say('What is saved stays; `berth apply --pending` deploys it and the rest.');
      return { done, deployed, code: exitCodes.refused };
    }
    deployed.push(one.what);
    context.say(`✓ ${one.what} runs`, 'green');
  }
  return { done, deployed, code: exitCodes.done };
}

/**
 * What `berth deploy` does first in a folder with a berth.yml: all that the file says, and the deployments
 * that are due but the one of the service that is meant, which it gives. A number is the exit code of a file
 * that could not be applied; undefined: no file, or a name that is none of its services.
 */
export async function applyFirst(context: Context, folder: string): Promise<OfFile | number | undefined> {
  if ((await fileIn(folder)) === undefined) return undefined;
  const [all, { connection }, { meantService }] = await Promise.all([
    planned(context, folder),
    context.berth(),
    import('../file/meant-service.ts'),
  ]);
  const link = await linkOf({ environment: context.terminal.environment, folder }, connection.url);
  const meant = meantService(all.file, { written: context.args[0], linked: link?.name, folder });
  if (!meant) {
    context.say(`berth.yml has no service ${context.args[0] ?? ''}; it is not applied.`);
    return undefined;
  }
  if (all.plan.problems.length > 0) {
    context.terminal.say(shownPlan(context, all));
    return exitCodes.refused;
  }
  refuseLoss(context, all.plan);
  if (all.plan.steps.length > 0) {
    context.terminal.say(shownPlan(context, all));
    if (isPersonThere(context.terminal))
      await confirm(context.terminal, 'This is what will be done.', context.is('yes'));
  }
  const { code } = await doAll(context, all, meant);
  return code === exitCodes.done ? meant : code;
}

/** The refusal with the step before it. */
function prefixed(error: unknown, what: string): unknown {
  if (!(error instanceof BerthError)) return error;
  const { code, message, issues, httpStatus } = error;
  return new BerthError(code, `${what}: ${message}`, { cause: error, issues, httpStatus });
}

const exportWord: Word = {
  name: 'export',
  usage: '[project]',
  summary: 'writes a project as berth.yml',
  description:
    'Secrets are listed by name only. Settings at their defaults are left out; --all writes them too. A ' +
    'service that is not running is written with `deploy: false`.',
  options: {
    all: { description: 'every setting, and the names on the network' },
    output: { short: 'o', value: 'PATH', description: 'into this file' },
  },
  most: 1,
  calls: reads,
  async run(context) {
    const [{ readInstalled }, { exportFile }, { callerOf }] = await Promise.all([
      import('../file/installed.ts'),
      import('../file/export.ts'),
      import('../file/caller.ts'),
    ]);
    const { connection } = await context.berth();
    const scope = await scopeOf(context.terminal, connection.url);
    const project = context.args[0] ?? scope?.split('/')[0];
    if (project === undefined) throw new UsageError('Which project? `berth projects` lists them.');
    const installed = await readInstalled(callerOf(connection, context.terminal.signal), project);
    if (!installed)
      throw new UsageError(
        `There is no project ${project}, or you have no access to it. \`berth projects\` lists them.`,
      );
    const schema = `${connection.url.replace(/\/+$/, '')}/api/berth-file.schema.json`;
    const { text, notes } = exportFile(installed, schema, context.is('all'));
    for (const note of notes) context.say(note);
    const path = context.text('output');
    // YAML in a pipe, too: it is what it is asked for.
    if (path === undefined) context.terminal.out(text);
    else {
      await writeFile(resolve(context.terminal.folder, path), text).catch((cause: unknown) => {
        throw new UsageError(`${path} cannot be written. ${sentenceOf(cause)}`, { cause });
      });
      context.say(`Wrote ${path}.`);
    }
  },
};

export const fileWords: readonly Word[] = [plan, apply, exportWord];
