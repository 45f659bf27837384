import { AppError } from '../../../domain/errors.ts';
import { Secret } from '../../../domain/secrets/secret.ts';
import { execKeptBytes, type ExecProgram, type ExecResult } from '../../../ports/engine/engine-program.ts';
import { execAnswer, execCreatedAnswer } from '../services/answers.ts';
import type { EngineClient } from '../client/engine-client.ts';
import { segment } from '../client/engine-client.ts';
import { readFrames } from '../logs/log-frames.ts';

/**
 * Runs a program in a container (see the port). The engine cannot end it: at the limit nobody listens to it
 * any more.
 */
export async function exec(
  client: EngineClient,
  containerId: string,
  program: ExecProgram,
): Promise<ExecResult> {
  const limit = AbortSignal.timeout(program.limitMs);
  const signal = AbortSignal.any([program.signal, limit]);
  const doing = 'running a program in a container';
  try {
    const body = {
      Cmd: program.argv,
      Env: environmentOf(program),
      AttachStdout: true,
      AttachStderr: true,
    };
    const { Id: id } = await client.call(
      { method: 'POST', path: `/containers/${segment(containerId)}/exec`, body, doing, signal },
      execCreatedAnswer,
    );
    const output = { stdout: createTail(), stderr: createTail() };
    const stream = await client.open({
      method: 'POST',
      path: `/exec/${segment(id)}/start`,
      body: { Detach: false, Tty: false },
      doing,
      signal,
    });
    for await (const { kind, body: text } of readFrames(stream))
      output[kind === 'stderr' ? 'stderr' : 'stdout'].push(text);
    const { ExitCode: exitCode } = await client.call(
      { method: 'GET', path: `/exec/${segment(id)}/json`, doing, signal },
      execAnswer,
    );
    return { exitCode: exitCode ?? -1, stdout: output.stdout.text(), stderr: output.stderr.text() };
  } catch (error) {
    program.signal.throwIfAborted();
    if (limit.aborted)
      throw new AppError(
        'PRECONDITION_FAILED',
        `A program in the container did not end within ${program.limitMs / 1000} s.`,
        { cause: error },
      );
    throw error;
  }
}

/** `KEY=VALUE` entries as the engine takes them. */
export function environmentOf({ env }: { env: Readonly<Record<string, string | Secret>> }): string[] {
  return Object.entries(env).map(
    ([name, value]) => `${name}=${value instanceof Secret ? value.reveal() : value}`,
  );
}

function createTail() {
  let kept = Buffer.alloc(0);
  return {
    push(chunk: Buffer): void {
      kept = Buffer.concat([kept, chunk]).subarray(-execKeptBytes);
    },
    text: () => kept.toString('utf8'),
  };
}
