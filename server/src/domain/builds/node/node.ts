/** Node.js: npm, pnpm, yarn or bun, alone or in a workspace; a server, or pages that are built once. */
import {
  aptLine,
  argLines,
  cmdLine,
  copyLine,
  dockerfileOf,
  quoted,
  runLine,
  workFolder,
  type RunOptions,
} from '../dockerfile.ts';
import { dockerignoreOf } from '../ignore.ts';
import {
  builderOf,
  frameworks,
  packageOfProgram,
  prismaOf,
  serverPackages,
  systemPackages,
  type NodeApp,
  type Served,
} from './frameworks.ts';
import { nxApplications, nxProjectOf, type NxProject } from './nx.ts';
import { managerOf, sharedFiles, type ChosenManager } from './package-programs.ts';
import { chooseAmong, nothingToStart } from './refusals.ts';
import { startOf, startScriptOf, type NodeStart } from './start.ts';
import { nodeVersion, type NodeVersion } from './version.ts';
import type { Language, OwnBuild, Refusal, Source } from '../own-build.ts';
import { fileNamed, jsonOf, pathIn, textOf, textsOf, type Folder } from '../source-files.ts';
import { execForm, portOf, procfileNotes } from '../start-command.ts';
import { staticCommand, staticPort, staticStage } from '../static-server.ts';
import { applicationsOf, withNeeded, workspaceOf, type WorkspacePackage } from './workspaces.ts';

export const node: Language = {
  name: 'Node.js',
  shownBy: 'package.json',
  reads: fileNamed(
    'package\\.json|\\.nvmrc|\\.node-version|(?:next|vite|react-router)\\.config\\.\\w+|angular\\.json',
    'pnpm-workspace\\.yaml|pnpm-lock\\.yaml|yarn\\.lock|project\\.json',
  ),
  plan(source) {
    const { app } = source;
    const nx = nxProjectOf(source);
    if (!app.has('package.json')) return nx && nxBuild(source, nx);
    const manifest = jsonOf(app.text('package.json'));
    if (manifest === undefined)
      return { refusal: `${pathIn(app, 'package.json')} is not valid JSON; correct it, and deploy again.` };
    const startsItself = source.procfile.web !== undefined || startScriptOf(textsOf(manifest['scripts']));
    if (nx && !startsItself) return nxBuild(source, nx);
    const parts = app.path === '' && !startsItself ? nxApplications(source.files) : [];
    if (parts.length > 0) return chooseAmong(parts);
    const packages = workspaceOf(source.files);
    const member = packages?.find(({ folder }) => folder === app.path);
    const facts = factsOf(source, manifest, packages && member ? { packages, member } : undefined);
    if ('refusal' in facts) return facts;
    if (facts.start === undefined && facts.pages === undefined) {
      if (packages !== undefined && app.path === '')
        return chooseAmong(applicationsOf(packages).map(({ folder }) => folder));
      return facts.buildScript === undefined && app.has('index.html') ? undefined : nothingToStart(app);
    }
    return buildOf(source, facts);
  },
};

interface Workspace {
  packages: readonly WorkspacePackage[];
  member: WorkspacePackage;
}

interface Facts {
  workspace: Workspace | undefined;
  /** The folder with the lock: in a workspace the root. */
  home: Folder;
  app: NodeApp;
  manager: ChosenManager;
  version: NodeVersion;
  framework: string | undefined;
  /** Commands of the build, in their order; undefined where nothing is built. */
  buildScript: string | undefined;
  buildCache: string | undefined;
  served: Served | undefined;
  start: NodeStart | undefined;
  pages: { folder: string; singlePage: boolean } | undefined;
  /** Whether the installation runs scripts, which may read any file of the source. */
  runsScripts: boolean;
  /** Whether what runs needs devDependencies. */
  keepsDevelopment: boolean;
}

