/**
 * Runs the tests after bin/test has set up dependencies and the build: `node test/run.ts [--long]
 * [--seed N] [project…]`, all projects unless named; `--long` tries the whole of what the ordinary run takes
 * a part of by its seed. The last line is "N passed, N failed" over all projects; the exit code is 0 only if
 * something ran and nothing failed or was left on the machine.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { repositoryRoot } from '../images/build-context.ts';
import { closeStale, openBed } from './bed/bed.ts';
import { bareRoot } from './bed/host/bare-root.ts';
import { goldenData } from './bed/host/golden.ts';
import { memoryFolder } from './bed/layout.ts';
import { installHostPackages } from './bed/host/host-packages.ts';
import { leftovers } from './bed/machine/leftovers.ts';
import { modeOf, modeVariables, parseSeed } from './run/mode.ts';
import { runProject, type ProjectEnd } from './run/project.ts';
import { projects, type Project, type ProjectName } from './run/projects.ts';
import { addCounts, longestFiles, noCounts, type Counts } from './run/report.ts';
import { projectsOfOtherRuns } from './run/rotation.ts';
import { filesLimit, settle, toRepeat } from './run/second-attempt.ts';
import { checkTypes } from './run/types.ts';

type Kind = 'bed' | 'others';

/**
 * Projects that run at once: a lane takes those of its first kind, then those of its second. Those on the
 * bed wait for engines more than they work, and get the processors first: a service that answers late fails
 * a test. The others only work, one at a time at a lower priority in what is left, also while the bed's
 * images are made: two at once starve each other, and are no sooner done. Their lane goes on with the bed
 * when none of them waits any more. One on the bed beside them, and then two, keep two processors busy; more
 * make the run no shorter where starting a program is slow, and tests wait until they fail.
 */
const lanes: readonly (readonly Kind[])[] = [['others', 'bed'], ['bed']];
const niceness: Record<Kind, number> = { bed: 0, others: 5 };

/**
 * The whole run. On two quiet cores it takes half an hour; a busy machine takes up to three times as long,
 * and that is no fault of the tests.
 */
const totalLimitMs = 85 * 60_000;
/**
 * An ordinary run begins no project later than this, so that it ends on a machine that is several times
 * slower; it names those that it leaves out. The long run, and projects that somebody names, wait for none.
 */
const lastBeginMs = 38 * 60_000;
/** The long run does five times the work of those that it makes longer. */
const longFactor = 4;
const limitFactor = (): number => (modeOf().isLong ? longFactor : 1);

