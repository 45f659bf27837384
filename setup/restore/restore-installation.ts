/**
 * Puts a backup of Berth back on a machine without one: the database, and the key file that a passphrase
 * opens.
 */
import { oneLine } from '../../server/src/domain/text/words.ts';
import {
  chmodSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { randomBytes } from 'node:crypto';
import { askNextStart } from '../settings/ask-next-start.ts';
import { AppError } from '../../server/src/domain/errors.ts';
import { unsealKey } from '../../server/src/domain/secrets/sealed-key.ts';
import type { SetupContext } from '../context.ts';
import { readPassphrase } from '../settings/read-passphrase.ts';
import { postgresVariables, restorePostgres } from './restore-database.ts';
import { runCommand } from '../process/run-command.ts';

const limitMs = 30 * 60_000;
const manifestName = 'berth-backup.json';
const keyName = 'berth.key.sealed';
/** How files of age begin. */
const ageMark = 'age-encryption.org/v1';
/** Of the manifest, and of the key; both are far shorter. */
const mostBytes = 64 * 1024;
const databaseNames = ['berth.sqlite', 'berth.dump'] as const;

interface Manifest {
  database: (typeof databaseNames)[number];
  version: string;
  createdAt: string;
}

/**
 * Gives what was put back. PRECONDITION_FAILED when there is data already or the file is none of ours,
 * BAD_REQUEST for a wrong passphrase; nothing is changed then.
 */
export async function restoreInstallation(
  context: Pick<SetupContext, 'layout' | 'settings' | 'say' | 'signal'>,
  file: string,
): Promise<string> {
  const { layout, settings, signal, say } = context;
  await refuseOverData(context);
  const folder = mkdtempSync(join(layout.data, 'restore-'));
  try {
    const manifest = await unpack(resolve(file), folder, signal);
    say(`${file}: made ${oneLine(manifest.createdAt, 40)} by Berth ${oneLine(manifest.version, 40)}`);
    if ((manifest.database === 'berth.dump') !== (settings.databaseUrl !== undefined)) {
      throw new AppError(
        'PRECONDITION_FAILED',
        manifest.database === 'berth.dump'
          ? 'The backup is of a PostgreSQL database. Give the address of an empty one in DATABASE_URL.'
          : 'The backup is of the embedded database. Run the command without DATABASE_URL.',
      );
    }
    const key = await unsealKey(
      readFileSync(join(folder, keyName), 'utf8'),
      await readPassphrase('Passphrase of the backup: '),
    );
    const database = join(folder, manifest.database);
    if (settings.databaseUrl === undefined) placeFile(database, layout.database);
    else await restorePostgres(settings.databaseUrl, database, signal);
    writeFileSync(join(folder, 'key'), key, { mode: 0o600 });
    // What a backup holds is as it was: this is another incarnation of the same installation.
    askNextStart(layout.data, { restored: randomBytes(8).toString('hex') });
    // Last: with it there is an installation.
    placeFile(join(folder, 'key'), layout.key);
    return 'database and key file are back';
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function refuseOverData({
  layout,
  settings,
  signal,
}: Pick<SetupContext, 'layout' | 'settings' | 'signal'>): Promise<void> {
  const present = [layout.database, layout.key].find((path) => existsSync(path));
  if (present !== undefined)
    throw new AppError(
      'PRECONDITION_FAILED',
      `${present} is there: this machine already has a Berth, and nothing was changed. Stop it ` +
        `(./bin/down) and move ${layout.data} away first, or run ./bin/up without --restore.`,
    );
  if (settings.databaseUrl === undefined) return;
  const count = [
    'psql',
    '--no-psqlrc',
    '--tuples-only',
    '--no-align',
    '--command',
    'select count(*) from pg_tables where schemaname = current_schema()',
  ] as const;
  const { stdout } = await runCommand(count, {
    signal,
    limitMs: 60_000,
    env: postgresVariables(settings.databaseUrl),
  });
  if (stdout.trim() !== '0')
    throw new AppError(
      'PRECONDITION_FAILED',
      'The database that DATABASE_URL names already has tables, and nothing was changed. Give an empty one.',
    );
}

async function unpack(file: string, folder: string, signal: AbortSignal): Promise<Manifest> {
  refuseEncrypted(file);
  const extract = async (...names: string[]): Promise<void> => {
    try {
      await runCommand(
        [
          'tar',
          '--extract',
          '--gzip',
          `--file=${file}`,
          `--directory=${folder}`,
          '--no-same-owner',
          '--',
          ...names,
        ],
        { signal, limitMs },
      );
    } catch (error) {
      throw new AppError(
        'PRECONDITION_FAILED',
        `${file} is not a complete backup of Berth: it lacks ${names.join(', ')}, or it is damaged.`,
        { cause: error },
      );
    }
    for (const name of names)
      if (!lstatSync(join(folder, name)).isFile())
        throw new AppError('PRECONDITION_FAILED', `${name} in ${file} is not a plain file.`);
  };
  await extract(manifestName, keyName);
  const long = [manifestName, keyName].find((name) => statSync(join(folder, name)).size > mostBytes);
  if (long !== undefined) throw notOurs(file);
  const manifest = parseManifest(readFileSync(join(folder, manifestName), 'utf8'), file);
  await extract(manifest.database);
  return manifest;
}

/** Its key is on the sheet that was printed for its destination, and nowhere on this machine. */
function refuseEncrypted(file: string): void {
  const head = Buffer.alloc(ageMark.length);
  const opened = openSync(file, 'r');
  try {
    readSync(opened, head);
  } finally {
    closeSync(opened);
  }
  if (head.toString('latin1') !== ageMark) return;
  throw new AppError(
    'PRECONDITION_FAILED',
    `${file} is encrypted. Put the private key of its destination's recovery sheet into a file key.txt and ` +
      `run: age -d -i key.txt ${file} >berth.tar.gz (package age), then this again with berth.tar.gz. ` +
      'Nothing was changed.',
  );
}

function parseManifest(text: string, file: string): Manifest {
  const value = jsonOf(text);
  const field = (name: string): unknown =>
    typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  const database = databaseNames.find((name) => name === field('database'));
  if (field('form') !== 'berth-backup-1' || database === undefined) throw notOurs(file);
  return { database, version: String(field('version')), createdAt: String(field('createdAt')) };
}

const notOurs = (file: string): AppError =>
  new AppError(
    'PRECONDITION_FAILED',
    `${file} is not a backup that this Berth understands. Use the version that made it, or a newer one.`,
  );

/** Undefined for what is not JSON; the program's own words would repeat a stranger's. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function placeFile(from: string, to: string): void {
  chmodSync(from, 0o600);
  renameSync(from, to);
}
