/**
 * The command line as it is published: one bundled file without dependencies for Node.js 20 and newer, and
 * the few lines that start it, in a folder that `npm pack` takes as it is. `bin/berth` runs the same files.
 */
import { copyFile, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { version } from '../../cli/version.ts';
import { lateBuiltIns } from './late-built-ins.ts';
import { strict } from './strict.ts';

const root = join(import.meta.dirname, '../..');
/** Where `bin/berth` looks for it. */
export const packageFolder = join(root, 'dist/command-line');

const packageFile = {
  name: 'berth-cli',
  version,
  description: 'Deploy and look after services on Berth from the command line.',
  license: 'MIT',
  // Installed from the installation that serves it, or from a packed file; never published.
  private: true,
  type: 'module',
  bin: { berth: 'berth.mjs' },
  // program.mjs is the whole program; installations serve it as /cli/berth.mjs.
  files: ['berth.mjs', 'program.mjs'],
  engines: { node: '>=20' },
};

/**
 * Has Node.js keep the compiled program, in a folder that is the user's own: who could write there could make
 * them run anything.
 */
const start = `#!/usr/bin/env node
import module from 'node:module';
const { env } = process;
const home = env.HOME || env.USERPROFILE;
if (home) module.enableCompileCache?.(\`\${env.XDG_CACHE_HOME || \`\${home}/.cache\`}/berth\`);
await import('./program.mjs');
`;

const readme = `# Berth from the command line

    berth login --url https://berth.example.com
    berth deploy

Each installation of Berth serves the program: \`curl -fsSL https://berth.example.com/cli/install.sh | sh\`.

\`berth help\` lists the words, \`berth help <word>\` tells of one.
`;

/** Writes the folder; the program takes its place at once, so that one that starts meanwhile is whole. */
export async function packageCommandLine(folder = packageFolder): Promise<void> {
  await mkdir(folder, { recursive: true });
  const bundle = await rolldown({
    input: join(root, 'cli/main.ts'),
    platform: 'node',
    ...strict,
    plugins: [lateBuiltIns()],
    transform: { target: 'node20' },
  });
  try {
    // One file: what is imported late stands in it too, and runs late all the same.
    await put(folder, 'program.mjs', (file) =>
      bundle.write({
        file,
        format: 'esm',
        minify: true,
        codeSplitting: false,
        banner: '#!/usr/bin/env node',
      }),
    );
  } finally {
    await bundle.close();
  }
  await put(folder, 'berth.mjs', (file) => writeFile(file, start, { mode: 0o755 }));
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(packageFile, null, 2)}\n`);
  await writeFile(join(folder, 'README.md'), readme);
  await copyFile(join(root, 'LICENSE'), join(folder, 'LICENSE'));
}

/** Writes a file beside its place and moves it there. */
async function put(folder: string, name: string, write: (file: string) => Promise<unknown>): Promise<void> {
  const beside = join(folder, `.${process.pid}.${name}`);
  try {
    await write(beside);
    await rename(beside, join(folder, name));
  } finally {
    await rm(beside, { force: true });
  }
}
