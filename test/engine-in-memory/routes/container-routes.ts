/** Calls of the engine's API about the containers and volumes of its node. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Duplex, PassThrough, type Readable } from 'node:stream';
import { z } from 'zod';
import * as answers from './answers.ts';
import { createBody, environmentOf, execBody, containerUpdateBody, volumeBody } from './bodies.ts';
import {
  createContainer,
  findContainer,
  killContainer,
  removeContainer,
  startContainer,
  stopContainer,
} from '../containers.ts';
import { requireImage } from '../images.ts';
import { containerLog, frame, logQueryOf } from '../logs.ts';
import { ask, connect, findNetwork } from '../networks.ts';
import { nothing, startProcess } from '../programs/process.ts';
import { Refusal } from './refusal.ts';
import { passes, type Answers, type Call, type Connections, type Streams } from './routes.ts';
import { createTerminal, type Terminal } from '../programs/terminal.ts';
import { changed, hexId, type Container, type State, type Volume } from '../state.ts';

const defaultStopSeconds = 10;
/** Starting a container takes the kernel about so long. */
const startMs = 100;
const [interrupted, killed] = [130, 137];

interface Exec {
  container: Container;
  argv: readonly string[];
  env: Record<string, string>;
  terminal: Terminal | undefined;
  exitCode: number | null;
}

const execs = new WeakMap<State, Map<string, Exec>>();
/** What containers read that were given an open input. */
const inputs = new WeakMap<Container, PassThrough>();

const first = ({ parts: [part = ''] }: Call): string => part;
const containerOf = (call: Call): Container => findContainer(call.state, first(call));

export const containerAnswers: Answers = [
  { method: 'GET', path: '/containers/json', answer: list },
  { method: 'POST', path: '/containers/create', answer: create },
  {
    method: 'GET',
    path: '/containers/*/json',
    answer: (call) => answers.inspectJson(call.state, containerOf(call)),
  },
  {
    method: 'POST',
    path: '/containers/*/start',
    async answer(call) {
      const container = containerOf(call);
      await sleep(startMs);
      startContainer(call.state, container, inputs.get(container));
    },
  },
  {
    method: 'POST',
    path: '/containers/*/stop',
    answer: (call) => stopContainer(containerOf(call), Number(call.query['t'] ?? defaultStopSeconds) * 1000),
  },
  {
    method: 'POST',
    path: '/containers/*/kill',
    async answer(call) {
      const container = containerOf(call);
      if (container.process === undefined)
        throw new Refusal(409, `Cannot kill container: ${container.id}: Container is not running`);
      killContainer(container);
      await container.process?.ended;
    },
  },
  {
    method: 'POST',
    path: '/containers/*/restart',
    async answer(call) {
      const container = containerOf(call);
      await stopContainer(container, defaultStopSeconds * 1000);
      await sleep(startMs);
      startContainer(call.state, container);
    },
  },
  {
    method: 'POST',
    path: '/containers/*/rename',
    answer(call) {
      const name = call.query['name'] ?? '';
      requireFreeName(call.state, name);
      containerOf(call).name = name;
      changed(call.state);
    },
  },
  {
    method: 'POST',
    path: '/containers/*/update',
    answer(call) {
      const container = containerOf(call);
      // As crun does where the machine has control groups of version 1.
      if (container.state === 'running')
        throw new Refusal(
          500,
          `Cannot update container ${container.id}: /usr/bin/crun did not terminate successfully: exit ` +
            'status 1: writing file `memory.limit_in_bytes`: Device or resource busy',
        );
      container.restart = z.parse(containerUpdateBody, call.body).RestartPolicy.Name;
      return { Warnings: [] };
    },
  },
  {
    method: 'POST',
    path: '/containers/*/wait',
    async answer(call) {
      const container = containerOf(call);
      await container.process?.ended;
      return { StatusCode: container.exitCode };
    },
  },
  {
    method: 'DELETE',
    path: '/containers/*',
    answer(call) {
      const container = containerOf(call);
      if (container.state === 'running' && call.query['force'] !== 'true')
        throw new Refusal(
          409,
          `You cannot remove a running container ${container.id}. Stop the container first`,
        );
      removeContainer(call.state, container);
    },
  },
  { method: 'POST', path: '/containers/*/exec', answer: createExec },
  { method: 'GET', path: '/exec/*/json', answer: (call) => execState(findExec(call)) },
  {
    method: 'POST',
    path: '/exec/*/resize',
    answer(call) {
      const { terminal, exitCode } = findExec(call);
      if (exitCode !== null) throw new Refusal(404, 'exec process is not found');
      terminal?.resize({ columns: Number(call.query['w']), rows: Number(call.query['h']) });
    },
  },
  {
    method: 'GET',
    path: '/system/df',
    answer: ({ state }) => ({
      Images: [...state.images.values()].map((image) => ({
        ...answers.imageJson(image),
        Labels: image.content.labels ?? {},
        Created: Math.floor(image.createdAt / 1000),
        SharedSize: 0,
        Containers: [...state.containers.values()].filter((one) => one.image === image).length,
      })),
      Containers: [...state.containers.values()].map((container) => ({
        ...answers.containerJson(state, container),
        SizeRw: 0,
      })),
      Volumes: [...state.volumes.values()].map(({ name, labels, bytes = 0 }) => ({
        Name: name,
        Labels: labels,
        UsageData: { Size: bytes, RefCount: 0 },
      })),
    }),
  },
  {
    method: 'GET',
    path: '/volumes',
    answer: ({ state, filters }) => ({
      Volumes: [...state.volumes.values()]
        .filter(({ labels }) => passes(labels, filters['label']))
        .map(({ name, labels }) => ({ Name: name, Labels: labels })),
    }),
  },
  {
    method: 'POST',
    path: '/volumes/create',
    answer({ state, body }) {
      const { Name: name, Labels: labels } = z.parse(volumeBody, body);
      state.volumes.set(name, { name, labels });
      return { Name: name };
    },
  },
  {
    method: 'GET',
    path: '/volumes/*',
    answer(call) {
      const { name, labels, options = {} } = requireVolume(call);
      return { Name: name, Labels: labels, Options: options };
    },
  },
  { method: 'DELETE', path: '/volumes/*', answer: removeVolume },
];

