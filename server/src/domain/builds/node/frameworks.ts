/** Frameworks of Node.js: a row each, the first whose package is among the dependencies counts. */
import type { Folder } from '../source-files.ts';
import { jsonOf, objectOf, textOf } from '../source-files.ts';

/** How a built application is served. */
export type Served =
  /**
   * Pages in a folder, in a `certain` case whatever scripts say; in a single page every path shows
   * index.html.
   */
  | { kind: 'static'; folder: string; singlePage: boolean; certain?: true }
  /** A program; `only` are the folders that it needs besides package.json, absent: the whole application. */
  | {
      kind: 'program';
      command: readonly string[];
      port?: number;
      only?: readonly CopiedFolder[];
      env?: string[];
    }
  /** Its own start script. */
  | { kind: 'script' }
  | { kind: 'refused'; refusal: string };

/** A folder of the build and where it goes in the image. */
export type CopiedFolder = readonly [from: string, to: string];

interface Framework {
  name: string;
  package: string;
  /** What builds it where package.json has no build script. */
  build?: string;
  /** The package whose program that is, where the framework itself does not bring it. */
  builtBy?: string;
  served(app: NodeApp): Served;
  /** Folder that its builds keep from one to the next. */
  cache?: string;
}

export interface NodeApp {
  folder: Folder;
  /** Its folder in a workspace with a slash behind it; empty elsewhere. */
  prefix: string;
  dependencies: ReadonlySet<string>;
  scripts: Readonly<Record<string, string>>;
}

/** Variables of frameworks that would listen on the loopback address alone. */
const everywhere = 'HOST=0.0.0.0';

const pages =
  (folder: string, singlePage = false) =>
  (): Served => ({ kind: 'static', folder, singlePage });

