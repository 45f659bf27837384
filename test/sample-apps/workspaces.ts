/** Samples of monorepos of Node.js. */
import { json, lines, lockOf, type Sample } from './sample.ts';

const server = (said: string): string =>
  `require('node:http').createServer((_, answer) => answer.end('${said} ' + require('@shop/words')))` +
  '.listen(process.env.PORT ?? 3000);\n';

const npmFiles = {
  'package.json': json({ private: true, workspaces: ['apps/*', 'packages/*'] }),
  'package-lock.json': lockOf('npm-workspace.json'),
  'apps/web/package.json': json({
    name: '@shop/web',
    scripts: { start: 'node server.js' },
    dependencies: { '@shop/words': '*' },
  }),
  'apps/web/server.js': server('hello'),
  'apps/admin/package.json': json({ name: '@shop/admin', scripts: { build: 'exit 1' } }),
  'packages/words/package.json': json({
    name: '@shop/words',
    main: 'dist/index.js',
    scripts: { build: "mkdir -p dist && echo 'module.exports = 1' > dist/index.js" },
  }),
};

const pnpmFiles = ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml'];

export const workspaceSamples: readonly Sample[] = [
  {
    name: 'npm-workspace',
    files: npmFiles,
    folder: 'apps/web',
    real: { page: '/', changed: { 'apps/web/server.js': server('goodbye') } },
    port: 3000,
    watchPaths: ['packages/words/**', 'apps/web/**', 'package.json', 'package-lock.json'],
  },
  {
    name: 'pnpm-workspace',
    files: {
      'package.json': json({ private: true, packageManager: 'pnpm@10.12.1' }),
      'pnpm-workspace.yaml': lines(
        'packages:',
        "  - 'apps/*'",
        '  # shared',
        '  - packages/**',
        "  - '!packages/old'",
      ),
      'pnpm-lock.yaml': "lockfileVersion: '9.0'\n",
      'apps/api/package.json': json({
        name: 'api',
        scripts: { build: 'tsc', start: 'node dist/index.js' },
        dependencies: { fastify: '^5.0.0', db: 'workspace:*' },
      }),
      'packages/db/package.json': json({
        name: 'db',
        scripts: { build: 'tsc' },
        dependencies: { log: 'workspace:*' },
      }),
      'packages/log/package.json': json({ name: 'log', scripts: { build: 'tsc' } }),
      'packages/old/package.json': json({ name: 'old', scripts: { build: 'tsc' } }),
    },
    folder: 'apps/api',
    framework: 'Fastify',
    port: 3000,
    watchPaths: ['packages/log/**', 'packages/db/**', 'apps/api/**', ...pnpmFiles],
  },
  {
    name: 'yarn-workspace',
    files: {
      'package.json': json({ private: true, workspaces: { packages: ['site', 'ui'] } }),
      'yarn.lock': '# yarn lockfile v1\n',
      'site/package.json': json({
        name: 'site',
        scripts: { build: 'vite build' },
        dependencies: { ui: '1.0.0' },
        devDependencies: { vite: '^6.0.0' },
      }),
      'ui/package.json': json({ name: 'ui', version: '1.0.0' }),
    },
    folder: 'site',
    framework: 'Vite',
    port: 80,
    watchPaths: ['ui/**', 'site/**', 'package.json', 'yarn.lock'],
  },
  {
    name: 'turbo-next',
    files: {
      'package.json': json({
        private: true,
        packageManager: 'pnpm@9.15.0',
        devDependencies: { turbo: '^2.0.0' },
      }),
      'pnpm-workspace.yaml': 'packages: ["apps/*", "packages/*"]\n',
      'pnpm-lock.yaml': "lockfileVersion: '9.0'\n",
      'turbo.json': '{}',
      'apps/web/package.json': json({
        name: '@acme/web',
        scripts: { build: 'next build', start: 'next start' },
        dependencies: { next: '15.3.4', '@acme/ui': 'workspace:*' },
      }),
      'apps/web/next.config.js': "module.exports = { output: 'standalone' };\n",
      'packages/ui/package.json': json({ name: '@acme/ui' }),
    },
    folder: 'apps/web',
    framework: 'Next.js',
    port: 3000,
    watchPaths: ['packages/ui/**', 'apps/web/**', ...pnpmFiles],
  },
  {
    name: 'nx-nest',
    files: {
      'package.json': json({ private: true, workspaces: ['apps/*'], devDependencies: { nx: '^21.0.0' } }),
      'package-lock.json': json({ lockfileVersion: 3 }),
      'nx.json': '{}',
      'apps/api/package.json': json({
        name: 'api',
        scripts: { build: 'nest build', 'start:prod': 'node dist/main.js' },
        dependencies: { '@nestjs/core': '^11.0.0' },
      }),
    },
    folder: 'apps/api',
    framework: 'NestJS',
    port: 3000,
    watchPaths: ['apps/api/**', 'package.json', 'package-lock.json'],
  },
];
