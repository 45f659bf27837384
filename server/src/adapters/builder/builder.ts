/**
 * Builds images: finds the row of the build type, resolves its paths, runs its commands within their limits
 * and says why they failed.
 */
import { createReadStream } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withImages } from '../../domain/builds/dockerfile.ts';
import type { OwnBuild } from '../../domain/builds/own-build.ts';
import { AppError, badField } from '../../domain/errors.ts';
import { argumentNamePattern } from '../../domain/names/names.ts';
import { createRedactor, redactLines } from '../../domain/secrets/redactor.ts';
import type { Redactor } from '../../domain/secrets/redactor.ts';
import type { BuildEngine, BuildEngines, Delivered } from '../../ports/engine/build-engine.ts';
import type { Builder, BuilderProgram, BuildRequest, LimitedBuild } from '../../ports/engine/builder.ts';
import { command } from '../../shell/command.ts';
import { run } from '../../shell/run.ts';
import { builders } from './builders.ts';
import type { BuilderRow, ChosenType } from './builders.ts';
import { baseImages } from '../build-engine/base-images.ts';
import { CheckoutPath, refuseLinksOut, requireInside } from '../files/checkout-path.ts';
import { chooseBuild } from './choose.ts';
import { buildFailure, outOfMemory } from './failures.ts';
import { newerSyntax } from './newer-syntax.ts';
import { variablesOf } from './own-variables.ts';
import { requireBuildKit, requireProgram } from './preflight.ts';
import { probePrograms } from './programs.ts';
import { engineEnvironment, isDockerSetting, isProgramSetting } from './step.ts';
import type { BuildPlan, BuildStep } from './step.ts';

export interface BuilderOptions {
  /** Absolute path of a docker program with BuildKit. */
  dockerPath: string;
  /** The engines that build, one for each organization. */
  engines: BuildEngines;
  /** Name of the server for sentences, such as "this server". */
  serverName: string;
  /** Image of Caddy 2 that serves static sites, such as caddy:2. */
  staticImage: string;
}

/**
 * `build` throws BAD_REQUEST for a path, name or stage that is none, PRECONDITION_FAILED for a missing
 * program, a failing step, too little memory or disk, SERVICE_UNAVAILABLE when engine or registry do not
 * answer or the limit of time is over, and the signal's reason when aborted. An abort ends the steps in the
 * engine too. The scratch folder is removed afterwards.
 */
export function createBuilder(options: BuilderOptions): Builder {
  const { engines } = options;
  let checked = false;
  return {
    programs: probePrograms,
    getReady: (organizationId, need) => engines.getReady(organizationId, need).catch(() => undefined),
    tidy: (organizations) => engines.tidy(organizations),
    remove: (organizationId) => engines.remove(organizationId),
    build: async (request) => {
      request.signal.throwIfAborted();
      try {
        await buildChosen(await withType(request, options.staticImage));
      } finally {
        await rm(request.scratchDirectory, { recursive: true, force: true });
      }
    },
  };

  async function buildChosen(request: ChosenRequest): Promise<void> {
    const row: BuilderRow = builders[request.buildType];
    const prepared = await planOf(request, row, options);
    if (!checked) {
      await requireBuildKit(options.dockerPath, {
        env: engineEnvironment({ ...prepared, dockerHost: '' }),
        scratch: prepared.scratch,
        serverName: options.serverName,
        signal: request.signal,
      });
      checked = true;
    }
    const { signal, limits, deliverTo } = request;
    const engine = await engines.lend(request.organizationId, { limits, deliverTo, signal });
    try {
      const own = request.own && (await withBases(request.own, engine, request));
      const plan: BuildPlan = { ...prepared, own, dockerHost: `unix://${engine.socket}` };
      if (own) await show(own, request);
      await runSteps(row, request, plan, engine);
      const delivered = await deliverWithin(request, engine);
      if (deliverTo) request.onLine(travelled(delivered, options.serverName, deliverTo.name));
    } finally {
      // What is tidied up after a build holds up nobody.
      void engine.giveBack();
    }
  }
}

