/**
 * Files of the corpus as they live: run by real docker compose on an engine, and by Berth on the same one,
 * with a program that tells what its container is like. The same, or the person is told. The ordinary run
 * takes a tenth of them.
 */
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { bedOfRun } from '../../bed/bed-of-run.ts';
import type { BedHost } from '../../bed/host/host.ts';
import { differencesOf, mentions } from '../../compose/judge/compare.ts';
import { corpus } from '../../compose/judge/corpus.ts';
import type { Meaning } from '../../compose/judge/meaning.ts';
import { dockerCompose } from '../../compose/judge/program.ts';
import { answers, watchContainers, type Lived, type Watch } from '../../compose/lived/observe.ts';
import { ofThisRun } from '../../run/mode.ts';
import { applicationFixture, deploymentEnded, docker, output, until } from '../fixtures/applications.ts';
import type { ApplicationFixture } from '../fixtures/applications.ts';
import type { DeploymentView } from '../fixtures/berth-host.ts';
import { berthAt, type PlacedBerth } from '../fixtures/placed-berth.ts';
import { createRepository } from '../fixtures/repository.ts';

const lived = corpus.filter(({ name }) => name.startsWith('lived: '));
const work = '/srv/lived';
/**
 * Longer than what starts a container again, so that one that ends at once is seen to do so. That a container
 * is not started again is no event that could be waited for.
 */
const settleMs = 6000;
let berth: PlacedBerth;
let place: ApplicationFixture;
let program: string;
let image: string;

beforeAll(async () => {
  const bed = await bedOfRun();
  program = await dockerCompose(AbortSignal.timeout(600_000));
  const { open } = await bed.registries();
  image = `${open}/report:1`;
  berth = await berthAt('own machine', bed, { name: 'lived', index: 67 });
  place = await applicationFixture(berth, {});
  await buildReporter(berth.host);
});
afterAll(() => berth?.end());

async function buildReporter(host: BedHost): Promise<void> {
  const folder = host.path('/srv/report');
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, 'Dockerfile'),
    'FROM berth/node:24\nCOPY report.cjs /\nUSER root\nWORKDIR /\nENTRYPOINT ["node", "/report.cjs"]\n',
  );
  const source = join(import.meta.dirname, '../../compose/lived/report.cjs');
  await copyFile(source, join(folder, 'report.cjs'));
  await output(host, docker, 'build', '-q', '-t', image, '/srv/report');
  await output(host, docker, 'push', '-q', image);
}

const shape = z.looseObject({
  services: z.record(
    z.string(),
    z.looseObject({
      depends_on: z.union([z.array(z.string()), z.record(z.string(), z.unknown())]).optional(),
      ports: z.array(z.looseObject({ published: z.coerce.number() })).optional(),
    }),
  ),
});

interface Place {
  project: string;
  /** Texts by paths, with the image of this run. */
  files: Record<string, string>;
}

async function layOut(host: BedHost, { project, files }: Place): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const target = host.path(join(work, project, path));
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, text, { mode: text.startsWith('#!') ? 0o755 : 0o644 });
  }
}

async function compose(host: BedHost, { project }: Place, ...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await host.exec([program, '-p', project, '-f', 'compose.yml', ...words], {
    cwd: join(work, project),
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root' },
    limitMs: 180_000,
  });
  if (code !== 0) throw new Error(`docker compose ${words.join(' ')}: ${stderr.trim()}`);
  return stdout;
}

/** Waits until each service has told of itself, and for what comes after that. */
async function settled(watch: Watch): Promise<void> {
  await until('every service has told of itself', watch.look, 60_000).catch(() => undefined);
  const end = Date.now() + settleMs;
  while (Date.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    await watch.look();
  }
}

interface Outcome extends Lived {
  /** Those of the wanted ports that answer. */
  ports: number[];
  notes: string[];
}

const portsThatAnswer = async (ports: readonly number[]): Promise<number[]> => {
  const found = await Promise.all(ports.map((port) => answers(berth.host.ip, port)));
  return ports.filter((_, at) => found[at]);
};

