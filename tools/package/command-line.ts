/**
 * The command line as it is published: one bundled file without dependencies for Node.js 20 and newer, in a
 * folder that `npm pack` takes as it is. `bin/berth` runs the same file.
 */
import { chmod, copyFile, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { version } from '../../cli/version.ts';

const root = join(import.meta.dirname, '../..');
/** Where `bin/berth` looks for it. */
export const packageFolder = join(root, 'dist/command-line');

const packageFile = {
  name: '@berth/cli',
  version,
  description: 'Deploy and look after services on Berth from the command line.',
  license: 'MIT',
  type: 'module',
  bin: { berth: 'berth.mjs' },
  files: ['berth.mjs'],
  engines: { node: '>=20' },
};

const readme = `# Berth from the command line

    npx @berth/cli login --url https://berth.example.com
    npx @berth/cli deploy

\`berth help\` lists the words, \`berth help <word>\` tells of one.
`;

/** Writes the folder; the program takes its place at once, so that one that starts meanwhile is whole. */
export async function packageCommandLine(folder = packageFolder): Promise<void> {
  await mkdir(folder, { recursive: true });
  const beside = join(folder, `.berth.${process.pid}.mjs`);
  const bundle = await rolldown({
    input: join(root, 'cli/main.ts'),
    platform: 'node',
    logLevel: 'warn',
    transform: { target: 'node20' },
  });
  try {
    // One file: what is imported late stands in it too, and runs late all the same.
    await bundle.write({
      file: beside,
      format: 'esm',
      minify: true,
      codeSplitting: false,
      banner: '#!/usr/bin/env node',
    });
    await chmod(beside, 0o755);
    await rename(beside, join(folder, 'berth.mjs'));
  } finally {
    await bundle.close();
    await rm(beside, { force: true });
  }
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(packageFile, null, 2)}\n`);
  await writeFile(join(folder, 'README.md'), readme);
  await copyFile(join(root, 'LICENSE'), join(folder, 'LICENSE'));
}
