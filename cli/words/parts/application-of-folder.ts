/** Which application of a monorepo `berth deploy` means. */
import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { Client } from '../../../client/client.ts';
import {
  applicationsOfSource,
  type SourceApplication,
} from '../../../server/src/domain/builds/source-applications.ts';
import { folderOf, type SourceFiles } from '../../../server/src/domain/builds/source-files.ts';
import { workspaceOf } from '../../../server/src/domain/builds/node/workspaces.ts';
import { viewOf } from '../../folder/view.ts';
import { linkOf } from '../../folder-links.ts';
import { ask, isPersonThere } from '../../terminal.ts';
import { UsageError } from '../../usage-error.ts';
import type { Context } from './context.ts';
import { nameOf, type Service } from './services.ts';

export interface Chosen {
  /** What is sent: the root of the monorepo. */
  root: string;
  app: SourceApplication | undefined;
}

/** A package of a workspace is sent with the whole of it. */
const highestRoot = 4;

/**
 * That of --app, the folder's own, the only linked one, or what a person answers; no application where the
 * folder is one by itself. Throws UsageError with the list where nobody can be asked.
 */
export async function applicationOfFolder(context: Context, folder: string): Promise<Chosen> {
  const around = await workspaceAround(folder);
  const root = around ?? folder;
  const given = context.text('app') ?? (around === undefined ? undefined : relative(around, folder));
  if (given === undefined && (await isMeant(context, folder))) return { root, app: undefined };
  const found = applicationsOfSource({
    files: await viewOf(root),
    publishDirectory: undefined,
    isSinglePage: false,
    variables: [],
    secrets: [],
    staticImage: 'caddy:2',
  });
  if (given !== undefined) return { root, app: named(found, given, root) };
  if (found.length < 2) return { root, app: found[0] };
  const linked = await linkedOf(context, root, found);
  if (linked !== undefined) return { root, app: linked };
  const list = found.map(({ folder: of, what }) => `${of} (${what})`).join(', ');
  if (!isPersonThere(context.terminal))
    throw new UsageError(`${root} has several applications: ${list}. Name one with --app.`);
  context.say(`${root} has several applications: ${list}.`);
  return { root, app: named(found, await ask(context.terminal, 'Which one', found[0]?.folder ?? ''), root) };
}

/**
 * Makes a service build the application that was named. One that builds another folder is left alone, with
 * UsageError.
 */
export async function giveApplication(
  client: Client,
  service: Service,
  { folder, watchPaths }: SourceApplication,
): Promise<void> {
  if (service.kind !== 'application') return;
  const { buildPath, watchPaths: present } = await client.application.one({ applicationId: service.id });
  const built = trimmed(buildPath ?? '');
  if (built === folder) return;
  if (built !== '')
    throw new UsageError(
      `${nameOf(service)} builds ${built}, and ${folder} was named. For a service of its own: ` +
        `berth deploy ${service.project.name}/NAME --app ${folder}.`,
    );
  await client.application.update({
    applicationId: service.id,
    buildPath: folder,
    ...(present && present.length > 0 ? {} : { watchPaths }),
  });
}

/** The service says itself what of the folder it builds. */
async function isMeant({ args, terminal, berth }: Context, folder: string): Promise<boolean> {
  if (args.length > 0) return true;
  const { connection } = await berth();
  return (await linkOf({ environment: terminal.environment, folder }, connection.url)) !== undefined;
}

const trimmed = (path: string): string => path.replaceAll(/^[./]+|\/+$/g, '');

function named(found: readonly SourceApplication[], given: string, root: string): SourceApplication {
  const folder = trimmed(given);
  const app = found.find((one) => one.folder === folder) ?? found.find(({ name }) => name === given);
  if (app) return app;
  throw new UsageError(
    `${root} has no application ${given}. ` +
      (found.length === 0
        ? 'Berth finds one application in it; leave --app out.'
        : `There are: ${found.map((one) => one.folder).join(', ')}.`),
  );
}

async function linkedOf(
  { terminal, berth }: Context,
  root: string,
  found: readonly SourceApplication[],
): Promise<SourceApplication | undefined> {
  const { connection } = await berth();
  const { environment } = terminal;
  const linked: SourceApplication[] = [];
  for (const app of found)
    if (await linkOf({ environment, folder: join(root, app.folder) }, connection.url)) linked.push(app);
  return linked.length === 1 ? linked[0] : undefined;
}

/** The root of the workspace that the folder is a package of; undefined elsewhere. */
async function workspaceAround(folder: string): Promise<string | undefined> {
  let root = folder;
  for (let height = 0; height < highestRoot && dirname(root) !== root; height += 1) {
    root = dirname(root);
    const texts = new Map<string, string>();
    for (const file of ['package.json', 'pnpm-workspace.yaml']) {
      const text = await readFile(join(root, file), 'utf8').catch(() => undefined);
      if (text !== undefined) texts.set(file, text);
    }
    const member = `${relative(root, folder).replaceAll('\\', '/')}/package.json`;
    const view: SourceFiles = {
      paths: new Set([...texts.keys(), member]),
      texts: new Map([...texts, [member, '{}']]),
    };
    if (folderOf(view, '').has('package.json') && (workspaceOf(view)?.length ?? 0) > 0) return root;
  }
  return undefined;
}