export const frameworks: readonly Framework[] = [
  {
    name: 'Next.js',
    package: 'next',
    build: 'next build',
    cache: '.next/cache',
    served: ({ folder, prefix }) => {
      const config = configOf(folder, 'next.config');
      const output = /\boutput\s*:\s*['"`](\w+)['"`]/.exec(config)?.[1];
      if (output === 'export') return { kind: 'static', folder: 'out', singlePage: false };
      if (output !== 'standalone')
        return { kind: 'program', command: ['next', 'start'], env: ['NEXT_TELEMETRY_DISABLED=1'] };
      const publicFolder: CopiedFolder[] = folder.files.some((path) => path.startsWith('public/'))
        ? [['public', `${prefix}public`]]
        : [];
      return {
        kind: 'program',
        // In a workspace the server stands below the folder of its root.
        command: ['node', `${prefix}server.js`],
        only: [['.next/standalone', '.'], ['.next/static', `${prefix}.next/static`], ...publicFolder],
        env: ['HOSTNAME=0.0.0.0', 'NEXT_TELEMETRY_DISABLED=1'],
      };
    },
  },
  {
    name: 'Nuxt',
    package: 'nuxt',
    build: 'nuxt build',
    served: ({ scripts }) =>
      /\bnuxi? generate\b/.test(scripts['build'] ?? '')
        ? { kind: 'static', folder: '.output/public', singlePage: false }
        : {
            kind: 'program',
            command: ['node', '.output/server/index.mjs'],
            only: [['.output', '.output']],
            env: [everywhere],
          },
  },
  {
    name: 'SvelteKit',
    package: '@sveltejs/kit',
    build: 'vite build',
    served: ({ dependencies }) => {
      if (dependencies.has('@sveltejs/adapter-node'))
        return { kind: 'program', command: ['node', 'build'], env: [everywhere] };
      if (dependencies.has('@sveltejs/adapter-static'))
        return { kind: 'static', folder: 'build', singlePage: false };
      return {
        kind: 'refused',
        refusal:
          'This SvelteKit application has no adapter that makes a server or pages: install ' +
          '@sveltejs/adapter-node (a server) or @sveltejs/adapter-static (pages), and name it in ' +
          'svelte.config.js.',
      };
    },
  },
  {
    name: 'Astro',
    package: 'astro',
    build: 'astro build',
    served: ({ dependencies }) =>
      dependencies.has('@astrojs/node')
        ? { kind: 'program', command: ['node', './dist/server/entry.mjs'], port: 4321, env: [everywhere] }
        : { kind: 'static', folder: 'dist', singlePage: false },
  },
  {
    name: 'Remix',
    package: '@remix-run/serve',
    build: 'remix vite:build',
    served: () => ({ kind: 'script' }),
  },
  {
    name: 'React Router',
    package: '@react-router/dev',
    build: 'react-router build',
    served: ({ folder }) =>
      /\bssr\s*:\s*false\b/.test(configOf(folder, 'react-router.config'))
        ? { kind: 'static', folder: 'build/client', singlePage: true, certain: true }
        : { kind: 'script' },
  },
  {
    name: 'TanStack Start',
    package: '@tanstack/react-start',
    build: 'vite build',
    served: ({ dependencies, scripts }) => {
      if (scripts['start'] !== undefined) return { kind: 'script' };
      if (dependencies.has('nitro'))
        return {
          kind: 'program',
          command: ['node', '.output/server/index.mjs'],
          only: [['.output', '.output']],
          env: [everywhere],
        };
      return {
        kind: 'refused',
        refusal:
          'This TanStack Start application makes no server that can be started: add the package nitro and ' +
          'its plugin to vite.config, or a start script.',
      };
    },
  },
  {
    name: 'NestJS',
    package: '@nestjs/core',
    build: 'nest build',
    builtBy: '@nestjs/cli',
    served: () => ({ kind: 'program', command: ['node', 'dist/main.js'] }),
  },
  { name: 'Gatsby', package: 'gatsby', build: 'gatsby build', served: pages('public') },
  { name: 'Docusaurus', package: '@docusaurus/core', build: 'docusaurus build', served: pages('build') },
  {
    name: 'VitePress',
    package: 'vitepress',
    build: 'vitepress build',
    served: ({ scripts }) => {
      const built = /\bvitepress build(?:[ \t]+(?!-)([\w./-]+))?/.exec(Object.values(scripts).join('\n'));
      const folder = (built?.[1] ?? '.').replace(/^\.\/?|\/$/g, '');
      return {
        kind: 'static',
        folder: `${folder === '' ? '' : `${folder}/`}.vitepress/dist`,
        singlePage: false,
      };
    },
  },
  { name: 'Eleventy', package: '@11ty/eleventy', build: 'eleventy', served: pages('_site') },
  {
    name: 'Create React App',
    package: 'react-scripts',
    build: 'react-scripts build',
    served: pages('build', true),
  },
  {
    name: 'Vue CLI',
    package: '@vue/cli-service',
    build: 'vue-cli-service build',
    served: pages('dist', true),
  },
  {
    name: 'Angular',
    package: '@angular/core',
    build: 'ng build',
    served: ({ folder }) => ({ kind: 'static', folder: angularFolder(folder), singlePage: true }),
  },
  {
    name: 'Vite',
    package: 'vite',
    build: 'vite build',
    served: ({ folder }) => ({
      kind: 'static',
      folder: /\boutDir\s*:\s*['"`]([\w./-]+)['"`]/.exec(configOf(folder, 'vite.config'))?.[1] ?? 'dist',
      singlePage: true,
    }),
  },
  { name: 'Parcel', package: 'parcel', build: 'parcel build', served: pages('dist') },
];

/** What builds with a framework whose builder is there. */
export const builderOf = (
  framework: Framework | undefined,
  dependencies: ReadonlySet<string>,
): string | undefined =>
  framework?.builtBy === undefined || dependencies.has(framework.builtBy) ? framework?.build : undefined;

/** The client of Prisma, where no script makes it: an installation makes it only beside its schema. */
export function prismaOf({ folder, dependencies, scripts }: NodeApp, npx: string): string | undefined {
  const isMade = Object.entries(scripts).some(
    ([name, script]) =>
      /^(?:pre|post)?(?:build|install|prepare|start)/.test(name) && /\bprisma generate\b/.test(script),
  );
  const hasSchema = folder.files.some((path) => /^prisma\/(?:schema\/.+|schema)\.prisma$/.test(path));
  return hasSchema && !isMade && dependencies.has('prisma') ? `${npx} prisma generate` : undefined;
}

/** Servers of plain Node.js, for the log alone. */
export const serverPackages: readonly (readonly [packageName: string, name: string])[] = [
  ['express', 'Express'],
  ['fastify', 'Fastify'],
  ['hono', 'Hono'],
  ['koa', 'Koa'],
  ['@hapi/hapi', 'hapi'],
];

/**
 * Debian packages that the images of Node.js lack and these dependencies need: to compile what they bring as
 * source, and to run.
 */
type SystemPackages = readonly [packageName: string, build: readonly string[], run: readonly string[]];

export const systemPackages: readonly SystemPackages[] = [
  ...['better-sqlite3', 'sqlite3', 'canvas', 'argon2', 'node-pty', 'isolated-vm', 'node-gyp'].map(
    (name): SystemPackages => [name, ['python3', 'make', 'g++'], []],
  ),
  ['@prisma/client', ['openssl'], ['openssl']],
];

/** Programs whose packages have another name. */
export const packageOfProgram: Readonly<Record<string, string>> = {
  tsc: 'typescript',
  nest: '@nestjs/cli',
  ng: '@angular/cli',
  remix: '@remix-run/dev',
  'react-router': '@react-router/dev',
  sequelize: 'sequelize-cli',
};

/** Programs that serve pages while somebody develops. */
const developmentServers = [
  'vite|vite preview|vite dev|serve|http-server|parcel|eleventy|gatsby',
  'react-scripts start|vue-cli-service serve|ng serve|docusaurus (?:start|serve)',
  'astro (?:dev|preview)|nuxt(?: dev| preview)?|next dev|nest start|nx serve|nx run \\S+:serve',
].join('|');
const development = new RegExp(`^(?:npx )?(?:${developmentServers})(?:\\s|$)`);

export const isDevelopment = (script: string): boolean => development.test(script.trim());

function configOf(folder: Folder, name: string): string {
  const file = folder.first(...['js', 'mjs', 'cjs', 'ts', 'mts'].map((end) => `${name}.${end}`));
  return (file === undefined ? undefined : folder.text(file))?.replaceAll(/^\s*\/\/.*$/gm, '') ?? '';
}

/** `outputPath` of the first project of angular.json; since Angular 17 the pages are in `browser` there. */
function angularFolder(folder: Folder): string {
  const projects = Object.entries(objectOf(jsonOf(folder.text('angular.json'))?.['projects']) ?? {});
  const [name = 'app', project] = projects[0] ?? [];
  const build = objectOf(objectOf(objectOf(project)?.['architect'])?.['build']);
  const given = objectOf(build?.['options'])?.['outputPath'];
  const path = textOf(given) ?? textOf(objectOf(given)?.['base']) ?? `dist/${name}`;
  const isNew = /:(?:application|application-builder)$/.test(textOf(build?.['builder']) ?? '');
  return isNew ? `${path.replace(/\/$/, '')}/browser` : path;
}
