/** `bin/down --purge`: says what belongs to this installation, asks for its name, and removes it. */
import { existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AppError } from '../../server/src/domain/errors.ts';
import type { SetupContext, Step } from '../context.ts';
import { berthStep, engineStep } from '../down-steps.ts';
import { startEngine } from '../engine/start-engine.ts';
import { readMade, type Made } from '../made.ts';
import { waitUntil } from '../process/wait-until.ts';
import { runCommand } from '../process/run-command.ts';
import { runSteps } from '../run-steps.ts';
import { removeUnit, systemdRuns, unitFile } from '../starters/systemd.ts';
import { openPortsStep } from '../steps/open-ports.ts';
import {
  engineKinds,
  purgedEngine,
  type EngineKind,
  type EngineObject,
  type PurgedEngine,
} from './engine-objects.ts';
import { confirmByName, installationName } from './question.ts';

interface Purge {
  context: SetupContext;
  /** Undefined where the machine has none. */
  engine: PurgedEngine | undefined;
  made: Made;
  objects: readonly EngineObject[];
}

/** `isSure`: the name is not asked for. */
export async function purge(context: SetupContext, isSure: boolean): Promise<void> {
  const { layout } = context;
  if (contentOf(layout.data).length === 0 && !existsSync(unitFile))
    throw new AppError('NOT_FOUND', `There is no Berth in ${layout.data}: nothing to remove.`);
  const engine = await reachableEngine(context);
  const made = readMade(layout);
  const objects = (await engine?.objects(made.images)) ?? [];
  const plan = { context, engine, made, objects };
  console.log(inventory(plan));
  if (!isSure) await confirmByName(installationName(context.settings));
  console.log('');
  const kept: string[] = [];
  await runSteps(purgeSteps(plan, kept), context);
  console.log(`\n${ending(plan, kept)}`);
}

/** An engine that `bin/down` stopped is started again: only it can remove what lies on it. */
async function reachableEngine(context: SetupContext): Promise<PurgedEngine | undefined> {
  const { settings, signal } = context;
  const engine = purgedEngine(settings.engineSocket, context.layout.data, signal);
  if (await context.engine.answers(10_000)) return engine;
  if (!existsSync('/usr/sbin/dockerd') && !existsSync('/usr/bin/dockerd')) return undefined;
  console.log('The container engine does not run. It is started, since only it can remove what lies on it.');
  if (systemdRuns()) await runCommand(['systemctl', 'start', 'docker.service'], { signal, limitMs: 120_000 });
  else await startEngine(context);
  if (
    await waitUntil(async () => ((await context.engine.answers(2000)) ? true : undefined), {
      limitMs: 30_000,
      signal,
    })
  )
    return engine;
  throw new AppError(
    'PRECONDITION_FAILED',
    `The container engine at ${settings.engineSocket} does not answer, so nothing was removed. Start it, ` +
      'and run the command again.',
  );
}

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
/** Held by bin/down while it runs (bin/lib/machine.sh). */
const setupLock = '/run/berth-setup.lock';
/** So many names of a kind are printed. */
const mostNames = 8;

function inventory({ context: { layout, settings }, made, objects }: Purge): string {
  const lines = engineKinds.flatMap((kind) => {
    const names = objects.filter((one) => one.kind === kind).map(({ name }) => name);
    if (names.length === 0) return [];
    const more = names.length > mostNames ? `, and ${names.length - mostNames} more` : '';
    return [`${plural(names.length, kind)}: ${names.slice(0, mostNames).join(', ')}${more}`];
  });
  const files = made.files.filter((file) => existsSync(file));
  return [
    `This removes Berth (${installationName(settings)}) from this machine, and cannot be undone:`,
    `  - ${layout.data}: ${settings.databaseUrl === undefined ? 'the database, ' : ''}keys, logs, releases`,
    ...lines.map((line) => `  - ${line}`),
    ...(made.swarm ? ['  - the swarm that bin/up created, unless others use it'] : []),
    ...(existsSync(unitFile) ? [`  - ${unitFile}`] : []),
    ...files.map((file) => `  - ${file}, which bin/up wrote`),
    "  - Berth's rules in the packet filter",
    'The data of every database and volume above is lost. What stays:',
    ...remains(settings.databaseUrl !== undefined, made).map((line) => `  - ${line}`),
  ].join('\n');
}

function remains(isElsewhere: boolean, made: Made): string[] {
  return [
    made.packages.length === 0
      ? "Debian's packages"
      : `the packages that bin/up installed: ${made.packages.join(', ')}`,
    'everything else on the container engine, images that your services took from registries, this checkout',
    'backups in S3 and in folders outside of the data folder',
    'what Berth runs on other servers: to end it, remove the services and the servers in Berth first',
    ...(isElsewhere ? ['the database that DATABASE_URL names'] : []),
  ];
}