/** The build with the base images that can be had here. */
async function withBases(own: OwnBuild, engine: BuildEngine, request: ChosenRequest): Promise<OwnBuild> {
  const images = new Map<string, string>();
  for (const { official, ours } of own.bases) {
    if (ours === undefined) continue;
    const image = await engine.baseFor({ official, ours }, request.signal);
    images.set(official, image);
    if (image !== official)
      request.onLine(
        `No registry has ${official} now, so the build begins from ${ours} of this installation.`,
      );
  }
  return { ...own, dockerfile: withImages(own.dockerfile, images) };
}

/** Puts what Berth wrote into the log, and into the record of the deployment. */
async function show(own: OwnBuild, { onLine, onOwnBuild }: ChosenRequest): Promise<void> {
  for (const line of own.why) onLine(line);
  onLine('The Dockerfile that Berth wrote (`berth eject` puts it into your folder):');
  for (const line of own.dockerfile.trimEnd().split('\n')) onLine(`  ${line}`);
  if (own.watchPaths.length > 0)
    onLine(`Watch paths that suit it (setting watchPaths): ${own.watchPaths.join(', ')}`);
  await onOwnBuild?.(own);
}

/** For the log: what an image cost that was built elsewhere than it runs. */
function travelled({ layers, sent, bytes }: Delivered, from: string, to: string): string {
  const size = bytes < 10_000_000 ? `${(bytes / 1000).toFixed(0)} kB` : `${(bytes / 1e6).toFixed(0)} MB`;
  return `Built on ${from}. Sent ${sent} of ${layers} layers (${size}) to ${to}, which had the others.`;
}

async function runSteps(
  row: BuilderRow,
  request: ChosenRequest,
  plan: BuildPlan,
  engine: BuildEngine,
): Promise<void> {
  const ready = Promise.withResolvers<void>();
  // It never fails, and says nothing of a build that is refused while everything else is made ready.
  const limiting = engine.limiter.begin(
    request.limits,
    (line) => void ready.promise.then(() => request.onLine(line)),
  );
  try {
    await writeFiles(request, row, plan);
    const dockerfile = await dockerfileOf(row, plan);
    await engine.bring(baseImages(dockerfile.text, dockerfile.arguments), request.signal);
    ready.resolve();
    const newer = newerSyntax(dockerfile.text);
    if (newer !== undefined) request.onLine(newer);
    const deadline = performance.now() + request.limitMs;
    const running = { request, plan, engine, limited: await limiting, deadline };
    for (const step of row.steps(plan)) await runStep(step, running);
  } finally {
    const limited = await limiting;
    await limited.end();
  }
}

/** A builder may be anybody's, and one that gives an image never would hold a build slot for ever. */
async function deliverWithin(
  { image: name, labels, signal, limitMs }: ChosenRequest,
  engine: BuildEngine,
): Promise<Delivered> {
  const limit = AbortSignal.timeout(limitMs);
  try {
    return await engine.deliver({ name, labels }, AbortSignal.any([signal, limit]));
  } catch (error) {
    signal.throwIfAborted();
    if (!limit.aborted) throw error;
    throw new AppError(
      'SERVICE_UNAVAILABLE',
      `Handing over the image that was built took longer than ${Math.round(limitMs / 60_000)} minutes and ` +
        'was ended.',
    );
  }
}

/** A build whose steps run. */
interface Running {
  request: ChosenRequest;
  plan: BuildPlan;
  engine: BuildEngine;
  limited: LimitedBuild;
  /** As `performance.now()` counts. */
  deadline: number;
}

/** The Dockerfile that is built, Berth's own or the source's, with the arguments that its FROM may name. */
async function dockerfileOf(
  row: BuilderRow,
  plan: BuildPlan,
): Promise<{ text: string; arguments: Record<string, string> }> {
  const own = row.files(plan)['Dockerfile'];
  if (own !== undefined) return { text: own, arguments: {} };
  const text = plan.dockerfile === undefined ? '' : await beginningOf(plan.dockerfile.path);
  return { text, arguments: plan.buildArguments };
}

