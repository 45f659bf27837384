/** A program of an image, run once in a container of its own; its output is a stream, not a log. */
import type { Duplex } from 'node:stream';
import { AppError } from '../../../domain/errors.ts';
import { Secret } from '../../../domain/secrets/secret.ts';
import { createLastWords, ProgramFailed } from '../../../ports/engine/engine-program.ts';
import type { ConfinedProgram, ProgramSpec, ProgramStreams } from '../../../ports/engine/engine-program.ts';
import { createdContainerAnswer, waitAnswer } from '../services/answers.ts';
import { listContainers, removeContainer } from '../containers.ts';
import type { EngineClient } from '../client/engine-client.ts';
import { segment } from '../client/engine-client.ts';
import { createEndMark, cutOff, type EndMark } from './end-mark.ts';
import { engineError, isAbsent } from '../client/engine-error.ts';
import { pullImage } from '../images/image-transfer.ts';
import { overridingAll } from '../client/labels.ts';
import { isOwn, ownedLabels } from '../services/ownership.ts';
import { readFrames } from '../logs/log-frames.ts';
import { readEagerly } from '../view/read-eagerly.ts';
import { drained } from '../../../ports/drained.ts';

/** Longer than any dump; the caller's signal ends what hangs. */
const longestRunMs = 7 * 24 * 60 * 60 * 1000;

export async function* programOutput(
  client: EngineClient,
  spec: ProgramSpec,
  { signal, input, onLine }: ProgramStreams,
): AsyncGenerator<Uint8Array> {
  signal.throwIfAborted();
  const mark = spec.marksItsEnd ? createEndMark() : undefined;
  const id = await create(client, spec, { signal, takesInput: input !== undefined, mark });
  let fault: { cause: unknown } | undefined;
  try {
    const path = `/containers/${segment(id)}`;
    const connection = await client.hijack({
      method: 'POST',
      path: `${path}/attach`,
      query: { stream: true, stdout: true, stderr: true, stdin: input !== undefined },
      doing: `speaking with ${spec.name}`,
      signal,
    });
    await client.send({ method: 'POST', path: `${path}/start`, doing: `starting ${spec.name}`, signal });
    const feeding = feed(connection, input, async (cause) => {
      fault = { cause };
      // Before the connection goes: its end would be the end of the input to the program.
      await removeContainer(client, id);
    });
    // Told below, when it is awaited.
    feeding.catch(() => undefined);
    const lines = createLines(onLine);
    const exit = client.call(
      {
        method: 'POST',
        path: `${path}/wait`,
        doing: `waiting for the end of ${spec.name}`,
        limitMs: longestRunMs,
        isWaiting: true,
        signal,
      },
      waitAnswer,
    );
    const output = stdoutOf(readEagerly(connection, exit), lines.push);
    yield* mark ? mark.strip(output) : output;
    signal.throwIfAborted();
    lines.end();
    connection.destroy();
    await feeding;
    if (fault) throw fault.cause;
    const { StatusCode: exitCode } = await exit;
    if (exitCode !== 0) throw new ProgramFailed(programName(spec), exitCode, lines.last());
    if (mark && !mark.isWhole()) throw cutOff(programName(spec));
  } catch (error) {
    signal.throwIfAborted();
    if (fault) throw fault.cause;
    throw error instanceof AppError ? error : engineError(`speaking with ${spec.name}`, client.place, error);
  } finally {
    await removeContainer(client, id);
  }
}

async function* stdoutOf(
  connection: AsyncIterable<Buffer>,
  onStderr: (bytes: Uint8Array) => void,
): AsyncGenerator<Uint8Array> {
  for await (const { kind, body } of readFrames(connection)) {
    if (kind === 'stdout') yield body;
    else onStderr(body);
  }
}

/** Ends and removes what a killed run left. */
export async function removeContainers(client: EngineClient, label: string): Promise<number> {
  const left = (await listContainers(client, label)).filter(({ labels }) => isOwn(client, labels));
  for (const { id } of left) await removeContainer(client, id);
  return left.length;
}

