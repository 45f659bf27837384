/** The two sides that a file of the corpus lives on: real docker compose on an engine, and a Berth. */
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Bed } from '../../bed/bed.ts';
import type { BedHost } from '../../bed/host/host.ts';
import { configShape, work, type Config, type Living } from '../../compose/lived/living.ts';
import { answers, watchContainers, type Lived, type Watch } from '../../compose/lived/observe.ts';
import { applicationFixture, deploymentEnded, docker, output, until } from '../fixtures/applications.ts';
import type { DeploymentView } from '../fixtures/berth-host.ts';
import { berthAt } from '../fixtures/placed-berth.ts';
import { createRepository } from '../fixtures/repository.ts';

export interface Outcome extends Lived {
  /** Those of the wanted ports that answer. */
  ports: number[];
  /** Services that came back after a failure. */
  back: string[];
  notes: string[];
}

export interface Side {
  /** What becomes of the file; a text where it is not deployed. */
  live(project: string, living: Living, around: Around): Promise<Outcome | string>;
  end(): Promise<void>;
}

export interface Around {
  /** Whether its services are ended as a failure would end them. */
  fails: boolean;
  /** Of the other side: the services that came back there, which are waited for here. */
  back?: Promise<readonly string[]>;
}

/** Longer than what starts a container again: that none is started is no event to be waited for. */
const settleMs = 4000;
const limitMs = 150_000;

/** Programs that checks of the corpus ask, which here are content with everything. */
const checkers = 'curl wget pg_isready redis-cli healthcheck.sh ss a b c old new';

/** Makes the image of the reporter, from which each side has it. */
export async function buildReporter(host: BedHost, image: string): Promise<void> {
  const folder = host.path('/srv/report');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'content'), '#!/bin/sh\necho ok LISTEN x:smtp\n', { mode: 0o755 });
  await writeFile(
    join(folder, 'Dockerfile'),
    'FROM berth/node:24\nCOPY report.cjs /\nCOPY content /usr/local/bin/content\n' +
      `RUN for name in ${checkers}; do ln -s content "/usr/local/bin/$name"; done\n` +
      'USER root\nWORKDIR /\nENTRYPOINT ["node", "/report.cjs"]\n',
  );
  const source = join(import.meta.dirname, '../../compose/lived/report.cjs');
  await copyFile(source, join(folder, 'report.cjs'));
  await output(host, docker, 'build', '-q', '-t', image, '/srv/report');
  await output(host, docker, 'push', '-q', image);
}

async function layOut(host: BedHost, folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const target = host.path(join(folder, path));
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, text, { mode: text.startsWith('#!') ? 0o755 : 0o644 });
  }
}

const failed = Symbol('failed');

/** Waits until it holds; what is not so after all of the time is told by what was seen. */
async function seen(watch: Watch, what: string, holds: () => boolean, waitMs: number): Promise<void> {
  const looked = async (): Promise<boolean> => {
    await watch.look();
    return holds();
  };
  await until(what, looked, waitMs).catch(() => failed);
}

async function signal(host: BedHost, name: string, watch: Watch): Promise<void> {
  const processes = watch.processes().map(String);
  if (processes.length > 0) await host.exec(['kill', '-s', name, ...processes]);
}

/** The mesh of a swarm begins to pass a port on a moment after the program listens. */
async function portsThatAnswer(host: BedHost, ports: readonly number[]): Promise<number[]> {
  let found: number[] = [];
  const all = async (): Promise<boolean> => {
    const answered = await Promise.all(ports.map((port) => answers(host.ip, port)));
    found = ports.filter((_, at) => answered[at]);
    return found.length === ports.length;
  };
  await until('every port answers', all, 5000).catch(() => undefined);
  return found;
}

/** Lets the containers leave marks, look for those of the others, and fail. */
async function observed(
  host: BedHost,
  watch: Watch,
  { ports, jobs }: Living,
  { fails, back }: Around,
): Promise<Omit<Outcome, 'notes'>> {
  await seen(watch, 'the end', () => !watch.running().some((name) => jobs.includes(name)), 15_000);
  await signal(host, 'HUP', watch);
  await seen(watch, 'marks', () => watch.said('MARKED', watch.running()), 10_000);
  await signal(host, 'WINCH', watch);
  await seen(watch, 'what it sees', () => watch.said('SEEN', watch.running()), 15_000);
  const answering = await portsThatAnswer(host, ports);
  const lived = watch.lived();
  if (!fails) return { ...lived, ports: answering, back: [] };
  const before = watch.running();
  await signal(host, 'USR2', watch);
  const isBack = (name: string): boolean => watch.said('REPORT', [name], 2);
  const expected = await back;
  if (expected === undefined) await seen(watch, 'all again', () => before.every(isBack), settleMs);
  else await seen(watch, 'the same again', () => expected.every(isBack), 60_000);
  return { ...lived, ports: answering, back: before.filter(isBack) };
}