function factsOf(
  source: Source,
  manifest: Readonly<Record<string, unknown>>,
  workspace: Workspace | undefined,
): Facts | Refusal {
  const { app: folder, root, procfile } = source;
  const home = workspace ? root : folder;
  const homeManifest = jsonOf(home.text('package.json')) ?? manifest;
  const development = textsOf(manifest['devDependencies']);
  const dependencies = new Set([
    ...Object.keys(textsOf(manifest['dependencies'])),
    ...Object.keys(development),
  ]);
  const prefix = workspace ? `${folder.path}/` : '';
  const app: NodeApp = { folder, prefix, dependencies, scripts: textsOf(manifest['scripts']) };
  const manager = managerOf(home, homeManifest);
  const framework = frameworks.find((one) => dependencies.has(one.package));
  const served = framework?.served(app);
  const main = textOf(manifest['main']);
  const start = startOf(app, { web: procfile.web, main, served });
  const pages = pagesOf(source, served, start);
  if (served?.kind === 'refused' && pages === undefined && procfile.web === undefined)
    return { refusal: served.refusal };
  return {
    workspace,
    home,
    app,
    manager,
    version: nodeVersion([folder, ...(workspace ? [root] : [])], [manifest, homeManifest]),
    framework: framework?.name ?? serverPackages.find(([name]) => dependencies.has(name))?.[1],
    buildScript: buildScriptOf(app, manager, {
      workspace,
      home,
      usual: builderOf(framework, dependencies),
      before: start?.before,
    }),
    buildCache: framework?.cache,
    served,
    start,
    pages,
    runsScripts: ['preinstall', 'install', 'postinstall', 'prepare'].some(
      (name) => textsOf(homeManifest['scripts'])[name] !== undefined || app.scripts[name] !== undefined,
    ),
    keepsDevelopment: (start?.text.match(/@?[\w-]+(?:\/[\w-]+)?/g) ?? [])
      .map((word) => packageOfProgram[word] ?? word)
      .some((word) => Object.keys(development).some((name) => name === word || name === word.split('/')[0])),
  };
}

/** Its libraries may lie anywhere. */
const nxBuild = (source: Source, project: NxProject): OwnBuild => ({
  ...buildOf(source, nxFactsOf(source, project)),
  watchPaths: source.app.path === '' ? [] : ['**'],
});

/** A project of Nx, which is built and installed at the root. */
function nxFactsOf({ app, root, procfile }: Source, { name, output, kind }: NxProject): Facts {
  const manifest = jsonOf(root.text('package.json')) ?? {};
  const development = Object.keys(textsOf(manifest['devDependencies']));
  const dependencies = new Set([...Object.keys(textsOf(manifest['dependencies'])), ...development]);
  // What serves pages is not what a program beside them is.
  const found = frameworks.find((one) => dependencies.has(one.package) && one.package !== 'next')?.name;
  const server = serverPackages.find(([one]) => dependencies.has(one))?.[1];
  const framework = { 'Next.js': kind, pages: found, program: server }[kind];
  const command = kind === 'Next.js' ? ['next', 'start', output] : ['node', `${output}/main.js`];
  const started = procfile.web === undefined ? command : execForm(procfile.web);
  const isPages = kind === 'pages' && procfile.web === undefined;
  return {
    workspace: undefined,
    home: root,
    app: { folder: app, prefix: '', dependencies, scripts: {} },
    manager: managerOf(root, manifest),
    version: nodeVersion([root], [manifest]),
    framework,
    buildScript: `npx nx build ${quoted(name)}`,
    buildCache: undefined,
    served: undefined,
    start: isPages ? undefined : { command: started, text: started.join(' ') },
    pages: isPages ? { folder: output, singlePage: true } : undefined,
    runsScripts: true,
    keepsDevelopment: false,
  };
}

/** The folder of finished pages where pages are what is served. */
function pagesOf(
  { publishDirectory, isSinglePage, procfile }: Source,
  served: Served | undefined,
  start: NodeStart | undefined,
): Facts['pages'] {
  if (procfile.web !== undefined) return undefined;
  if (publishDirectory) return { folder: publishDirectory, singlePage: isSinglePage };
  if (served?.kind !== 'static' || start !== undefined) return undefined;
  return { folder: served.folder, singlePage: served.singlePage || isSinglePage };
}

interface BuildPlace {
  workspace: Workspace | undefined;
  home: Folder;
  /** What the framework builds with. */
  usual: string | undefined;
  /** What runs before each start and builds. */
  before: string | undefined;
}