async function create(
  client: EngineClient,
  spec: ProgramSpec,
  { signal, takesInput, mark }: { signal: AbortSignal; takesInput: boolean; mark: EndMark | undefined },
): Promise<string> {
  const { confined } = spec;
  const { entrypoint, args, env } = mark?.command(spec.argv, confined?.shell) ?? {
    entrypoint: [spec.argv[0]],
    args: spec.argv.slice(1),
    env: undefined,
  };
  const body = {
    Image: spec.image,
    Entrypoint: entrypoint,
    Cmd: args,
    ...(confined && { User: '0:0' }),
    Labels: overridingAll(spec.name, ownedLabels(client, spec.labels)),
    Tty: false,
    OpenStdin: takesInput,
    StdinOnce: takesInput,
    AttachStdin: takesInput,
    AttachStdout: true,
    AttachStderr: true,
    Env: [
      ...Object.entries(spec.env).map(
        ([name, value]) => `${name}=${value instanceof Secret ? value.reveal() : value}`,
      ),
      ...(env === undefined ? [] : [env]),
    ],
    // The image's own check is of its server, which does not run here.
    Healthcheck: { Test: ['NONE'] },
    // A log would keep a copy of everything that goes through.
    HostConfig: {
      NetworkMode: spec.network,
      LogConfig: { Type: 'none' },
      RestartPolicy: { Name: 'no' },
      Init: true,
      ...(confined && confinedHost(client, confined)),
    },
  };
  const request = {
    method: 'POST',
    path: '/containers/create',
    query: { name: spec.name },
    body,
    doing: `making the container ${spec.name}`,
    signal,
  } as const;
  try {
    return (await client.call(request, createdContainerAnswer)).Id;
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
  await pullImage(client, spec.image, { auth: spec.registryAuth, onLine: () => undefined, signal });
  return (await client.call(request, createdContainerAnswer)).Id;
}

function confinedHost(
  client: EngineClient,
  { mounts, capabilities, limits, writesItsImage }: ConfinedProgram,
) {
  return {
    Mounts: mounts.map(({ type, source, target, readOnly = false, labels }) => ({
      Type: type,
      Source: source,
      Target: target,
      ReadOnly: readOnly,
      // Nothing of the image is copied into an empty volume.
      ...(type === 'volume' && { VolumeOptions: { NoCopy: true, Labels: ownedLabels(client, labels) } }),
    })),
    ReadonlyRootfs: writesItsImage !== true,
    CapDrop: ['ALL'],
    CapAdd: capabilities,
    SecurityOpt: ['no-new-privileges'],
    Memory: limits.memoryBytes,
    NanoCpus: limits.nanoCpus,
    PidsLimit: limits.pids,
  };
}

/** Resolves when everything was taken, or nobody takes it any more. */
async function feed(
  connection: Duplex,
  input: AsyncIterable<Uint8Array> | undefined,
  onFault: (cause: unknown) => Promise<void>,
): Promise<void> {
  if (input === undefined) return;
  try {
    for await (const chunk of input) {
      if (connection.destroyed) return;
      if (!connection.write(chunk)) await drained(connection);
    }
    connection.end();
  } catch (error) {
    await onFault(error).finally(() => connection.destroy());
  }
}

function programName({ argv }: ProgramSpec): string {
  return argv[0].slice(argv[0].lastIndexOf('/') + 1);
}

function createLines(onLine: (line: string) => void) {
  let rest = '';
  const last = createLastWords();
  const emit = (line: string): void => {
    last.add(line);
    onLine(line);
  };
  return {
    push(bytes: Uint8Array): void {
      const lines = (rest + Buffer.from(bytes).toString()).split(/\r?\n/);
      rest = (lines.pop() ?? '').slice(-16_384);
      for (const line of lines) emit(line);
    },
    end(): void {
      if (rest !== '') emit(rest);
      rest = '';
    },
    last: last.words,
  };
}