/** `kept` takes a sentence for each object that could not be removed. */
function purgeSteps(plan: Purge, kept: string[]): Step[] {
  const { engine } = plan;
  const onEngine =
    engine === undefined
      ? []
      : [
          ...engineKinds.map((kind) => kindStep(plan, engine, kind, kept)),
          cacheStep(plan, engine),
          swarmStep(plan, engine),
        ];
  return [berthStep, unitStep, ...onEngine, openPortsStep, endEngineStep(engine), filesStep(plan)];
}

const unitStep: Step = {
  title: 'Unit of systemd',
  applies: () => existsSync(unitFile),
  async run(context) {
    await removeUnit(context);
    return `${unitFile} removed`;
  },
};

/** A container that ends, or a network that empties, may hold the next thing for a moment. */
const limitMs: Record<EngineKind, number> = {
  service: 30_000,
  container: 60_000,
  config: 30_000,
  secret: 30_000,
  network: 60_000,
  volume: 60_000,
  image: 10_000,
};

function kindStep({ made }: Purge, engine: PurgedEngine, kind: EngineKind, kept: string[]): Step {
  return {
    title: `${kind.slice(0, 1).toUpperCase()}${kind.slice(1)}s`,
    async run({ signal }) {
      const seen = new Set<string>();
      let refused = new Map<string, string>();
      await waitUntil(
        async () => {
          const present = (await engine.objects(made.images)).filter((one) => one.kind === kind);
          refused = new Map();
          for (const one of present) {
            seen.add(one.name);
            const reason = await engine.remove(one);
            if (reason !== undefined) refused.set(one.name, reason);
          }
          return refused.size === 0 ? true : undefined;
        },
        { limitMs: limitMs[kind], everyMs: 1000, signal },
      );
      kept.push(...[...refused].map(([name, reason]) => `the ${kind} ${name}: ${reason}`));
      return seen.size === 0 ? 'none there' : `${seen.size - refused.size} removed`;
    },
  };
}

/** The swarm goes where bin/up created it and nothing else is in it. */
function swarmStep({ made }: Purge, engine: PurgedEngine): Step {
  return {
    title: 'Swarm',
    async run({ engine: asked }) {
      if ((await asked.info()).Swarm.LocalNodeState === 'inactive') return 'there is none';
      if (!made.swarm) return 'stays: it was there before Berth';
      if (await engine.isSwarmShared()) return 'stays: it has services or nodes that are not of Berth';
      await engine.leaveSwarm();
      return 'removed';
    },
  };
}

/** The engine does not say whose a cached step is, so the cache goes only where Berth alone has built. */
function cacheStep({ made }: Purge, engine: PurgedEngine): Step {
  return {
    title: 'Cache of builds',
    async run() {
      if ((await engine.otherContainers()) + (await engine.otherImages(made.images)) > 0)
        return 'stays: this engine has images that are not of Berth ("docker builder prune" removes it)';
      await engine.pruneBuilds();
      return 'removed';
    },
  };
}

/** An engine that bin/up started goes on where it runs containers of others. */
function endEngineStep(engine: PurgedEngine | undefined): Step {
  return {
    title: engineStep.title,
    async run(context) {
      const others = (await engine?.otherContainers()) ?? 0;
      if (others > 0) return `keeps running, for ${plural(others, 'other container')}`;
      return engineStep.run(context);
    },
  };
}

function filesStep({ made }: Purge): Step {
  return {
    title: 'Folders and files',
    run: async ({ layout: { data } }) => {
      const files = made.files.filter((file) => existsSync(file));
      for (const path of [...files, setupLock]) rmSync(path, { force: true });
      for (const folder of new Set(files.map(dirname))) removeEmpty(folder);
      for (const name of contentOf(data)) rmSync(join(data, name), { recursive: true, force: true });
      const stays = existsSync(data) && !removeEmpty(data);
      const removed = [...files, ...(stays ? [] : [data])];
      return (
        (removed.length === 0 ? '' : `${removed.join(', ')} removed`) +
        (stays ? `${removed.length === 0 ? '' : '; '}${data} is empty, and stays: it is a mount point` : '')
      );
    },
  };
}

const contentOf = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);

/** Returns whether it has gone: a folder with something in it and a mount point stay. */
function removeEmpty(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (['ENOTEMPTY', 'EEXIST', 'EBUSY'].includes(code)) return false;
    throw error;
  }
}

function ending({ made }: Purge, kept: readonly string[]): string {
  const packages = made.packages.join(' ');
  return [
    ...(kept.length === 0
      ? ['Berth is removed from this machine.']
      : ['Berth is removed from this machine, but for:', ...kept.map((line) => `  - ${line}`)]),
    ...(packages === ''
      ? []
      : [`Packages that bin/up installed stay; to remove them: apt-get purge --autoremove ${packages}`]),
  ].join('\n');
}
