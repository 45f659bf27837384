/**
 * Files that a repository carries below a `./path` which a service may write: the path is a volume that
 * outlives each release, and the files in it follow the commit, as after a `git pull`. What the program wrote
 * stays; a carried file that it changed stays as well, and the log names it.
 */
import { join } from 'node:path';
import { randomId } from '../../../ports/clock.ts';
import type { ServiceMount } from '../../../ports/engine/service-mount.ts';
import { organizationLabel } from '../../../domain/names/labels.ts';
import { awaitEnded } from '../../../modules/service/own-service.ts';
import type { ComposeContext } from '../compose-context.ts';
import type { CarriedFiles, ComposeRelease } from '../compose-snapshot.ts';
import { bringScript } from './bring-script.ts';

const busybox = '/.berth/busybox';
const places = {
  from: '/.berth/from',
  base: '/.berth/base',
  data: '/.berth/volume',
  before: '/.berth/before',
};
/** Root without them cannot follow the owners that a program gave its files. */
const capabilities = ['DAC_OVERRIDE', 'CHOWN', 'FOWNER', 'FSETID', 'MKNOD'];
const limits = { memoryBytes: 256 * 1024 * 1024, nanoCpus: 1_000_000_000, pids: 32 };
const mostNamed = 20;

/** Brings the files of these releases into their volumes; `former` runs until they are there. */
export async function bringCarried(
  context: ComposeContext,
  releases: readonly ComposeRelease[],
  former: readonly ComposeRelease[],
): Promise<void> {
  const done = new Set<string>();
  for (const release of releases)
    for (const files of release.carried ?? []) {
      const mount = release.spec.mounts.find(({ target }) => target === files.target);
      if (mount?.type !== 'volume' || done.has(mount.source)) continue;
      done.add(mount.source);
      const before = folderBefore(context, { release, files }, former);
      if (before) await stopWriting(context, before.release);
      await bring(context, { release, files, mount, before: before?.folder });
    }
}

interface Bringing {
  release: ComposeRelease;
  files: CarriedFiles;
}

/** Until 0.2 the service wrote into the copy of its deployment, whose content the volume begins with. */
function folderBefore(
  { host, compose }: ComposeContext,
  { release: { service }, files: { target } }: Bringing,
  former: readonly ComposeRelease[],
): { folder: string; release: ComposeRelease } | undefined {
  const own = `${join(host.folders.composes, compose.composeId)}/`;
  const release = former.find((one) => one.service === service);
  const mount = release?.spec.mounts.find((one) => one.target === target);
  return release && mount?.type === 'bind' && mount.source.startsWith(own)
    ? { folder: mount.source, release }
    : undefined;
}

/** What a running program writes while its files are copied would be lost. */
async function stopWriting({ engine }: ComposeContext, { spec }: ComposeRelease): Promise<void> {
  if (!(await engine.service(spec.name))) return;
  await engine.scaleService(spec.name, 0);
  await awaitEnded(engine, spec.name, 'compose.readLogs');
}

async function bring(
  context: ComposeContext,
  { release, files, mount, before }: Bringing & { mount: ServiceMount; before: string | undefined },
): Promise<void> {
  const { compose, engine, log, signal, probePath } = context;
  const bind = (source: string, target: string): ServiceMount => ({
    type: 'bind',
    source,
    target,
    readOnly: true,
  });
  const output = engine.programOutput(
    {
      name: `carried-${randomId(16).toLowerCase()}`,
      image: release.spec.image,
      registryAuth: release.spec.registryAuth,
      argv: [busybox, 'sh', '-c', bringScript, busybox],
      env: {},
      network: 'none',
      labels: { [organizationLabel]: compose.organizationId },
      marksItsEnd: true,
      confined: {
        mounts: [
          bind(probePath, busybox),
          bind(files.copy, places.from),
          { ...mount, target: places.data, readOnly: false },
          { ...mount, source: `${mount.source}.carried`, target: places.base, readOnly: false },
          ...(before === undefined ? [] : [bind(before, places.before)]),
        ],
        shell: [busybox, 'sh'],
        capabilities,
        limits,
      },
    },
    { signal, onLine: (line) => log.line(`${release.service}: ${line}`) },
  );
  const chunks: Uint8Array[] = [];
  for await (const chunk of output) chunks.push(chunk);
  tell(context, { release, files }, Buffer.concat(chunks).toString());
}

function tell({ log }: ComposeContext, { release, files }: Bringing, said: string): void {
  const named = (word: string): string[] =>
    said
      .split('\n')
      .filter((line) => line.startsWith(`${word} `))
      .map((line) => line.slice(word.length + 1).replace(/^\.\//, ''));
  const [kept, aside] = [named('kept'), named('aside')];
  const list = (paths: readonly string[]): string =>
    paths.slice(0, mostNamed).join(', ') +
    (paths.length > mostNamed ? ` and ${paths.length - mostNamed} more` : '');
  if (kept.length > 0)
    log.line(
      `${release.service}: below ${files.target} stay as the service changed them, and not as the commit ` +
        `has them: ${list(kept)}. Remove them there and deploy again to have those of the commit.`,
    );
  if (aside.length > 0)
    log.line(
      `${release.service}: below ${files.target} are as the commit has them, and with the ending ` +
        `.before-berth as they were: ${list(aside)}.`,
    );
}
