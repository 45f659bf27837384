/** A program in a container that talks with this terminal, or with the pipes in its place. */
import { openSocket, type BerthSocket } from '../../connection/socket.ts';
import { exitCodes } from '../../exit-codes.ts';
import type { Terminal } from '../../terminal.ts';
import type { Context } from './context.ts';

export interface ContainerProgram {
  serviceId: string;
  /** A shell without it. */
  command?: readonly string[];
  /** Its whole input, in place of what is typed. */
  input?: string;
}

/** Gives the exit code of the program; 1 when the connection ended before it did, 130 after ctrl-C. */
export async function runInContainer(
  context: Context,
  { serviceId, command, input }: ContainerProgram,
): Promise<number> {
  const { connection } = await context.berth();
  const { terminal } = context;
  const person = input === undefined ? terminal.person : undefined;
  const socket = await openSocket(connection, {
    path: 'exec',
    input: {
      serviceId,
      serviceName: context.text('service'),
      task: context.text('task'),
      ...(command ? { command } : {}),
      ...(person ? { terminal: true, ...person.size() } : { terminal: false }),
    },
    take: (bytes, from) => terminal.write(bytes, from),
    signal: terminal.signal,
  });
  const release = person?.take(
    (columns, rows) => socket.tell({ type: 'resize', columns, rows }),
    // Only a person's ctrl-C is the program's own: whatever else ends this ends the connection.
  );
  const cut = (): void => socket.close();
  terminal.signal.addEventListener('abort', cut, { once: true });
  try {
    if (input === undefined) void type(terminal, socket);
    else await give(input, socket);
    const { reason, message, exitCode } = await socket.ended;
    if (reason === 'exited') return exitCode ?? exitCodes.done;
    if (terminal.signal.aborted) return exitCodes.interrupted;
    context.say(message);
    return exitCodes.refused;
  } finally {
    terminal.signal.removeEventListener('abort', cut);
    release?.();
  }
}

async function give(input: string, socket: BerthSocket): Promise<void> {
  await socket.send(Buffer.from(input));
  socket.tell({ type: 'endInput' });
}

/** What is typed, or comes through a pipe, until the program has ended. */
async function type({ stdin, person }: Terminal, socket: BerthSocket): Promise<void> {
  const over = new AbortController();
  void socket.ended.then(
    () => over.abort(),
    () => over.abort(),
  );
  // Whatever reads from it would keep this program alive.
  over.signal.addEventListener('abort', () => stdin.destroy(), { once: true });
  try {
    for await (const part of stdin) {
      if (over.signal.aborted) return;
      await socket.send(Buffer.from(part));
    }
    if (!person) socket.tell({ type: 'endInput' });
  } catch {
    // Destroyed above.
  }
}