/** The commands of the build; in a workspace those of the packages that the application needs come first. */
function buildScriptOf(
  app: NodeApp,
  { row, name }: ChosenManager,
  { workspace, home, usual, before }: BuildPlace,
): string | undefined {
  const script = ['build', 'docs:build', before ?? ''].find((one) => app.scripts[one] !== undefined);
  const own = script === 'build';
  const npx = name === 'bun' ? 'bunx' : 'npx';
  const client = prismaOf(app, npx);
  if (!workspace) {
    const built = script === undefined ? usual && `${npx} ${usual}` : `${row.run} ${script}`;
    return [client, built].filter(Boolean).join(' && ') || undefined;
  }
  const { packages, member } = workspace;
  if (own && home.has('turbo.json')) return `npx turbo run build --filter=${quoted(member.name)}`;
  if (own && home.has('nx.json')) return `npx nx build ${quoted(member.name)}`;
  const built = withNeeded(packages, member)
    .filter(({ scripts }) => scripts['build'] !== undefined)
    .map(({ folder }) => row.runIn(quoted(folder), 'build'));
  if (before) built.push(row.runIn(quoted(member.folder), before));
  else if (!own && usual) built.push(`(cd ${quoted(member.folder)} && ${npx} ${usual})`);
  if (client) built.unshift(`(cd ${quoted(member.folder)} && ${client})`);
  return built.length === 0 ? undefined : built.join(' && ');
}

function buildOf(source: Source, facts: Facts): OwnBuild {
  const { pages, start, workspace, framework, manager, version, served } = facts;
  const port = pages ? staticPort : (portOf(start?.text ?? '') ?? portOfFramework(served));
  const what = framework ?? 'an application';
  const title = `${capital(what)} on Node.js ${version.tag} with ${nameOf(manager)}, written by Berth.`;
  const final = pages
    ? staticStage(source.staticImage, {
        from: 'build',
        folder: `/app/${inWorkspace(workspace, pages.folder)}`,
        singlePage: pages.singlePage,
      })
    : programStage(source, facts, port);
  return {
    language: 'Node.js',
    framework,
    dockerfile: dockerfileOf(title, buildStage(source, facts), final),
    dockerignore: dockerignoreOf(facts.home, ['**/node_modules']),
    context: facts.home.path,
    startCommand: pages ? staticCommand : (start?.command ?? []),
    port,
    why: whyOf(source, facts),
    bases: [imageOf(version)],
    watchPaths: workspace ? watchPathsOf(workspace, facts) : [],
  };
}

const imageOf = ({ tag }: NodeVersion): { official: string; ours: string } => ({
  official: `node:${tag}-slim`,
  ours: 'berth/node:24',
});

/** A production installation is enough where nothing is built and nothing of devDependencies runs. */
const isWhole = ({ buildScript, runsScripts, keepsDevelopment }: Facts): boolean =>
  buildScript !== undefined || runsScripts || keepsDevelopment;

function buildStage(source: Source, facts: Facts): (string | undefined)[] {
  const { manager, version, app, buildScript, buildCache, workspace, pages } = facts;
  const { row, lock } = manager;
  const options: RunOptions = { caches: [row.cache], secrets: source.secrets };
  const whole = isWhole(facts);
  const production = whole || row.production === '' ? '' : ` ${row.production}`;
  const install = runLine(`${lock === undefined ? row.unlocked : row.locked}${production}`, options);
  const tools = systemPackages.filter(([name]) => app.dependencies.has(name)).flatMap(([, build]) => build);
  const caches = buildCache === undefined ? [] : [`/app/${inWorkspace(workspace, buildCache)}`];
  const isPart = facts.served?.kind === 'program' && facts.served.only !== undefined;
  const prunes =
    !isPart &&
    !pages &&
    whole &&
    !facts.keepsDevelopment &&
    lock !== undefined &&
    (!workspace || manager.name === 'npm');
  return [
    `FROM ${imageOf(version).official} AS build`,
    tools.length === 0 ? undefined : aptLine([...new Set(tools)]),
    'WORKDIR /app',
    row.env && `ENV ${row.env.join(' ')}`,
    row.program && runLine(programOf(facts)),
    ...(facts.runsScripts ? ['COPY . .', install] : [...manifestLines(facts), install, 'COPY . .']),
    ...(buildScript === undefined
      ? []
      : [
          'ENV NODE_ENV=production',
          ...argLines(source.variables),
          runLine(buildScript, { caches, secrets: source.secrets }),
        ]),
    prunes ? runLine(row.prune, { caches: [row.cache], secrets: source.secrets }) : undefined,
  ];
}

/** Installs the package manager itself. */
const programOf = ({ manager: { row, version, lock }, home }: Facts): string =>
  row.program?.(version, home.text(lock ?? '') ?? '') ?? '';

