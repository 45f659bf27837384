/** Mounts of a compose service with what stands behind each on this server. */
import { join, posix } from 'node:path';
import { badField } from '../../../domain/errors.ts';
import { volumeOfPath } from '../../../modules/compose/translation/mounts.ts';
import { inFolder } from '../../../modules/compose/translation/paths.ts';
import type { ComposePlan, PlannedMount, PlannedService } from '../../../modules/compose/translation/plan.ts';
import { sourceDirectory } from '../../work-directory.ts';
import { fieldOf, folderOf, type ComposeContext } from '../compose-context.ts';
import { declaredPaths, type KnownMount } from '../compose-service-spec.ts';
import { missing } from './source-text.ts';

/** Volumes that the images of the services declare from which it has its volumes. */
async function borrowedVolumes(
  engine: Pick<ComposeContext['engine'], 'image'>,
  { mounts, volumesFrom = [] }: PlannedService,
  { plan, images }: { plan: ComposePlan; images: ReadonlyMap<string, string> },
): Promise<KnownMount[]> {
  const taken = new Set(mounts.map(({ target }) => target));
  const found: KnownMount[] = [];
  for (const { service: of, readOnly } of volumesFrom) {
    const image = await engine.image(images.get(of) ?? '');
    const other = plan.services.find(({ name }) => name === of);
    const inner = other ? await borrowedVolumes(engine, other, { plan, images }) : [];
    const declared = declaredPaths(image?.volumes ?? []).map(
      (target): KnownMount => ({
        type: 'volume',
        name: volumeOfPath(target),
        isForeign: false,
        isUnnamed: true,
        of,
        target,
        readOnly,
      }),
    );
    for (const mount of [...declared, ...inner])
      if (!taken.has(mount.target) && !other?.mounts.some(({ target }) => target === mount.target)) {
        taken.add(mount.target);
        found.push(mount);
      }
  }
  return found;
}

export async function knownMounts(
  context: ComposeContext,
  service: PlannedService,
  from: { plan: ComposePlan; images: ReadonlyMap<string, string> },
): Promise<KnownMount[]> {
  const known: KnownMount[] = [];
  for (const mount of service.mounts) {
    if (mount.type === 'own')
      known.push(...(await ownMount(context, mount, `services.${service.name}.volumes`, from.plan)));
    else known.push(mount);
  }
  return [...known, ...(await borrowedVolumes(context.engine, service, from))];
}

/**
 * A file, or a folder that nobody writes, is mounted from this version of the repository, a file mount as its
 * text, and a folder of file mounts as theirs. A folder that a service may write is a volume into which the
 * files of the commit come, and any other path a volume that outlives the release.
 */
async function ownMount(
  context: ComposeContext,
  mount: PlannedMount & { type: 'own' },
  where: string,
  plan: ComposePlan,
): Promise<KnownMount[]> {
  const { compose, deployment, host, records, log } = context;
  const { target, readOnly, path } = mount;
  const folder = folderOf(compose);
  const files = (await records.mounts(compose.composeId)).filter(({ type }) => type === 'file');
  const beside = files.find(({ filePath }) => filePath === cleanPath(path));
  if (beside) return [{ type: 'file', target, content: beside.content ?? '' }];
  if (folder !== undefined) {
    const inside = inFolder(folder, path, { field: fieldOf(compose), where });
    const copy = join(
      host.folders.composes,
      compose.composeId,
      deployment.deploymentId,
      Buffer.from(inside).toString('base64url').slice(-100) || 'root',
    );
    await host.files.remove(copy);
    if (
      await host.files.copyInside(sourceDirectory(context), inside, copy, {
        field: `${fieldOf(compose)}: ${where}`,
      })
    )
      return (await isWrittenFolder(context, inside, mount, plan))
        ? [
            {
              type: 'volume',
              name: volumeOfPath(path),
              isForeign: false,
              target,
              readOnly,
              ...(readOnly ? {} : { carries: copy }),
            },
          ]
        : [{ type: 'copy', path: copy, target, readOnly }];
  }
  const prefix = cleanPath(path) === '.' ? '' : `${cleanPath(path)}/`;
  const below = files.flatMap(({ filePath, content }): KnownMount[] =>
    filePath?.startsWith(prefix) === true
      ? [{ type: 'file', target: posix.join(target, filePath.slice(prefix.length)), content: content ?? '' }]
      : [],
  );
  if (readOnly && below.length > 0) return below;
  // docker compose makes an empty folder, which a program that wants a file cannot use.
  if (readOnly && posix.extname(path) !== '')
    throw badField(fieldOf(compose), `${where}: ${missing(context, path)}`);
  const why =
    folder === undefined ? 'a file of the source raw has no folder' : 'the repository has nothing there';
  log.line(`${where}: ${path} is kept as a volume of this compose, since ${why}.`);
  return [{ type: 'volume', name: volumeOfPath(path), isForeign: false, target, readOnly }, ...below];
}

async function isWrittenFolder(
  context: ComposeContext,
  inside: string,
  { path }: PlannedMount & { type: 'own' },
  { services }: ComposePlan,
): Promise<boolean> {
  const isWritten = services.some(({ mounts }) =>
    mounts.some((one) => one.type === 'own' && !one.readOnly && cleanPath(one.path) === cleanPath(path)),
  );
  if (!isWritten) return false;
  return (await context.fileSystem.names(join(sourceDirectory(context), inside))).length > 0;
}

/** As file mounts have their paths. */
const cleanPath = (path: string): string => posix.normalize(path).replace(/(.)\/$/, '$1');
