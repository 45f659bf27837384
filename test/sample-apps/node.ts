/** Samples of Node.js. */
import { json, lines, lockOf, type Sample } from './sample.ts';

const expressServer = (said: string): string =>
  `require('express')().get('/', (_, answer) => answer.send('${said}')).listen(process.env.PORT ?? 3000);\n`;

/** A server without packages. */
const plainServer = (said: string): string =>
  `require('node:http').createServer((_, answer) => answer.end('${said}'))` +
  '.listen(process.env.PORT ?? 3000);\n';

const typedServer = (said: string): string =>
  lines(
    'declare const require: any;',
    'declare const process: any;',
    `const text: string = '${said}';`,
    "require('node:http')",
    '  .createServer((_: unknown, answer: any) => answer.end(text))',
    '  .listen(process.env.PORT ?? 3000);',
  );

const npmLock = json({ lockfileVersion: 3 });

export const nodeSamples: readonly Sample[] = [
  {
    name: 'express-npm',
    files: {
      'package.json': json({
        scripts: { start: 'node server.js' },
        dependencies: { express: '^5.1.0' },
        engines: { node: '>=20' },
      }),
      'package-lock.json': lockOf('express.json'),
      'server.js': expressServer('hello'),
    },
    real: { page: '/', changed: { 'server.js': expressServer('goodbye') } },
    framework: 'Express',
    port: 3000,
  },
  {
    name: 'plain-npm-without-lock',
    files: {
      'package.json': json({
        scripts: { start: 'NODE_ENV=production node index.js' },
        dependencies: { ms: '2.1.3' },
      }),
      'index.js': plainServer('hello'),
      '.nvmrc': 'v24\n',
    },
    real: { page: '/', changed: { 'index.js': plainServer('goodbye') } },
    port: 3000,
  },
  {
    name: 'typescript-pnpm',
    files: {
      'package.json': json({
        packageManager: 'pnpm@10.12.1',
        scripts: { build: 'tsc', start: 'node dist/server.js' },
        dependencies: { hono: '4.8.0' },
        devDependencies: { typescript: '5.8.3' },
        engines: { node: '22' },
      }),
      'pnpm-lock.yaml': lockOf('typescript-pnpm.yaml'),
      'tsconfig.json': json({
        compilerOptions: { outDir: 'dist', module: 'commonjs', types: [] },
        include: ['src'],
      }),
      'src/server.ts': typedServer('hello'),
    },
    secrets: ['NPM_TOKEN'],
    real: { page: '/', changed: { 'src/server.ts': typedServer('goodbye') } },
    framework: 'Hono',
    port: 3000,
  },
  {
    name: 'fastify-yarn',
    files: {
      'package.json': json({
        scripts: { start: 'node server.js' },
        dependencies: { fastify: '^5.0.0' },
        devDependencies: { prettier: '^3.0.0' },
      }),
      'yarn.lock': '# yarn lockfile v1\n',
      'server.js': '',
      Procfile: lines(
        'web: node server.js --port 4000',
        'release: node migrate.js',
        'worker: node worker.js',
      ),
    },
    framework: 'Fastify',
    port: 4000,
  },
  {
    name: 'plain-yarn',
    files: {
      'package.json': json({
        scripts: { start: 'node server.js' },
        dependencies: { ms: '2.1.3' },
        devDependencies: { picocolors: '1.1.1' },
      }),
      'yarn.lock': lockOf('plain-yarn.lock'),
      'server.js': plainServer('hello'),
    },
    real: { page: '/', changed: { 'server.js': plainServer('goodbye') } },
    port: 3000,
  },
  {
    name: 'koa-yarn-berry',
    files: {
      'package.json': json({
        packageManager: 'yarn@4.9.2',
        main: 'app.js',
        dependencies: { koa: '^3.0.0' },
      }),
      'yarn.lock': '__metadata:\n  version: 8\n',
      '.yarnrc.yml': 'nodeLinker: node-modules\n',
      'app.js': '',
    },
    framework: 'Koa',
    port: 3000,
  },
  {
    name: 'hono-bun',
    files: {
      'package.json': json({ scripts: { start: 'bun src/index.ts' }, dependencies: { hono: '^4.8.0' } }),
      'bun.lock': '{}',
      'src/index.ts': '',
    },
    framework: 'Hono',
    port: 3000,
  },
  {
    name: 'next-npm',
    files: {
      'package.json': json({
        scripts: { dev: 'next dev', build: 'next build', start: 'next start' },
        dependencies: { next: '15.3.4', react: '19.1.0', 'react-dom': '19.1.0' },
      }),
      'package-lock.json': npmLock,
    },
    variables: ['NEXT_PUBLIC_API'],
    framework: 'Next.js',
    port: 3000,
  },
  {
    name: 'next-standalone',
    files: {
      'package.json': json({
        scripts: { build: 'next build', start: 'next start' },
        dependencies: { next: '15.3.4' },
      }),
      'package-lock.json': npmLock,
      'next.config.ts': "export default { output: 'standalone' };\n",
      'public/robots.txt': '',
    },
    framework: 'Next.js',
    port: 3000,
  },
  {
    name: 'vite-react',
    files: {
      'package.json': json({
        type: 'module',
        scripts: { dev: 'vite', build: 'vite build', preview: 'vite preview' },
        devDependencies: { vite: '6.3.5' },
      }),
      'package-lock.json': lockOf('vite.json'),
      'index.html': '<!doctype html><title>hello</title><script type="module" src="/main.js"></script>\n',
      'main.js': 'document.body.textContent = import.meta.env.VITE_GREETING;\n',
    },
    variables: ['VITE_GREETING'],
    real: {
      page: '/any/where',
      changed: { 'index.html': '<!doctype html><title>goodbye</title>\n' },
    },
    framework: 'Vite',
    port: 80,
  },
  {
    name: 'nuxt-pnpm',
    files: {
      'package.json': json({
        scripts: { build: 'nuxt build', postinstall: 'nuxt prepare' },
        dependencies: { nuxt: '^3.17.0' },
      }),
      'pnpm-lock.yaml': "lockfileVersion: '9.0'\n",
    },
    framework: 'Nuxt',
    port: 3000,
  },
  {
    name: 'sveltekit-npm',
    files: {
      'package.json': json({
        scripts: { build: 'vite build' },
        devDependencies: { '@sveltejs/kit': '^2.0.0', '@sveltejs/adapter-node': '^5.0.0', vite: '^6.0.0' },
      }),
      'package-lock.json': npmLock,
    },
    framework: 'SvelteKit',
    port: 3000,
  },
  {
    name: 'astro-pages',
    files: {
      'package.json': json({
        scripts: { build: 'astro build', start: 'astro dev' },
        dependencies: { astro: '^5.0.0' },
      }),
      'package-lock.json': npmLock,
    },
    framework: 'Astro',
    port: 80,
  },
  {
    name: 'astro-server',
    files: {
      'package.json': json({
        scripts: { build: 'astro build' },
        dependencies: { astro: '^5.0.0', '@astrojs/node': '^9.0.0' },
      }),
      'package-lock.json': npmLock,
    },
    framework: 'Astro',
    port: 4321,
  },
  {
    name: 'remix-npm',
    files: {
      'package.json': json({
        scripts: { build: 'remix vite:build', start: 'remix-serve ./build/server/index.js' },
        dependencies: { '@remix-run/serve': '^2.0.0', '@remix-run/node': '^2.0.0' },
        devDependencies: { vite: '^5.0.0' },
      }),
      'package-lock.json': npmLock,
    },
    framework: 'Remix',
    port: 3000,
  },
  {
    name: 'nest-prisma',
    files: {
      'package.json': json({
        scripts: {
          build: 'nest build',
          start: 'nest start',
          'start:prod': 'node dist/main',
          postinstall: 'prisma generate',
        },
        dependencies: { '@nestjs/core': '^11.0.0', '@prisma/client': '^6.0.0' },
        devDependencies: { '@nestjs/cli': '^11.0.0', prisma: '^6.0.0' },
      }),
      'package-lock.json': npmLock,
      'prisma/schema.prisma': '',
    },
    framework: 'NestJS',
    port: 3000,
  },
  {
    name: 'published-folder',
    files: {
      'package.json': json({ scripts: { build: 'node build.js' } }),
      'build.js':
        "require('node:fs').mkdirSync('www', { recursive: true });\n" +
        "require('node:fs').writeFileSync('www/index.html', 'hello');\n",
    },
    publishDirectory: 'www',
    real: {
      page: '/',
      changed: {
        'build.js':
          "require('node:fs').mkdirSync('www', { recursive: true });\n" +
          "require('node:fs').writeFileSync('www/index.html', 'goodbye');\n",
      },
    },
    port: 80,
  },
];
