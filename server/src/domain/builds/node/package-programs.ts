/** Package managers of Node.js: a row each. */
import type { Folder } from '../source-files.ts';
import { jsonOf, textOf } from '../source-files.ts';

export interface NodeManager {
  /** Lock files that show it. */
  locks: readonly string[];
  /** Files besides package.json and the lock that an installation reads. */
  reads: readonly string[];
  /** Folder of its downloads, which the builder keeps. */
  cache: string;
  /** Installs the program itself; absent for npm, which Node.js brings. */
  program?(version: string | undefined, lock: string): string;
  env?: readonly string[];
  /** What a start command calls it by, for those that the images of Node.js lack. */
  named?: RegExp;
  /** Installs what the lock says. */
  locked: string;
  /** Installs without a lock. */
  unlocked: string;
  /** Added to leave devDependencies out. */
  production: string;
  /** Takes devDependencies out after the build. */
  prune: string;
  /** Runs a script of package.json. */
  run: string;
  /** Runs a script of one package of the workspace, whose folder follows. */
  runIn(folder: string, script: string): string;
}

const global = (name: string): string => `npm install --global ${name}`;

export const nodeManagers = {
  npm: {
    locks: ['package-lock.json', 'npm-shrinkwrap.json'],
    reads: ['.npmrc'],
    cache: '/root/.npm',
    locked: 'npm ci',
    unlocked: 'npm install',
    production: '--omit=dev',
    prune: 'npm prune --omit=dev',
    run: 'npm run',
    runIn: (folder, script) => `npm run ${script} --workspace=${folder}`,
  },
  pnpm: {
    locks: ['pnpm-lock.yaml'],
    reads: ['.npmrc', 'pnpm-workspace.yaml', '.pnpmfile.cjs'],
    cache: '/root/.local/share/pnpm/store',
    program: (version, lock) => global(`pnpm@${version ?? pnpmOfLock(lock)}`),
    env: ['CI=true'],
    named: /\bpnpx?\b|\bpnpm\b/,
    locked: 'pnpm install --frozen-lockfile',
    unlocked: 'pnpm install --no-frozen-lockfile',
    production: '--prod',
    prune: 'pnpm prune --prod --ignore-scripts',
    run: 'pnpm run',
    runIn: (folder, script) => `pnpm --filter=./${folder} run ${script}`,
  },
  yarn: {
    locks: ['yarn.lock'],
    reads: ['.npmrc', '.yarnrc'],
    cache: '/usr/local/share/.cache/yarn',
    program: (version) => `${global(`yarn@${version ?? '1.22.22'}`)} --force`,
    locked: 'yarn install --frozen-lockfile',
    unlocked: 'yarn install',
    production: '--production',
    prune: 'yarn install --frozen-lockfile --production --ignore-scripts --prefer-offline',
    run: 'yarn run',
    runIn: (folder, script) => `yarn --cwd ${folder} run ${script}`,
  },
  berry: {
    locks: [],
    reads: ['.npmrc', '.yarnrc.yml'],
    cache: '/root/.yarn/berry/cache',
    program: (version) => `${global(`@yarnpkg/cli-dist@${version ?? '4'}`)} --force`,
    // What Plug'n'Play keeps stands outside the folder that the image gets.
    env: ['YARN_NODE_LINKER=node-modules', 'YARN_ENABLE_GLOBAL_CACHE=true', 'YARN_ENABLE_TELEMETRY=false'],
    named: /\byarn\b/,
    locked: 'yarn install --immutable',
    unlocked: 'yarn install --no-immutable',
    production: '',
    prune: 'yarn workspaces focus --production',
    run: 'yarn run',
    runIn: (folder, script) => `yarn --cwd ${folder} run ${script}`,
  },
  bun: {
    locks: ['bun.lock', 'bun.lockb'],
    reads: ['.npmrc', 'bunfig.toml'],
    cache: '/root/.bun/install/cache',
    program: (version) => global(`bun@${version ?? '1'}`),
    named: /\bbunx?\b/,
    locked: 'bun install --frozen-lockfile',
    unlocked: 'bun install',
    production: '--production',
    prune: 'rm -rf node_modules && bun install --frozen-lockfile --production --ignore-scripts',
    run: 'bun run',
    runIn: (folder, script) => `bun run --cwd ${folder} ${script}`,
  },
} as const satisfies Record<string, NodeManager>;

export type NodeManagerName = keyof typeof nodeManagers;
const names = Object.keys(nodeManagers) as NodeManagerName[];

export interface ChosenManager {
  name: NodeManagerName;
  row: NodeManager;
  /** Of package.json's `packageManager`; undefined where it says none. */
  version: string | undefined;
  /** The lock file; undefined without one. */
  lock: string | undefined;
}

/** By `packageManager` of package.json (Node.js, Corepack), else by the lock file, else npm. */
export function managerOf(root: Folder, manifest: Readonly<Record<string, unknown>>): ChosenManager {
  const [, said, version] =
    /^(npm|pnpm|yarn|bun)@(\d[\w.-]*)/.exec(textOf(manifest['packageManager']) ?? '') ?? [];
  const byLock = names.find((name) => root.first(...nodeManagers[name].locks) !== undefined);
  const plain = names.find((name) => name === said) ?? byLock ?? 'npm';
  const name = plain === 'yarn' && isBerry(root, version) ? 'berry' : plain;
  const row: NodeManager = nodeManagers[name];
  const locks = nodeManagers[plain].locks;
  // An npm of another version than the image's is not worth a download.
  return { name, row, version: name === 'npm' ? undefined : version, lock: root.first(...locks) };
}

/** Yarn 2 and newer write another lock than 1 did. */
function isBerry(root: Folder, version: string | undefined): boolean {
  if (version !== undefined) return !version.startsWith('1.');
  return root.has('.yarnrc.yml') || (root.text('yarn.lock') ?? '').includes('__metadata:');
}

/** The newest major version of pnpm that reads a lock of this format. */
function pnpmOfLock(lock: string): string {
  const format = /^lockfileVersion:\s*'?(\d+)/m.exec(lock)?.[1];
  return format === '5' ? '7' : format === '6' ? '8' : '10';
}

/** The files at a workspace's root that every package of it is installed by. */
export function sharedFiles(root: Folder): string[] {
  const { row, lock } = managerOf(root, jsonOf(root.text('package.json')) ?? {});
  return ['package.json', lock, ...row.reads].filter(
    (file): file is string => file !== undefined && root.has(file),
  );
}