/** How many of the longest files the end of a run names. */
const longestTold = 30;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(): Promise<boolean> {
  const chosen = chosenProjects();
  const { names } = chosen;
  const signal = AbortSignal.any([AbortSignal.timeout(totalLimitMs * limitFactor()), interruption()]);
  let counts = noCounts;
  // What tests write for themselves is small and soon gone: in memory it costs a third.
  const scratch = await mkdtemp(join(memoryFolder ?? tmpdir(), 'berth-test-'));
  process.env['TMPDIR'] = scratch;
  try {
    if (names.some((name) => !['modules', 'types'].includes(projects[name].on)))
      await timed('Debian packages', () => installHostPackages(say, signal));
    const done = await runLanes(chosen, signal);
    if (done.leftOut.length > 0)
      say(
        `Left out, since ${lastBeginMs / 60_000} minutes had passed: ${done.leftOut.join(', ')}. ` +
          `bin/test ${done.leftOut.join(' ')} runs them.`,
      );
    const { ends, passedAgain } = await secondAttempts(done.ends, signal);
    counts = ends.reduce<Counts>(addCounts, counts);
    sayAgain(ends, passedAgain);
    for (const reason of done.stopped) throw reason;
    signal.throwIfAborted();
  } catch (error) {
    say(`The run stopped: ${error instanceof Error ? error.message : String(error)}`);
    counts = addCounts(counts, { passed: 0, failed: 1, skipped: 0 });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  counts = addCounts(counts, await lookForLeftovers());
  if (counts.skipped > 0) say(`${counts.skipped} skipped`);
  say(`${counts.passed} passed, ${counts.failed} failed`);
  return counts.failed === 0 && counts.passed > 0;
}

/** What stopped a lane is told when all have ended. */
async function runLanes(
  { names, mayLeaveOut }: Chosen,
  signal: AbortSignal,
): Promise<{ ends: ProjectEnd[]; stopped: unknown[]; leftOut: ProjectName[] }> {
  const began = Date.now();
  const isLate = (): boolean => mayLeaveOut && Date.now() - began > lastBeginMs;
  const waiting: Record<Kind, ProjectName[]> = {
    bed: names.filter(isOnBed),
    others: names.filter((name) => !isOnBed(name)),
  };
  const next = (kind: Kind): ProjectName | undefined =>
    signal.aborted || isLate() ? undefined : waiting[kind].shift();
  const ready: Record<Kind, Promise<void>> = {
    bed: waiting.bed.length > 0 ? prepareBed(signal) : Promise.resolve(),
    others: Promise.resolve(),
  };
  let onBed = 0;
  const runOne = async (kind: Kind, name: ProjectName): Promise<ProjectEnd> => {
    // Once the bed has ended nobody is waited for at a lower priority.
    const isAlone = onBed === 0 && waiting.bed.length === 0;
    if (kind === 'bed') onBed += 1;
    try {
      return await run(name, isAlone ? 0 : niceness[kind], signal);
    } finally {
      if (kind === 'bed') onBed -= 1;
    }
  };
  const ended = await Promise.allSettled(
    lanes.map(async (kinds) => {
      const ends: ProjectEnd[] = [];
      for (const kind of kinds) {
        await ready[kind];
        for (let name = next(kind); name !== undefined; name = next(kind))
          ends.push(await runOne(kind, name));
      }
      return ends;
    }),
  );
  return {
    ends: ended.flatMap((end) => (end.status === 'fulfilled' ? end.value : [])),
    stopped: ended.flatMap((end) => (end.status === 'rejected' ? [end.reason] : [])),
    leftOut: signal.aborted ? [] : [...waiting.bed, ...waiting.others],
  };
}

/** The few files that failed once more, each project's alone, now that nothing else runs. */
async function secondAttempts(
  ends: readonly ProjectEnd[],
  signal: AbortSignal,
): Promise<{ ends: ProjectEnd[]; passedAgain: string[] }> {
  const settled = [...ends];
  const passedAgain: string[] = [];
  const failed = ends.some(({ files }) => files.some((file) => file.failed > 0));
  const repeats = signal.aborted ? [] : toRepeat(ends);
  if (failed && repeats.length === 0)
    say(`More than ${filesLimit} files failed, or the run was stopped: none is run again.`);
  for (const { name, files } of repeats) {
    const at = settled.findIndex((end) => end.name === name);
    const first = settled[at];
    if (first === undefined || !isProject(name)) continue;
    say(`${name}: once more, alone: ${files.join(', ')}`);
    const second = settle(first, await run(name, 0, signal, files));
    settled[at] = second.end;
    passedAgain.push(...second.passedAgain);
  }
  return { ends: settled, passedAgain };
}

function run(
  name: ProjectName,
  adjustment: number,
  signal: AbortSignal,
  files?: readonly string[],
): Promise<ProjectEnd> {
  const order = {
    ...(files === undefined ? {} : { files }),
    name,
    limitMs: projects[name].minutes * 60_000 * limitFactor(),
    niceness: adjustment,
    signal,
    say,
  };
  return name === 'types' ? checkTypes(order) : runProject(order);
}

/** What failed and how each project ended once more, since a long output is often kept by its end only. */
function sayAgain(ends: readonly ProjectEnd[], passedAgain: readonly string[]): void {
  for (const line of passedAgain) say(line);
  for (const failure of ends.flatMap((end) => end.failures)) say(`failed: ${failure}`);
  for (const { line } of ends) say(line);
  say('The longest files:');
  const files = ends.flatMap((end) => end.files);
  for (const line of longestFiles(files, longestTold, repositoryRoot)) say(line);
}

interface Chosen {
  names: readonly ProjectName[];
  /** Whether a slow machine need not run them all. */
  mayLeaveOut: boolean;
}

function chosenProjects(): Chosen {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { long: { type: 'boolean' }, seed: { type: 'string' } },
  });
  if (values.long === true) process.env[modeVariables.long] = '1';
  if (values.seed !== undefined) process.env[modeVariables.seed] = String(parseSeed(values.seed));
  const { isLong, seed } = modeOf();
  // Projects are processes of their own, which choose by the same seed.
  process.env[modeVariables.seed] = String(seed);
  say(`${isLong ? 'The long run' : 'The ordinary run'}, seed ${seed}.`);
  const all = Object.keys(projects).filter(isProject);
  const unknown = positionals.filter((name) => !isProject(name));
  if (unknown.length > 0)
    throw new Error(`No test project is called ${unknown.join(', ')}; there are: ${all.join(', ')}.`);
  const table: Record<ProjectName, Project> = projects;
  if (positionals.length > 0)
    return { names: all.filter((name) => positionals.includes(name)), mayLeaveOut: false };
  const ofOthers = new Set(projectsOfOtherRuns());
  const names = all.filter((name) => !ofOthers.has(name) && (isLong || table[name].isLong !== true));
  return { names, mayLeaveOut: !isLong };
}

function isOnBed(name: ProjectName): boolean {
  const { on } = projects[name];
  return on === 'bed' || on === 'servers';
}

function isProject(name: string): name is ProjectName {
  return Object.hasOwn(projects, name);
}

/** Fills the bed's cache, so that this time is nobody's test's. */
async function prepareBed(signal: AbortSignal): Promise<void> {
  await closeStale(say);
  // One after the other: both are dpkg's work and would only share the processors.
  await timed('images for the bed', () => goldenData({ openBed, signal }));
  await timed('minimal machine for the bed', () => bareRoot('bookworm', signal));
}

async function timed(what: string, action: () => Promise<unknown>): Promise<void> {
  const started = Date.now();
  await action();
  say(`${what}: ${((Date.now() - started) / 1000).toFixed(1)} s`);
}

/**
 * Closes what a stopped project left behind; whatever remains then is a fault of the bed and counts as a
 * failure.
 */
async function lookForLeftovers(): Promise<Counts> {
  await closeStale(say);
  const found = await leftovers();
  for (const line of found) say(`left behind: ${line}`);
  return { passed: 0, failed: found.length === 0 ? 0 : 1, skipped: 0 };
}

function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(name, () => controller.abort(new Error(`interrupted by ${name}`)));
  }
  return controller.signal;
}

process.exitCode = (await main()) ? 0 : 1;