async function makeOutside(host: BedHost, { outside: { volumes, folders } }: Living): Promise<void> {
  for (const volume of volumes) await host.exec([docker, 'volume', 'create', volume], { limitMs });
  if (folders.length > 0) await host.exec(['mkdir', '-p', ...folders], { limitMs });
}

export interface ComposeSide extends Side {
  /** What docker compose reads of the files; a text where it refuses them. */
  config(project: string, files: Readonly<Record<string, string>>): Promise<Config | string>;
}

/** Docker compose on an engine of its own. */
export async function composeSide(host: BedHost, program: string): Promise<ComposeSide> {
  // A host of another system does not see the machine's files.
  const own = '/usr/local/bin/docker-compose';
  await copyFile(program, host.path(own));
  const run = async (folder: string, ...words: string[]): Promise<string> => {
    const { code, stdout, stderr } = await host.exec([own, '-f', 'compose.yml', ...words], {
      cwd: folder,
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root' },
      limitMs,
    });
    if (code !== 0) throw new Error(stderr.trim().split('\n').slice(-3).join(' '));
    return stdout;
  };
  return {
    async config(project, files) {
      const folder = join(work, 'read', project);
      await layOut(host, folder, files);
      try {
        return configShape.parse(JSON.parse(await run(folder, 'config', '--format', 'json')));
      } catch (error) {
        return String(error);
      }
    },
    async live(project, living, around) {
      const folder = join(work, project);
      await layOut(host, folder, living.files);
      for (const network of living.outside.networks)
        await host.exec([docker, 'network', 'create', network], { limitMs });
      await makeOutside(host, living);
      const watch = watchContainers(host.engineSocket, (labels) =>
        labels['com.docker.compose.project.working_dir'] === folder
          ? labels['com.docker.compose.service']
          : undefined,
      );
      try {
        const going = run(folder, 'up', '-d', '--quiet-pull');
        going.catch(() => undefined);
        await Promise.race([
          seen(watch, 'reports', () => watch.said('REPORT', living.services), limitMs),
          going.then(() => new Promise((resolve) => setTimeout(resolve, 10_000).unref())),
        ]);
        await going;
        return { ...(await observed(host, watch, living, around)), notes: [] };
      } catch (error) {
        return error instanceof Error ? error.message : String(error);
      } finally {
        await run(folder, 'down', '-v', '-t', '0').catch(() => undefined);
      }
    },
    end: () => host.kill(),
  };
}

/** A Berth with an engine of its own. */
export async function berthSide(bed: Bed, name: string, index: number): Promise<Side> {
  const berth = await berthAt('own machine', bed, { name, index });
  const place = await applicationFixture(berth, {});
  const deploy = async (composeId: string, project: string, watch: Watch) => {
    await berth.call('compose.deploy', { composeId });
    const [newest] = await berth.call<DeploymentView[]>('deployment.all', { composeId });
    const deploymentId = newest?.deploymentId ?? '';
    let isGoing = true;
    const ended = deploymentEnded(berth, project, deploymentId, limitMs).finally(() => {
      isGoing = false;
    });
    // What runs once is gone with the deployment.
    await seen(watch, 'the end', () => !isGoing, limitMs);
    const { status, errorMessage } = await ended;
    return { status, errorMessage, notes: await berth.log(deploymentId) };
  };
  return {
    async live(project, living, around) {
      const { host } = berth;
      await makeOutside(host, living);
      const repository = await createRepository(host, project, living.files);
      const { composeId } = await berth.call<{ composeId: string }>('compose.create', {
        name: project,
        appName: project,
        environmentId: place.environmentId,
      });
      await berth.call('compose.update', {
        composeId,
        sourceType: 'git',
        customGitUrl: repository.url,
        customGitBranch: 'main',
        composePath: './compose.yml',
      });
      const prefix = `${project}_`;
      const watch = watchContainers(host.engineSocket, (labels) => {
        const service = labels['com.docker.swarm.service.name'];
        // What runs once is a service of the deployment.
        return service?.startsWith(prefix)
          ? service.slice(prefix.length).replace(/-once-.*$/, '')
          : undefined;
      });
      try {
        let deployed = await deploy(composeId, project, watch);
        const { awaitsApproval } = await berth.call<{ awaitsApproval: { digest: string } | null }>(
          'compose.one',
          { composeId },
        );
        if (deployed.status === 'error' && awaitsApproval !== null) {
          await berth.call('compose.approve', { composeId, digest: awaitsApproval.digest });
          deployed = await deploy(composeId, project, watch);
        }
        const { status, errorMessage, notes } = deployed;
        if (status !== 'done') return `${errorMessage ?? status}\n${notes.slice(-12).join('\n')}`;
        await seen(watch, 'reports', () => watch.said('REPORT', living.services), 10_000);
        return { ...(await observed(host, watch, living, around)), notes };
      } finally {
        await berth.call('compose.delete', { composeId, deleteVolumes: true });
      }
    },
    end: () => berth.end(),
  };
}