export const containerStreams: Streams = [
  { method: 'POST', path: '/exec/*/start', answer: startExec },
  {
    method: 'GET',
    path: '/containers/*/logs',
    answer: (call) => containerLog(call.state, containerOf(call), logQueryOf(call.query)),
  },
];

export const containerConnections: Connections = [
  { method: 'POST', path: '/containers/*/attach', answer: (call) => attach(containerOf(call)) },
  { method: 'POST', path: '/exec/*/start', answer: connectExec },
];

function list({ state, filters }: Call): unknown[] {
  const volumes = filters['volume'];
  return [...state.containers.values()]
    .filter(
      (container) =>
        passes(container.labels, filters['label']) &&
        (filters['status'] ?? [container.state]).includes(container.state) &&
        (volumes === undefined || volumes.some((volume) => container.volumes.includes(volume))),
    )
    .map((container) => answers.containerJson(state, container));
}

function create({ state, query, body }: Call): unknown {
  const wanted = z.parse(createBody, body);
  const { Entrypoint: entrypoint, Cmd: command, HostConfig: host } = wanted;
  const image = requireImage(state, wanted.Image);
  const id = hexId();
  if (query['name'] !== undefined) requireFreeName(state, query['name']);
  const container = createContainer(state, {
    id,
    name: query['name'] ?? `nameless-${id.slice(0, 8)}`,
    imageName: wanted.Image,
    image,
    argv: [...(entrypoint ?? []), ...(command ?? (entrypoint ? [] : (image.content.command ?? [])))],
    env: environmentOf(wanted.Env),
    labels: wanted.Labels,
    hasInit: host.Init,
    isLogged: host.LogConfig?.Type !== 'none',
    memoryBytes: host.Memory,
    restart: host.RestartPolicy?.Name ?? 'no',
    takesInput: wanted.OpenStdin,
  });
  if (wanted.OpenStdin) inputs.set(container, new PassThrough());
  const mode = host.NetworkMode ?? 'bridge';
  if (mode !== 'bridge' && mode !== 'none') connect(state, container, findNetwork(state, mode));
  return { Id: container.id };
}

function requireFreeName(state: State, name: string): void {
  const holder = [...state.containers.values()].find((one) => one.name === name);
  if (holder !== undefined)
    throw new Refusal(
      409,
      `Conflict. The container name "/${name}" is already in use by container "${holder.id}". You have to ` +
        'remove (or rename) that container to be able to reuse that name.',
    );
}