/** The first bytes of a file that a repository brought, however large it is. */
async function beginningOf(path: string): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of createReadStream(path, { end: longestDockerfile - 1 })) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8');
}

const longestDockerfile = 1024 * 1024;

type ChosenRequest = Omit<BuildRequest, 'buildType'> & { buildType: ChosenType; own: OwnBuild | undefined };

async function withType(request: BuildRequest, staticImage: string): Promise<ChosenRequest> {
  const { scratchDirectory, signal } = request;
  const programs = (): Promise<BuilderProgram[]> => probePrograms(join(scratchDirectory, 'probe'), signal);
  const { type, own } = await chooseBuild(request, { programs, staticImage });
  return { ...request, buildType: type, own };
}

async function planOf(
  request: ChosenRequest,
  row: BuilderRow,
  options: BuilderOptions,
): Promise<Omit<BuildPlan, 'dockerHost'>> {
  checkNames(request);
  const { scratchDirectory: scratch } = request;
  const paths = await pathsOf(request, row);
  const programs: Record<string, string> = { docker: options.dockerPath };
  if (row.program !== undefined)
    programs[row.program.name] = await requireProgram(row.program, request.buildType, options.serverName);
  return {
    ...paths,
    stage: request.stage === '' ? undefined : request.stage,
    singlePage: request.singlePage,
    image: request.image,
    labels: request.labels,
    buildArguments: request.own ? variablesOf(request) : request.buildArguments,
    secretFiles: Object.fromEntries(
      Object.keys(request.buildSecrets).map((name) => [name, join(scratch, 'secrets', name)]),
    ),
    env: envOf(request, row),
    noCache: request.noCache,
    scratch,
    programs,
    staticImage: options.staticImage,
  };
}

async function pathsOf(
  request: ChosenRequest,
  row: BuilderRow,
): Promise<Pick<BuildPlan, 'directory' | 'context' | 'dockerfile'>> {
  const { sourceDirectory: source, buildType } = request;
  const directory = await requireInside(source, request.buildPath, { field: 'buildPath', kind: 'folder' });
  // These programs read whatever they find (.node-version, Procfile, …), as root on this machine.
  if (row.program !== undefined) await refuseLinksOut(source, 'buildPath');
  if (buildType === 'static')
    return {
      directory,
      context: await requireInside(source, request.publishDirectory ?? '', {
        field: 'publishDirectory',
        kind: 'folder',
        from: directory,
      }),
      dockerfile: undefined,
    };
  if (request.own)
    return {
      directory,
      context: await requireInside(source, request.own.context, { field: 'buildPath', kind: 'folder' }),
      dockerfile: undefined,
    };
  if (buildType !== 'dockerfile') return { directory, context: directory, dockerfile: undefined };
  const context =
    request.contextPath === ''
      ? directory
      : await requireInside(source, request.contextPath, { field: 'containerContextPath', kind: 'folder' });
  const name = request.dockerfile === '' ? 'Dockerfile' : request.dockerfile;
  const field = 'dockerfile';
  const dockerfile = await requireInside(source, name, { field, kind: 'file', from: directory });
  // The docker program reads these too.
  await CheckoutPath.resolve(source, `${dockerfile.shown}.dockerignore`, { field });
  await CheckoutPath.resolve(source, '.dockerignore', { field: 'containerContextPath', from: context });
  return { directory, context, dockerfile };
}

