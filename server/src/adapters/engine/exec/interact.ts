/** A program in a running container and the connection with it, with a terminal or without. */
import type { Duplex } from 'node:stream';
import type {
  InteractiveProgram,
  ProgramConnection,
  TerminalSize,
} from '../../../ports/engine/engine-program.ts';
import { execAnswer, execCreatedAnswer } from '../services/answers.ts';
import type { EngineClient } from '../client/engine-client.ts';
import { segment } from '../client/engine-client.ts';
import { EngineRefusal, engineError, isAbsent } from '../client/engine-error.ts';
import { environmentOf } from './exec.ts';
import { readFrames } from '../logs/log-frames.ts';
import { waitUntilSo } from '../../../ports/wait-until.ts';
import { drained } from '../../../ports/drained.ts';

const doing = 'running a program in a container';
/** The engine notes the end of a program a moment after its output has ended. */
const endLimitMs = 5000;
const lookMs = 50;

export async function interact(
  client: EngineClient,
  containerId: string,
  program: InteractiveProgram,
): Promise<ProgramConnection> {
  const { argv, size, signal } = program;
  const hasTerminal = size !== undefined;
  const { Id } = await client.call(
    {
      method: 'POST',
      path: `/containers/${segment(containerId)}/exec`,
      body: {
        Cmd: argv,
        Env: environmentOf(program),
        AttachStdin: true,
        AttachStdout: true,
        AttachStderr: true,
        Tty: hasTerminal,
      },
      doing,
      signal,
    },
    execCreatedAnswer,
  );
  const id = segment(Id);
  const connection = await client.hijack({
    method: 'POST',
    path: `/exec/${id}/start`,
    body: { Detach: false, Tty: hasTerminal },
    doing,
    signal,
  });
  const resize = (wanted: TerminalSize): Promise<void> => resizeTerminal(client, id, wanted);
  if (hasTerminal) await resize(size);
  return {
    output: outputOf(client, connection, program),
    resize: hasTerminal ? resize : async () => undefined,
    write: (bytes) => written(connection, bytes),
    endInput: () => void (connection.writable && connection.end()),
    exitCode: () => exitCodeOf(client, id),
  };
}

async function* outputOf(
  client: EngineClient,
  connection: Duplex,
  { size, signal }: Pick<InteractiveProgram, 'size' | 'signal'>,
): AsyncGenerator<{ stream: 'stdout' | 'stderr'; bytes: Uint8Array }> {
  try {
    if (size) for await (const bytes of connection) yield { stream: 'stdout', bytes };
    else
      for await (const { kind, body } of readFrames(connection))
        yield { stream: kind === 'stderr' ? 'stderr' : 'stdout', bytes: body };
  } catch (cause) {
    signal.throwIfAborted();
    throw engineError(doing, client.place, cause);
  }
}

/** What has ended takes no more, and that is no fault of whoever wrote. */
async function written(connection: Duplex, bytes: Uint8Array): Promise<void> {
  if (connection.writable && !connection.write(bytes)) await drained(connection);
}

async function resizeTerminal(client: EngineClient, id: string, size: TerminalSize): Promise<void> {
  try {
    await client.send({
      method: 'POST',
      path: `/exec/${id}/resize`,
      query: { h: size.rows, w: size.columns },
      doing: 'resizing a terminal',
    });
  } catch (error) {
    // It has ended, or never began: its output says why.
    if (!(error instanceof EngineRefusal)) throw error;
  }
}

async function exitCodeOf(client: EngineClient, id: string): Promise<number | undefined> {
  let exitCode: number | undefined;
  const hasEnded = async (): Promise<boolean> => {
    const state = await client.call({ method: 'GET', path: `/exec/${id}/json`, doing }, execAnswer);
    exitCode = state.ExitCode ?? undefined;
    return !state.Running;
  };
  try {
    await waitUntilSo(hasEnded, { everyMs: lookMs, limitMs: endLimitMs });
    return exitCode;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}
