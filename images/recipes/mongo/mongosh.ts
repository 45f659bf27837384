/** The stand-in's shell: `--host H --eval TEXT`, with calls that wait for their answer, as MongoDB's own shell makes them look. The driver works in a thread beside it. */
import { runInNewContext } from 'node:vm';
import { isMainThread, MessageChannel, receiveMessageOnPort, Worker, workerData, type MessagePort } from 'node:worker_threads';
import { MongoClient, MongoServerError, type Document } from 'mongodb';

interface Call {
  database: string;
  command: Document;
  login: { user: string; password: string } | undefined;
}

type Reply = { answer: Document } | { fault: string; codeName: string };

const option = (name: string, initial: string): string => {
  const at = process.argv.indexOf(name);
  return at === -1 ? initial : (process.argv[at + 1] ?? initial);
};

if (isMainThread) runShell();
else answerCalls(asPlace(workerData));

function runShell(): void {
  const { port1, port2 } = new MessageChannel();
  const flag = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(new URL(import.meta.url), { workerData: { port: port2, flag, host: option('--host', '127.0.0.1') }, transferList: [port2] });
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
  const globals = { db: databaseOf('test'), print: (text: unknown) => console.log(String(text)), sleep: (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms), process: { env: process.env } };
  let exitCode = 0;
  try {
    const value: unknown = runInNewContext(option('--eval', ''), globals);
    if (value !== undefined) console.log(JSON.stringify(value));
  } catch (error) {
    console.error(error instanceof Error || (typeof error === 'object' && error !== null && 'message' in error) ? String(error.message) : String(error));
    exitCode = 1;
  }
  // No exit by hand: an output of more than 64 KiB may still be on its way.
  process.exitCode = exitCode;
  void worker.terminate();
}

function answerCalls({ port, flag, host }: { port: MessagePort; flag: Int32Array; host: string }): void {
  port.on('message', (call: Call) => {
    void carryOut(call, host).then((reply) => {
      port.postMessage(reply);
      Atomics.store(flag, 0, 1);
      Atomics.notify(flag, 0);
    });
  });
}

async function carryOut({ database, command, login }: Call, host: string): Promise<Reply> {
  const auth = login && { auth: { username: login.user, password: login.password }, authSource: 'admin' };
  const client = new MongoClient(`mongodb://${host}:27017/?directConnection=true`, { serverSelectionTimeoutMS: 5000, ...auth });
  try {
    return { answer: JSON.parse(JSON.stringify(await client.db(database).command(command))) };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error), codeName: error instanceof MongoServerError ? (error.codeName ?? '') : '' };
  } finally {
    await client.close();
  }
}

/** What the thread beside posts. */
function asReply(message: unknown): Reply {
  return message as Reply;
}

function asPlace(data: unknown): { port: MessagePort; flag: Int32Array; host: string } {
  return data as { port: MessagePort; flag: Int32Array; host: string };
}
