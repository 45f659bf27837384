/** A database as the source of a backup: a program of its own image dumps it while its service runs. */
import { backupRunLabel } from '../../domain/names/labels.ts';
import { databaseKindNames, type DatabaseKindName } from '../../domain/database-kind.ts';
import { AppError } from '../../domain/errors.ts';
import type { Secret } from '../../domain/secrets/secret.ts';
import { type Engine } from '../../ports/engine/engine.ts';
import {
  createLastWords,
  execKeptBytes,
  ProgramFailed,
  type ConfinedProgram,
  type ProgramSpec,
} from '../../ports/engine/engine-program.ts';
import type { RegistryAuth } from '../../ports/engine/registry-auth.ts';
import { runningContainer } from '../database/ask-server.ts';
import type { DatabaseProgram, DatabasePrograms, DatabaseTarget } from './programs/database-program.ts';
import { databasePrograms } from './programs/programs.ts';
import { shapeOf } from './programs/shape.ts';
import type { BackupSourceKind } from './source.ts';
import { limitedBytes } from '../../domain/text/limited-bytes.ts';

/** A database server that programs of its image can connect to. */
export interface DatabaseServer {
  kind: DatabaseKindName;
  name: string;
  /** Name of its service on the engine and in its network. */
  service: string;
  image: string;
  /** Digest of what it is started with. */
  settings: string;
  network: string;
  user: string;
  password: string;
  rootPassword: string;
  registryAuth?: RegistryAuth | undefined;
  /** The engine of the host that it runs on. */
  engine: Engine;
}

/** Limit for a short query, on a busy server. */
const textLimitMs = 120_000;

export interface Programs {
  /** The output of a program in a container of its own; fails when the program fails. */
  output(
    server: DatabaseServer,
    program: DatabaseProgram,
    options: ProgramOptions,
  ): AsyncIterable<Uint8Array>;
  /**
   * The output of a short program as text. It runs in the server's container, because a container of its own
   * takes half a second to start.
   */
  text(server: DatabaseServer, program: DatabaseProgram, options: ProgramOptions): Promise<string>;
}

export interface ProgramOptions {
  backupRunId: string;
  signal: AbortSignal;
  input?: AsyncIterable<Uint8Array>;
  onLine?(line: string): void;
}

export function targetOf(
  { service, user, password, rootPassword }: DatabaseServer,
  database: string,
): DatabaseTarget {
  return { host: service, user, password, rootPassword, database };
}

/** A throw-away server: its image makes its folders as root, gives them away and becomes its own user. */
const alone: ConfinedProgram = {
  mounts: [],
  shell: ['sh'],
  capabilities: ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETGID', 'SETUID'],
  limits: { memoryBytes: 2 * 1024 ** 3, nanoCpus: 2_000_000_000, pids: 512 },
  writesItsImage: true,
};

export function createPrograms(newName: (what: string) => string): Programs {
  const output = (
    server: DatabaseServer,
    { argv, env, isAlone }: DatabaseProgram,
    { backupRunId, signal, input, onLine = () => undefined }: ProgramOptions,
  ): AsyncIterable<Uint8Array> => {
    const spec: ProgramSpec = {
      name: newName(server.service),
      image: server.image,
      argv,
      env: env satisfies Record<string, string | Secret>,
      marksItsEnd: true,
      network: isAlone ? 'none' : server.network,
      ...(isAlone && { confined: alone }),
      labels: { [backupRunLabel]: backupRunId },
      registryAuth: server.registryAuth,
    };
    return server.engine.programOutput(spec, { signal, input, onLine });
  };
  return {
    output,
    async text(server, program, options) {
      const { argv, env, isLong } = program;
      if (isLong) return allOf(output(server, program, options));
      const { signal, onLine = () => undefined } = options;
      const { engine, service } = server;
      const { exitCode, stdout, stderr } = await engine.exec(await runningContainer(engine, service), {
        argv: [...argv],
        env,
        signal,
        limitMs: textLimitMs,
      });
      const last = createLastWords();
      for (const line of stderr.split('\n').filter((said) => said.trim() !== '')) {
        last.add(line);
        onLine(line);
      }
      if (exitCode !== 0) throw new ProgramFailed(argv[0], exitCode, last.words());
      return Buffer.byteLength(stdout) < execKeptBytes
        ? stdout.trim()
        : allOf(output(server, program, options));
    },
  };
}

/** Bytes of names of tables, of which a database may have hundreds of thousands. */
const mostOfAnswer = 16 * 1024 * 1024;

async function allOf(output: AsyncIterable<Uint8Array>): Promise<string> {
  return (await limitedBytes(output, mostOfAnswer, 'The output of a program of the database'))
    .toString()
    .trim();
}

export interface DatabaseSourcePorts {
  programs: Programs;
  /** Removes Berth's containers with this label from the host of the database. */
  removeContainers(databaseId: string | null, label: string): Promise<void>;
  /** The running server of a database; undefined when it does not run. */
  running(databaseId: string): Promise<DatabaseServer | undefined>;
}

export function createDatabaseSource({
  removeContainers,
  programs: texts,
  running: runningServer,
}: DatabaseSourcePorts): BackupSourceKind {
  return {
    ending: (backup) => `${databasePrograms[kindOf(backup.databaseType)].ending}.gz`,
    async open(backup, { run, signal, say }) {
      const { databaseId, database } = backup;
      if (databaseId === null)
        throw new AppError('PRECONDITION_FAILED', 'The database of this backup no longer exists.');
      const running = await runningServer(databaseId);
      if (!running)
        throw new AppError(
          'PRECONDITION_FAILED',
          'The database is not running, so it cannot be dumped. Start it and make the backup again.',
        );
      const programs: DatabasePrograms = databasePrograms[running.kind];
      const program = programs.dump(targetOf(running, database));
      const options: ProgramOptions = { backupRunId: run.backupRunId, signal, onLine: say };
      const notes =
        programs.notes && (await texts.text(running, programs.notes(targetOf(running, database)), options));
      return {
        notes,
        title: `${database === '' ? '' : `the database ${database} of `}${running.name} (${running.image})`,
        secrets: [running.password, running.rootPassword],
        read: () => texts.output(running, program, options),
        shape: () =>
          shapeOf(
            running,
            programs.schema?.(targetOf(running, database)),
            (wanted) => texts.output(running, wanted, { ...options, onLine: () => undefined }),
            signal,
          ),
      };
    },
    tidy: ({ databaseId, backupRunId }) => removeContainers(databaseId, `${backupRunLabel}=${backupRunId}`),
  };
}

function kindOf(kind: string | null): DatabaseKindName {
  const [found] = databaseKindNames.filter((one) => one === kind);
  if (!found)
    throw new AppError('PRECONDITION_FAILED', 'The backup has no database of a kind that can be backed up.');
  return found;
}