function checkNames(request: Omit<BuildRequest, 'buildType'>): void {
  for (const [field, values] of Object.entries({
    buildArgs: request.buildArguments,
    buildSecrets: request.buildSecrets,
  })) {
    const bad = Object.keys(values).find((name) => !isArgumentName(name));
    if (bad !== undefined)
      throw badField(
        field,
        `"${bad.slice(0, 100)}" is not a valid name for the builder; use letters, digits and "_", and ` +
          'begin with a letter or "_"',
      );
  }
  const taken = Object.keys(request.buildArguments).find(isDockerSetting);
  if (taken !== undefined)
    throw badField(
      'buildArgs',
      `${taken} cannot be a build argument, because the docker program would treat it as one of its own ` +
        'settings; choose another name',
    );
  if (request.stage !== undefined && !/^([A-Za-z0-9][A-Za-z0-9_.-]{0,127})?$/.test(request.stage)) {
    throw badField(
      'containerBuildStage',
      'is not a valid name for a stage; use letters, digits, "_", "." and "-"',
    );
  }
}

/**
 * A variable of the service may have a name that only the service itself understands (a.b-c); the build goes
 * on without it.
 */
function envOf(request: Omit<BuildRequest, 'buildType'>, row: BuilderRow): Record<string, string> {
  if (row.program === undefined) return {};
  const isGiven = (name: string): boolean => isArgumentName(name) && !isProgramSetting(name);
  const left = Object.keys(request.env).filter((name) => !isGiven(name));
  if (left.length > 0)
    request.onLine(
      'Not given to the build, because a builder cannot take such a name or would treat it as one of its ' +
        `own settings: ${left.join(', ').slice(0, 500)}.`,
    );
  return Object.fromEntries(Object.entries(request.env).filter(([name]) => isGiven(name)));
}

function isArgumentName(name: string): boolean {
  return argumentNamePattern.test(name) && name.length <= 200;
}

async function writeFiles(request: ChosenRequest, row: BuilderRow, plan: BuildPlan): Promise<void> {
  await Promise.all(
    ['secrets', 'docker-config', 'empty'].map((folder) =>
      mkdir(join(plan.scratch, folder), { recursive: true, mode: 0o700 }),
    ),
  );
  await writeFile(join(plan.scratch, 'docker-config/config.json'), '{}', { mode: 0o600 });
  for (const [name, text] of Object.entries(row.files(plan)))
    await writeFile(join(plan.scratch, name), text, { mode: 0o600 });
  for (const [name, path] of Object.entries(plan.secretFiles))
    await writeFile(path, request.buildSecrets[name]?.reveal() ?? '', { mode: 0o600 });
}

/** Lines that repeat what is known: BuildKit names each step by its digest too. */
const noise = /^#\d+ sha256:[0-9a-f]{64}$/;

async function runStep(
  step: BuildStep,
  { request, plan, engine, limited, deadline }: Running,
): Promise<void> {
  const redact = redactorOf(request);
  const lines: string[] = [];
  const result = await run(command(step.argv, { cwd: plan.directory.path, env: step.env }), {
    signal: request.signal,
    limitMs: Math.max(1, deadline - performance.now()),
    scratchDirectory: plan.scratch,
    onChild: (child) => {
      engine.prepareDelivery();
      return request.onChild(child);
    },
    onLine: (line) => {
      if (noise.test(line)) return;
      const safe = redact(line);
      lines.push(safe);
      if (lines.length > 500) lines.shift();
      request.onLine(safe);
    },
  });
  if (result.ended === 'aborted') request.signal.throwIfAborted();
  if (result.ended === 'limit')
    throw new AppError(
      'SERVICE_UNAVAILABLE',
      `The build took longer than ${Math.round(request.limitMs / 60_000)} minutes and was ended.`,
    );
  if (result.ended === 'output')
    throw new AppError('PRECONDITION_FAILED', 'The build printed more than 256 MiB and was ended.');
  const ranOut = await limited.ranOutOfMemory();
  if (result.exitCode !== 0 && step.mayFail !== true)
    throw ranOut ? outOfMemory(lines, request.limits.memoryBytes) : buildFailure(lines, result.exitCode);
  if (ranOut)
    request.onLine(
      'A process of the build was killed for using too much memory, but the build went on without it.',
    );
}

function redactorOf(request: ChosenRequest): Redactor {
  return redactLines(createRedactor(Object.values(request.buildSecrets)));
}