async function byCompose(at: Place, names: readonly string[], ports: readonly number[]): Promise<Outcome> {
  const watch = watchContainers(berth.host.engineSocket, names, (labels) =>
    labels['com.docker.compose.project'] === at.project ? labels['com.docker.compose.service'] : undefined,
  );
  const going = compose(berth.host, at, 'up', '-d', '--quiet-pull');
  await Promise.all([going, settled(watch)]);
  const found = { ...(await watch.lived()), ports: await portsThatAnswer(ports), notes: [] };
  await compose(berth.host, at, 'down', '-v', '-t', '1');
  return found;
}

async function byBerth(
  at: Place,
  names: readonly string[],
  ports: readonly number[],
): Promise<Outcome | string> {
  const repository = await createRepository(berth.host, at.project, at.files);
  const { composeId } = await berth.call<{ composeId: string }>('compose.create', {
    name: at.project,
    appName: at.project,
    environmentId: place.environmentId,
  });
  await berth.call('compose.update', {
    composeId,
    sourceType: 'git',
    customGitUrl: repository.url,
    customGitBranch: 'main',
    composePath: './compose.yml',
  });
  const prefix = `${at.project}_`;
  const watch = watchContainers(berth.host.engineSocket, names, (labels) => {
    const name = labels['com.docker.swarm.service.name'];
    // What runs once is a service of the deployment.
    return name?.startsWith(prefix) ? name.slice(prefix.length).replace(/-once-.*$/, '') : undefined;
  });
  await berth.call('compose.deploy', { composeId });
  const [newest] = await berth.call<DeploymentView[]>('deployment.all', { composeId });
  const deploymentId = newest?.deploymentId ?? '';
  const [{ status, errorMessage }] = await Promise.all([
    deploymentEnded(berth, at.project, deploymentId),
    settled(watch),
  ]);
  await settled(watch);
  const notes = await berth.log(deploymentId);
  const outcome = { ...(await watch.lived()), ports: await portsThatAnswer(ports), notes };
  await berth.call('compose.delete', { composeId, deleteVolumes: true });
  return status === 'done' ? outcome : `${errorMessage ?? status}\n${notes.join('\n')}`;
}

it.each(
  ofThisRun(
    lived.map((file) => [file.name.slice('lived: '.length), file] as const),
    10,
  ),
)(
  '%s',
  async (_title, { name, files: texts }) => {
    const project = `lived-${lived.findIndex((file) => file.name === name)}`;
    const files = Object.fromEntries(
      Object.entries(texts).map(([path, text]) => [path, text.replaceAll(/\breport\b(?!\.cjs)/g, image)]),
    );
    const at = { project, files };
    await layOut(berth.host, at);
    // What docker compose reads of it tells which services there are, and what waits for what.
    const { services } = shape.parse(parse(await compose(berth.host, at, 'config')));
    const names = Object.keys(services);
    const ports = Object.values(services).flatMap((service) =>
      (service.ports ?? []).map(({ published }) => published),
    );
    const meant = await byCompose(at, names, ports);
    const made = await byBerth(at, names, ports);
    if (typeof made === 'string') throw new Error(`Berth did not deploy it: ${made}`);
    const differences = names.flatMap((service) =>
      differencesOf(comparable(meant.services[service]), comparable(made.services[service]))
        .filter(({ key }) => !made.notes.some((note) => mentions(note, service, key)))
        .map(({ key, text }) => `${service}.${key}: ${text}`),
    );
    const order = names.flatMap((service) => {
      const { depends_on: on = [] } = services[service] ?? {};
      return (Array.isArray(on) ? on : Object.keys(on)).flatMap((other) =>
        isBefore(meant, other, service) && !isBefore(made, other, service)
          ? [`${service} before ${other}`]
          : [],
      );
    });
    expect({ differences, order, ports: made.ports }).toEqual({
      differences: [],
      order: [],
      ports: meant.ports,
    });
  },
  400_000,
);

const isBefore = ({ began }: Lived, one: string, other: string): boolean =>
  (began[one] ?? 0) < (began[other] ?? Infinity);

/** Without the program of Berth's own checks, and with its bound for processes of those that ask for none. */
function comparable(meaning: Meaning | undefined): Meaning {
  if (!meaning) return { program: 'missing' };
  const { volumes, pids_limit: pids, ...others } = meaning;
  const mounts = Object.entries(Object(volumes)).filter(([target]) => !target.startsWith('/.berth/'));
  return { ...others, volumes: Object.fromEntries(mounts), pids_limit: pids === 'max' ? '4096' : pids };
}