/** A connection both ways: what comes in is the program's input, what it writes comes out in frames. */
function attach(container: Container): Duplex {
  const input = inputs.get(container);
  const { connection, push } = connectionTo(input, () => container.state === 'exited');
  container.attached.add((stream, bytes) => push(frame(stream, bytes)));
  const { promise, resolve } = Promise.withResolvers<void>();
  void untilEnded(container).then(resolve);
  void promise.then(() => {
    input?.resume();
    if (!connection.destroyed) connection.push(null);
  });
  return connection;
}

/** What an engine holds of an output that nobody takes, before it stops its program (moby, bytespipe.go). */
const heldBytes = 1_000_000;

interface Connected {
  connection: Duplex;
  /** Resolves when whoever reads has room again. */
  push(bytes: Buffer): Promise<void>;
}

function connectionTo(input: Duplex | undefined, hasEnded: () => boolean): Connected {
  let room: (() => void) | undefined;
  const connection = new Duplex({
    readableHighWaterMark: heldBytes,
    read() {
      room?.();
    },
    write(chunk: Buffer, _encoding, done) {
      if (input === undefined || hasEnded()) done();
      else if (input.write(chunk)) done();
      else input.once('drain', done);
    },
    final(done) {
      input?.end();
      done();
    },
  });
  return {
    connection,
    async push(bytes) {
      if (connection.destroyed || connection.push(bytes)) return;
      await new Promise<void>((resolve) => {
        room = () => {
          connection.off('close', resolve);
          resolve();
        };
        connection.once('close', resolve);
      });
    },
  };
}

/** Of a container that is not started yet too. */
async function untilEnded(container: Container): Promise<void> {
  while (container.state === 'created') await sleep(10);
  await container.process?.ended;
}

function createExec(call: Call): unknown {
  const container = containerOf(call);
  if (container.state !== 'running') throw new Refusal(409, `Container ${container.id} is not running`);
  const { Cmd: argv, Env: env, Tty: hasTerminal } = z.parse(execBody, call.body);
  const terminal = hasTerminal ? createTerminal() : undefined;
  const id = hexId();
  const known = execs.get(call.state) ?? new Map<string, Exec>();
  execs.set(call.state, known);
  known.set(id, { container, argv, env: environmentOf(env), terminal, exitCode: null });
  return { Id: id };
}

function findExec(call: Call): Exec {
  const exec = execs.get(call.state)?.get(first(call));
  if (exec === undefined) throw new Refusal(404, `No such exec instance: ${first(call)}`);
  return exec;
}

const execState = ({ exitCode }: Exec): unknown => ({ Running: exitCode === null, ExitCode: exitCode });

function startExec(call: Call): Readable {
  const exec = findExec(call);
  const { state } = call;
  const output = new PassThrough();
  const process = startProcess(state, exec.container, {
    argv: exec.argv,
    env: { ...exec.container.env, ...exec.env },
    input: nothing(),
    async write(stream, bytes) {
      if (!output.destroyed) output.write(frame(stream, bytes));
    },
    ask: (host, port) => ask(state, exec.container, host, port),
  });
  void exec.container.process?.ended.then(() => process.kill(killed));
  void process.ended.then((exitCode) => {
    exec.exitCode = exitCode;
    output.end();
  });
  return output;
}

/** What is typed is the program's input; what it writes comes in frames, or as it is from a terminal. */
function connectExec(call: Call): Duplex {
  const exec = findExec(call);
  const { state } = call;
  const { container, terminal } = exec;
  const input = terminal?.lineOf(() => process.kill(interrupted)) ?? new PassThrough();
  const { connection, push } = connectionTo(input, () => exec.exitCode !== null);
  const process = startProcess(state, container, {
    argv: exec.argv,
    env: { ...container.env, ...exec.env },
    input,
    terminal,
    write: (stream, bytes) => push(terminal ? bytes : frame(stream, bytes)),
    ask: (host, port) => ask(state, container, host, port),
  });
  // With its container everything in it ends.
  void container.process?.ended.then(() => process.kill(killed));
  void process.ended.then((exitCode) => {
    exec.exitCode = exitCode;
    input.resume();
    if (!connection.destroyed) connection.push(null);
  });
  return connection;
}

function requireVolume(call: Call): Volume {
  const volume = call.state.volumes.get(first(call));
  if (volume === undefined) throw new Refusal(404, `get ${first(call)}: no such volume`);
  return volume;
}

function removeVolume(call: Call): void {
  const { name } = requireVolume(call);
  const user = [...call.state.containers.values()].find(({ volumes }) => volumes.includes(name));
  if (user !== undefined) throw new Refusal(409, `remove ${name}: volume is in use - [${user.id}]`);
  call.state.volumes.delete(name);
  changed(call.state);
}
