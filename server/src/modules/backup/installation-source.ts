/**
 * Berth itself as the source of a backup: a tar archive with a snapshot of its database and its encrypted
 * key.
 */
import { AppError } from '../../domain/errors.ts';
import { command } from '../../shell/command.ts';
import { startPiped } from '../../shell/piped.ts';
import type { BackupSourceKind } from './source.ts';

/** The description of the archive, which is part of it. */
export interface Manifest {
  form: 'berth-backup-1';
  /** Versions of the Berth that made it and of its database schema. */
  version: string;
  schema: number;
  database: 'berth.sqlite' | 'berth.dump';
  createdAt: string;
}

export interface InstallationPorts {
  /** Creates an empty private folder for the run; resolves with its path. */
  makeFolder(backupRunId: string): Promise<string>;
  removeFolder(backupRunId: string): Promise<void>;
  /** Writes database, manifest and encrypted key into the folder; resolves with the names to pack. */
  snapshot(folder: string, sealedKey: string): Promise<string[]>;
}

export function createInstallationSource({
  makeFolder,
  removeFolder,
  snapshot,
}: InstallationPorts): BackupSourceKind {
  return {
    ending: () => 'tar.gz',
    async open({ sealedKey }, { run, signal }) {
      if (sealedKey === null)
        throw new AppError(
          'PRECONDITION_FAILED',
          'The key file is not sealed yet. Call installationBackup.set with a passphrase.',
        );
      const folder = await makeFolder(run.backupRunId);
      return {
        title: 'Berth itself',
        secrets: [],
        async *read() {
          try {
            yield* packed(folder, await snapshot(folder, sealedKey), signal);
          } finally {
            await removeFolder(run.backupRunId);
          }
        },
      };
    },
    tidy: ({ backupRunId }) => removeFolder(backupRunId),
  };
}

async function* packed(
  folder: string,
  names: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const child = startPiped(
    command(
      [
        'tar',
        '--create',
        '--format=gnu',
        '--owner=0',
        '--group=0',
        `--directory=${folder}`,
        '--file=-',
        '--',
        ...names,
      ],
      { cwd: folder },
    ),
  );
  child.stdin.end();
  const kill = (): void => child.kill();
  signal.addEventListener('abort', kill, { once: true });
  try {
    for await (const chunk of child.stdout)
      yield chunk instanceof Uint8Array ? chunk : Buffer.from(String(chunk));
    const { exitCode, stderr } = await child.ended;
    signal.throwIfAborted();
    if (exitCode !== 0) throw new AppError('PRECONDITION_FAILED', `The files could not be packed: ${stderr}`);
  } finally {
    signal.removeEventListener('abort', kill);
    kill();
  }
}
