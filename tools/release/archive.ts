/** The archive that a person downloads: what `bin/up` needs, built, with Node.js and npm. */
import { cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { mustRun } from '../../images/command.ts';
import { digestOf, signatureFile, sumsFile } from '../../setup/release/check-sums.ts';

/** Paths of the repository that a release has; `dist` must be built, with dashboard and command line. */
const releasedPaths = [
  'bin',
  'dist',
  'docs',
  'example',
  'images',
  'templates',
  'CHANGELOG.md',
  'LICENSE',
  'README.md',
  'SECURITY.md',
  'package-lock.json',
  'package.json',
  'release-key.pem',
] as const;

/** Results of the three builds. */
const built = ['dist/setup/up.js', 'dist/command-line/berth.mjs', 'dist/web/index.html'] as const;

/** What only a checkout has a use for. */
const leftOut = ['bin/test', 'dist/client-package', 'dist/.sources', 'dist/web/.sources'] as const;

/** Of the package of Node.js: the program without its headers. */
const nodeFiles = ['bin/node', 'package.json', 'LICENSE'] as const;

export interface ArchiveRequest {
  /** Built repository. */
  source: string;
  /** Folder of the unpacked package node-linux-<arch>. */
  node: string;
  /** Folder of the unpacked package npm. */
  npm: string;
  arch: 'x64' | 'arm64';
  version: string;
  /** Folder in which the archive is written. */
  target: string;
  /** Ed25519, PEM. */
  privateKey: string;
  /** Time that the files get, seconds since 1970, so that the same sources give the same archive. */
  time: number;
  signal: AbortSignal;
}

const limitMs = 300_000;

/** Writes `berth-<version>-linux-<arch>.tar.gz` and returns its path. */
export async function makeArchive(request: ArchiveRequest): Promise<string> {
  const { source, arch, version, target, signal } = request;
  const name = `berth-${version}-linux-${arch}`;
  const folder = join(target, name);
  const absent = built.find((path) => !existsSync(join(source, path)));
  if (absent !== undefined) throw new Error(`${join(source, absent)} is missing: build it first.`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  try {
    for (const path of releasedPaths) await cp(join(source, path), join(folder, path), { recursive: true });
    for (const path of leftOut) await rm(join(folder, path), { recursive: true, force: true });
    await layNode(request, join(folder, 'node_modules'));
    await signFolder(folder, request.privateKey);
    const archive = `${folder}.tar.gz`;
    const layout = ['--sort=name', `--mtime=@${request.time}`, '--owner=0', '--group=0', '--numeric-owner'];
    const words = [
      '-C',
      target,
      ...layout,
      '--mode=u+rw,go+rX,go-w',
      '-I',
      'gzip -n -6',
      '-cf',
      archive,
      name,
    ];
    await mustRun(['tar', ...words], { limitMs, signal });
    return archive;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function layNode({ node, npm, arch }: ArchiveRequest, modules: string): Promise<void> {
  for (const file of nodeFiles) {
    if (existsSync(join(node, file))) await cp(join(node, file), join(modules, `node-linux-${arch}`, file));
  }
  await cp(npm, join(modules, 'npm'), { recursive: true });
}

/** Lists the digests of all files below the folder, and signs the list. */
export async function signFolder(folder: string, privateKey: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((path) => ![sumsFile, signatureFile].includes(basename(path)))
    .toSorted();
  const lines: string[] = [];
  for (const path of paths) lines.push(`${await digestOf(join(folder, path))}  ${path}\n`);
  const sums = Buffer.from(lines.join(''));
  await writeFile(join(folder, sumsFile), sums);
  await writeFile(join(folder, signatureFile), sign(null, sums, createPrivateKey(privateKey)));
}

/** The public part of a private key, PEM. */
export function publicPart(privateKey: string): string {
  return createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString();
}
