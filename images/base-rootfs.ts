import { X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mustRun, type Argv } from './command.ts';

/** Debian releases that a root can be made of, by their archive's name. */
export type Suite = 'bookworm' | 'trixie' | 'sid';

/** The suite whose Debian sources file of the machine leads to the mirror. */
const machineSuite = 'bookworm';

const bundle = '/etc/ssl/certs/ca-certificates.crt';
const sourceFolder = '/etc/apt/sources.list.d';

/** What a Debian root file system of ours is made of and from. */
export interface BaseRecipe {
  suite: Suite;
  packages: readonly string[];
  /**
   * Certificates that this machine trusts and Debian does not ship, in PEM: its HTTPS may pass through them.
   */
  certificates: readonly string[];
  /** What this machine's apt is told of proxies, and of how old a mirror may be. */
  aptOptions: readonly string[];
  /** `extract`: the packages' files alone, without a system around them. */
  variant?: 'minbase' | 'extract';
  /** A sources file or line, so that the machine's mirror is used; null: Debian's default mirror. */
  sources: string | null;
}

/** Reads from the machine what its Debian needs to reach the outside. */
export async function readBaseRecipe(
  packages: readonly string[],
  signal: AbortSignal,
  suite: Suite = machineSuite,
): Promise<BaseRecipe> {
  const [certificates, aptOptions, file] = await Promise.all([
    extraCertificates(),
    proxyOptions(signal),
    debianSources(),
  ]);
  const sources = file === null || suite === machineSuite ? file : await mirrorOf(file, suite);
  return { suite, packages, certificates, aptOptions, sources };
}

/** The line for another suite on the mirror that a sources file names first; null when it names none. */
async function mirrorOf(file: string, suite: Suite): Promise<string | null> {
  const text = await readFile(file, 'utf8');
  const uri = /^URIs:\s*(\S+)/m.exec(text)?.[1] ?? /^deb\s+(?:\[[^\]]*\]\s+)?(\S+)/m.exec(text)?.[1];
  return uri === undefined ? null : `deb ${uri} ${suite} main`;
}

/**
 * Makes the root file system as a tar archive at `target` (about 130 MB, 25 s of dpkg on two cores).
 * Needs root and mmdebstrap; `workFolder` receives the certificates meanwhile.
 */
export async function makeBaseRootfs(
  recipe: BaseRecipe,
  target: string,
  workFolder: string,
  signal: AbortSignal,
): Promise<void> {
  const certificates = join(workFolder, 'certificates');
  await mkdir(certificates, { recursive: true });
  await Promise.all(
    recipe.certificates.map((pem, index) => writeFile(join(certificates, `machine-${index}.crt`), pem)),
  );
  // In a mount namespace of its own and with its scratch space in our folder, so that nothing stays when it
  // is killed.
  const argv: Argv = [
    'unshare',
    '--mount',
    '--propagation',
    'private',
    '--',
    ...mmdebstrapArgv(recipe, target, certificates),
  ];
  await mustRun(argv, { limitMs: 420_000, signal, env: { ...process.env, TMPDIR: workFolder } });
}

/** What decides the contents, as one text to hash; mirror and proxy are only ways to the same packages. */
export function baseRecipeText(recipe: BaseRecipe): string {
  return [
    ...mmdebstrapArgv({ ...recipe, aptOptions: [], sources: null }, 'archive', 'certificates'),
    ...recipe.certificates,
  ].join('\n');
}

function mmdebstrapArgv(recipe: BaseRecipe, target: string, certificates: string): Argv {
  const excluded = ['man', 'doc', 'locale', 'info'].map(
    (folder) => `--dpkgopt=path-exclude=/usr/share/${folder}/*`,
  );
  const hooks =
    recipe.certificates.length === 0
      ? []
      : [
          `--customize-hook=sync-in ${certificates} /usr/local/share/ca-certificates`,
          '--customize-hook=chroot "$1" update-ca-certificates',
        ];
  return [
    'mmdebstrap',
    '--quiet',
    '--mode=root',
    `--variant=${recipe.variant ?? 'minbase'}`,
    '--skip=cleanup/reproducible',
    `--include=${recipe.packages.join(',')}`,
    '--dpkgopt=force-unsafe-io',
    ...excluded,
    '--aptopt=Acquire::Languages "none"',
    ...recipe.aptOptions.map((option) => `--aptopt=${option}`),
    ...hooks,
    recipe.suite,
    target,
    ...(recipe.sources === null ? [] : [recipe.sources]),
  ];
}

async function extraCertificates(): Promise<string[]> {
  if (!existsSync(bundle)) return [];
  const shipped = new Set(await shippedFingerprints());
  const blocks =
    (await readFile(bundle, 'utf8')).match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ??
    [];
  return blocks
    .filter((pem) => !shipped.has(new X509Certificate(pem).fingerprint256))
    .map((pem) => `${pem}\n`)
    .toSorted();
}

async function shippedFingerprints(): Promise<string[]> {
  const folder = '/usr/share/ca-certificates/mozilla';
  if (!existsSync(folder)) return [];
  const files = (await readdir(folder)).filter((file) => file.endsWith('.crt'));
  return Promise.all(
    files.map(async (file) => new X509Certificate(await readFile(join(folder, file))).fingerprint256),
  );
}

async function proxyOptions(signal: AbortSignal): Promise<string[]> {
  const dump = await mustRun(['apt-config', 'dump', 'Acquire'], { limitMs: 10_000, signal });
  return dump
    .split('\n')
    .map((line) => line.replace(/;$/, ''))
    .filter(
      (line) =>
        /^Acquire::(?:[a-z]+::Proxy|Check-Valid-Until|Check-Date)/i.test(line) && !line.endsWith('""'),
    )
    .toSorted();
}

async function debianSources(): Promise<string | null> {
  const listed = await readdir(sourceFolder).catch(() => []);
  const files = [
    '/etc/apt/sources.list',
    ...listed.toSorted((left, right) => left.localeCompare(right)).map((name) => join(sourceFolder, name)),
  ].filter((path) => existsSync(path));
  for (const file of files) {
    // Other makers name their suites "something-bookworm"; only Debian's own is called just so.
    if (/^(deb|Suites:)(\s.*)?\sbookworm(\s|$)/m.test(await readFile(file, 'utf8'))) return file;
  }
  return null;
}
