/**
 * The stand-in's shell: `--host H --eval TEXT`, with calls that wait for their answer, as MongoDB's own shell
 * makes them look. What speaks with the server works in a thread beside it.
 */
import { runInNewContext } from 'node:vm';
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';
import type { Document } from 'bson';
import type { Call, Reply } from './client.ts';

const option = (name: string, initial: string): string => {
  const at = process.argv.indexOf(name);
  return at === -1 ? initial : (process.argv[at + 1] ?? initial);
};

const { port1, port2 } = new MessageChannel();
const flag = new Int32Array(new SharedArrayBuffer(4));
const worker = new Worker(new URL('client.ts', import.meta.url), {
  workerData: { port: port2, flag, host: option('--host', '127.0.0.1') },
  transferList: [port2],
});
let login: Call['login'];

function ask(database: string, command: Document): Document {
  Atomics.store(flag, 0, 0);
  port1.postMessage({ database, command, login } satisfies Call);
  Atomics.wait(flag, 0, 0, 20_000);
  const received = receiveMessageOnPort(port1);
  if (received === undefined) throw new Error('connection timed out');
  const reply = asReply(received.message);
  if ('answer' in reply) return reply.answer;
  throw Object.assign(new Error(`MongoServerError: ${reply.fault}`), { codeName: reply.codeName });
}

const databaseOf = (name: string): object => ({
  adminCommand: (command: Document) => ask('admin', command),
  runCommand: (command: Document) => ask(name, command),
  getSiblingDB: databaseOf,
  auth(user: string, password: string) {
    login = { user, password };
    return ask('admin', { hello: 1 });
  },
});
const globals = {
  db: databaseOf('test'),
  print: (text: unknown) => console.log(String(text)),
  sleep: (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms),
  process: { env: process.env },
};

let exitCode = 0;
try {
  const value: unknown = runInNewContext(option('--eval', ''), globals);
  if (value !== undefined) console.log(JSON.stringify(value));
} catch (error) {
  console.error(
    error instanceof Error || (typeof error === 'object' && error !== null && 'message' in error)
      ? String(error.message)
      : String(error),
  );
  exitCode = 1;
}
// No exit by hand: an output of more than 64 KiB may still be on its way.
process.exitCode = exitCode;
void worker.terminate();

/** What the thread beside posts. */
function asReply(message: unknown): Reply {
  return message as Reply;
}