/** Copies what an installation reads, so that it runs again only when that changes. */
function manifestLines({ home, manager, workspace }: Facts): string[] {
  const files = ['package.json', manager.lock, ...manager.row.reads].filter(
    (file) => file !== undefined && home.has(file),
  );
  const folders = ['.yarn', 'patches'].filter((folder) =>
    home.files.some((path) => path.startsWith(`${folder}/`)),
  );
  return [
    copyLine(
      files.filter((file) => file !== undefined),
      './',
    ),
    ...folders.map((folder) => copyLine([folder], `./${folder}`)),
    ...(workspace?.packages ?? []).map(({ folder }) =>
      copyLine([`${folder}/package.json`], `./${folder}/package.json`),
    ),
  ];
}

function programStage(source: Source, facts: Facts, port: number): (string | undefined)[] {
  const { app, start, served, version, workspace, manager } = facts;
  const command = start?.command ?? [];
  const usual = served?.kind === 'program' && source.procfile.web === undefined ? served : undefined;
  const packages = systemPackages.filter(([name]) => app.dependencies.has(name)).flatMap(([, , run]) => run);
  const said = [...command, start?.text ?? ''].join('\n');
  const usesManager = manager.row.program !== undefined && manager.row.named?.test(said);
  const modules = [
    workspace && `/app/${workspace.member.folder}/node_modules/.bin`,
    '/app/node_modules/.bin',
  ];
  const path = `PATH=${modules.filter(Boolean).join(':')}:$PATH`;
  const isInModules = !['node', 'npm', 'bun'].includes(command[0] ?? '') && !usual?.only;
  const env = ['NODE_ENV=production', ...(usual?.env ?? []), ...(isInModules ? [path] : [])];
  return [
    `FROM ${imageOf(version).official}`,
    packages.length === 0 ? undefined : aptLine(packages),
    usesManager ? runLine(programOf(facts)) : undefined,
    `ENV ${env.join(' ')}`,
    workFolder(`/app${workspace && !usual?.only ? `/${workspace.member.folder}` : ''}`, 'node', '/app'),
    ...(usual?.only ?? [['', '']]).map(([from, to]) =>
      copyLine(
        [from === '' ? '/app' : `/app/${inWorkspace(workspace, from)}`],
        from === '' ? '/app' : `./${to === '.' ? '' : to}`,
        '--from=build --chown=node:node',
      ),
    ),
    'USER node',
    `EXPOSE ${port}`,
    cmdLine(command),
  ];
}

function portOfFramework(served: Served | undefined): number {
  return (served?.kind === 'program' ? served.port : undefined) ?? 3000;
}

const inWorkspace = (workspace: Workspace | undefined, path: string): string =>
  workspace ? `${workspace.member.folder}/${path}` : path;

function whyOf({ procfile, app }: Source, facts: Facts): string[] {
  const { version, manager, framework, pages, start, workspace, buildScript, keepsDevelopment } = facts;
  const needed = workspace && withNeeded(workspace.packages, workspace.member).slice(0, -1);
  return [
    `${pathIn(app, 'package.json')}: ${framework ?? 'Node.js'}. Node.js ${version.tag}, ${version.why}.`,
    manager.lock === undefined
      ? `There is no lock file, so ${nameOf(manager)} takes the newest versions that package.json allows ` +
        'at each build; commit the lock file to have the same ones again.'
      : `${nameOf(manager)} installs what ${manager.lock} says.`,
    ...(workspace
      ? [
          `The workspace has ${workspace.packages.length} packages; ${workspace.member.folder} is built` +
            (needed?.length
              ? `, with ${needed.map(({ folder }) => folder).join(', ')}, which it needs.`
              : '.'),
        ]
      : []),
    ...(buildScript === undefined ? [] : [`Build: ${buildScript}`]),
    pages
      ? `The pages in ${pages.folder} are served on port 80` +
        (pages.singlePage ? '; every other path shows index.html.' : '.')
      : `Start: ${(start?.command ?? []).join(' ')}`,
    ...(keepsDevelopment ? ['devDependencies stay in the image, since the start command uses one.'] : []),
    ...procfileNotes(procfile),
  ];
}

/** What changes an application of a workspace: its folder, those it needs, and the files at the root. */
function watchPathsOf({ packages, member }: Workspace, { home }: Facts): string[] {
  return [...withNeeded(packages, member).map(({ folder }) => `${folder}/**`), ...sharedFiles(home)];
}

const nameOf = ({ name }: ChosenManager): string => (name === 'berry' ? 'Yarn' : name);
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
