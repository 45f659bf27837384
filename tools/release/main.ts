/**
 * `npm run release [-- --out FOLDER]`: builds the tag of this version in a clone and writes what a person
 * downloads. `npm run release -- --new-key FILE` makes the key that signs.
 */
import { generateKeyPairSync } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { fetchPackage, pinnedNpm } from '../../images/build-context.ts';
import { mustRun, type Argv } from '../../images/command.ts';
import { sentenceOf } from '../../server/src/domain/errors.ts';
import { keyFile } from '../../setup/release/check-sums.ts';
import { makeArchive, publicPart, signFolder } from './archive.ts';
import { keyVariable, lockedNode, releaseFault } from './ready.ts';

const root = join(import.meta.dirname, '../..');
const architectures = ['x64', 'arm64'] as const;
const interrupted = new AbortController();
const { signal } = interrupted;
const buildLimitMs = 15 * 60_000;

const run = (argv: Argv, cwd: string): Promise<string> =>
  mustRun(argv, { limitMs: buildLimitMs, signal, cwd });
const git = async (...words: string[]): Promise<string> => (await run(['git', ...words], root)).trim();

async function release(target: string): Promise<void> {
  const { version }: { version: string } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const tag = `v${version}`;
  const keyPath = process.env[keyVariable];
  const privateKey = keyPath && existsSync(keyPath) ? await readFile(keyPath, 'utf8') : undefined;
  const fault = releaseFault({
    version,
    changelog: await readFile(join(root, 'CHANGELOG.md'), 'utf8'),
    changes: await git('status', '--porcelain'),
    tagsHere: (await git('tag', '--points-at', 'HEAD')).split('\n'),
    publicKey: await readFile(join(root, keyFile), 'utf8'),
    givenPublicKey: privateKey === undefined ? undefined : publicPart(privateKey),
  });
  if (fault !== undefined || privateKey === undefined) throw new Error(fault);
  const scratch = await mkdtemp(join(tmpdir(), 'berth-release-'));
  try {
    const source = join(scratch, 'source');
    await git('clone', '--quiet', '--no-hardlinks', '--branch', tag, root, source);
    await build(source);
    const packages = await fetchPackages(source, scratch);
    const time = Number(await git('log', '-1', '--format=%ct', tag));
    await rm(target, { recursive: true, force: true });
    await mkdir(target, { recursive: true });
    for (const arch of architectures) {
      const { node, npm } = packages[arch];
      console.log(`packs ${arch}`);
      await makeArchive({ source, node, npm, arch, version, target, privateKey, time, signal });
    }
    await signFolder(target, privateKey);
    console.log(`\n${tag} is in ${target}. Publish all of its files; people check them as the README says.`);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function build(source: string): Promise<void> {
  const npm = (...words: string[]): Promise<string> => run(['npm', ...words], source);
  console.log('installs the packages of the lock file');
  await npm('ci', '--ignore-scripts', '--no-audit', '--no-fund');
  console.log('builds the product, the command line and the dashboard');
  await run([process.execPath, 'tools/package/main.ts', 'program', 'command-line'], source);
  await run(['bash', 'bin/lib/build-dashboard.sh'], source);
}

type Packages = Record<(typeof architectures)[number], { node: string; npm: string }>;

/** Node.js of each architecture as the lock file names it, and npm as the Node image has it. */
async function fetchPackages(source: string, scratch: string): Promise<Packages> {
  const lock: unknown = JSON.parse(await readFile(join(source, 'package-lock.json'), 'utf8'));
  const npm = join(scratch, 'npm');
  await fetchPackage(await pinnedNpm(), npm, signal);
  const nodes = architectures.map((arch) => ({ arch, folder: join(scratch, arch) }));
  for (const { arch, folder } of nodes) await fetchPackage(lockedNode(lock, arch), folder, signal);
  return { x64: { node: join(scratch, 'x64'), npm }, arm64: { node: join(scratch, 'arm64'), npm } };
}

/** The private part goes into the file, which must be new; the public part into the source. */
async function makeKey(path: string): Promise<void> {
  const privateKey = generateKeyPairSync('ed25519')
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString();
  await writeFile(path, privateKey, { mode: 0o600, flag: 'wx' });
  await writeFile(join(root, keyFile), publicPart(privateKey));
  console.log(
    `The private key is in ${path}: keep it out of the repository. Commit ${keyFile}, its public part.`,
  );
}

for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => interrupted.abort());
try {
  const { values } = parseArgs({ options: { out: { type: 'string' }, 'new-key': { type: 'string' } } });
  if (values['new-key'] !== undefined) await makeKey(resolve(values['new-key']));
  else await release(resolve(values.out ?? join(root, 'dist/release')));
} catch (error) {
  console.error(sentenceOf(error));
  process.exitCode = 1;
}
