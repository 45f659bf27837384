/**
 * The product as it runs (ADR 47): server, set-up and agent bundled from their sources into `dist/`, with the
 * packages that they use, so that a release needs no other package than Node.js.
 */
import { copyFile, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { rolldown, type OutputChunk, type Plugin, type RolldownOutput } from 'rolldown';
import { asciiOnly } from './ascii.ts';
import { bareBuiltIns } from './bare-built-ins.ts';
import { lateBuiltIns } from './late-built-ins.ts';
import { strict } from './strict.ts';

const root = join(import.meta.dirname, '../..');

/** Programs that share their chunks: sources by the path below `dist/`, both without the end. */
const programs = {
  // Loads the server itself, which is bundled apart.
  'server/src/main': 'server/src/main-of-bundle',
  'server/src/reset-password': 'server/src/reset-password',
  'setup/up': 'setup/up',
  'setup/down': 'setup/down',
  'setup/verify-release': 'setup/verify-release',
  'setup/process/bound-logs-beside-berth': 'setup/process/bound-logs-beside-berth',
} as const;

/** What `/docs` serves of the package. */
const reference = ['swagger-ui.css', 'swagger-ui-bundle.js'] as const;

/** Packages that compile an add-on, or only make another quicker. Whoever tries to load one does without. */
const leftOut = ['bufferutil', 'cpu-features', 'pg-native', 'utf-8-validate'];

/** What Fastify loads for schemas of routes, of which there are none, and for requests without a socket. */
const unusedOfFastify = [
  '@fastify/ajv-compiler',
  '@fastify/fast-json-stringify-compiler',
  'light-my-request',
];

/** Built-in modules that a package loads for what nobody here asks of it: 6 MB of memory. */
const unused = ['node:http2'];

/** Compiled add-ons are never there, since no package's script is run: by a name that leads nowhere. */
const addOns: Plugin = {
  name: 'add-ons',
  resolveId: (source) => (source.endsWith('.node') ? { id: basename(source), external: true } : null),
};

const given = 'require, exports, __filename, __dirname';

/** Each part of the server as what `server/src/bundle.ts` calls. */
const asFunctions: Plugin = {
  name: 'as functions',
  generateBundle(_options, bundle) {
    for (const output of Object.values(bundle))
      if (output.type === 'chunk') output.code = `(function (${given}) { 'use strict'; ${output.code}\n})\n`;
  },
};

/** Writes the programs into `dist/`; what else stands there stays. */
export async function packageProgram(target = join(root, 'dist')): Promise<void> {
  for (const name of ['chunks', 'program']) await rm(join(target, name), { recursive: true, force: true });
  const bundles = [
    await bundlePrograms(programs, target),
    await bundleServer(join(target, 'program')),
    await bundleAgent(target),
  ];
  await copyReference(join(target, 'swagger-ui'));
  await writeFile(join(target, 'LICENSES.txt'), await licenses(bundles.flatMap(({ output }) => output)));
}

/** Bundles these programs of the checkout, with chunks that they share. */
export async function bundlePrograms(
  sources: Readonly<Record<string, string>>,
  target: string,
): Promise<RolldownOutput> {
  const bundle = await rolldown({
    cwd: root,
    input: Object.fromEntries(Object.entries(sources).map(([path, source]) => [path, `./${source}.ts`])),
    platform: 'node',
    external: leftOut,
    plugins: [addOns, bareBuiltIns(), lateBuiltIns(unused), asciiOnly()],
    ...strict,
    // Of CommonJS packages; none of them looks for a file there.
    transform: { target: 'node24', define: { __dirname: 'import.meta.dirname' } },
  });
  try {
    // Not minified: the names in a stack trace are worth more than the 6 MB of memory that it would save.
    return await bundle.write({
      dir: target,
      format: 'esm',
      comments: false,
      entryFileNames: '[name].js',
      chunkFileNames: 'chunks/[name]-[hash].js',
    });
  } finally {
    await bundle.close();
  }
}

/** The server as parts for `server/src/bundle.ts`: what each start needs in one, what it may need beside. */
async function bundleServer(target: string): Promise<RolldownOutput> {
  const bundle = await rolldown({
    cwd: root,
    input: { start: './server/src/start.ts' },
    platform: 'node',
    external: [...leftOut, ...unusedOfFastify],
    // So that what late parts share with the first stands in the first, and not in parts between them.
    preserveEntrySignatures: 'allow-extension',
    plugins: [addOns, lateBuiltIns(unused), asciiOnly(), asFunctions],
    ...strict,
    // A release has the agent in a file, and never looks for its packages.
    transform: { target: 'node24', define: { 'import.meta.resolve': 'undefined' } },
  });
  try {
    return await bundle.write({
      dir: target,
      format: 'cjs',
      comments: false,
      entryFileNames: '[name].js',
      chunkFileNames: 'late/[name]-[hash].js',
    });
  } finally {
    await bundle.close();
  }
}

/** One file: it travels to every server that is monitored. */
async function bundleAgent(target: string): Promise<RolldownOutput> {
  const bundle = await rolldown({
    cwd: root,
    input: './server/src/adapters/metrics/agent.ts',
    platform: 'node',
    plugins: [bareBuiltIns(), asciiOnly()],
    ...strict,
    transform: { target: 'node24' },
  });
  try {
    return await bundle.write({
      file: join(target, 'agent/agent.js'),
      format: 'esm',
      comments: false,
      codeSplitting: false,
    });
  } finally {
    await bundle.close();
  }
}

async function copyReference(target: string): Promise<void> {
  const folder = packageFolder('swagger-ui-dist');
  await mkdir(target, { recursive: true });
  for (const name of reference) await copyFile(join(folder, name), join(target, name));
}

function packageFolder(name: string): string {
  return dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
}

/** The licences of all packages whose code is in the bundle, as they ask for. */
async function licenses(outputs: RolldownOutput['output'][number][]): Promise<string> {
  const folders = new Set([packageFolder('swagger-ui-dist')]);
  for (const chunk of outputs.filter((output): output is OutputChunk => output.type === 'chunk')) {
    for (const id of chunk.moduleIds) {
      const found = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1];
      if (found !== undefined) folders.add(found);
    }
  }
  const texts = await Promise.all([...folders].toSorted().map(licenseOf));
  return ['Berth contains these packages.', ...texts].join(`\n\n${'-'.repeat(80)}\n\n`);
}

async function licenseOf(folder: string): Promise<string> {
  const facts: unknown = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const { name = '', version = '', license = '' } = Object(facts);
  const file = (await readdir(folder)).find((each) => /^licen[cs]e/i.test(each));
  const text = file === undefined ? '' : `\n\n${(await readFile(join(folder, file), 'utf8')).trim()}`;
  return `${name} ${version}, ${license}${text}`;
}
