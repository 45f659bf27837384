/**
 * The thread of the stand-in's shell that asks the server: OP_MSG and SCRAM-SHA-256 by hand, since MongoDB's
 * driver takes a fifth of a second of a processor to load, and a health check starts it each time.
 */
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { workerData, type MessagePort } from 'node:worker_threads';
import { Binary, deserialize, serialize, type Document } from 'bson';

export interface Call {
  database: string;
  command: Document;
  login: { user: string; password: string } | undefined;
}

export type Reply = { answer: Document } | { fault: string; codeName: string };

const opMsg = 2013;
const waitMs = 5000;

const { port, flag, host } = asPlace(workerData);
port.on('message', (call: Call) => {
  void carryOut(call).then((reply) => {
    port.postMessage(reply);
    Atomics.store(flag, 0, 1);
    Atomics.notify(flag, 0);
  });
});

async function carryOut({ database, command, login }: Call): Promise<Reply> {
  const socket = createConnection({ host, port: 27_017, timeout: waitMs });
  socket.once('timeout', () => socket.destroy(new Error('connection timed out')));
  try {
    await once(socket, 'connect');
    const refused = login && (await signIn(socket, login));
    const answer = refused ?? (await ask(socket, { ...command, $db: database }));
    if (answer['ok'] !== 1)
      return { fault: String(answer['errmsg']), codeName: String(answer['codeName'] ?? '') };
    return { answer: JSON.parse(JSON.stringify(answer)) };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error), codeName: '' };
  } finally {
    socket.destroy();
  }
}

/** RFC 7677, the client's side; gives the server's refusal, if it refuses. */
async function signIn(
  socket: Socket,
  { user, password }: { user: string; password: string },
): Promise<Document | undefined> {
  const name = user.replaceAll('=', '=3D').replaceAll(',', '=2C');
  const first = `n=${name},r=${randomBytes(18).toString('base64')}`;
  const begun = await ask(socket, {
    saslStart: 1,
    mechanism: 'SCRAM-SHA-256',
    payload: new Binary(Buffer.from(`n,,${first}`)),
    $db: 'admin',
  });
  if (begun['ok'] !== 1) return begun;
  const challenge = textOf(begun);
  const [, nonce = '', salt = '', iterations = ''] = /^r=(.*),s=(.*),i=(\d+)$/.exec(challenge) ?? [];
  const last = `c=biws,r=${nonce}`;
  const clientKey = sign(
    pbkdf2Sync(password, Buffer.from(salt, 'base64'), Number(iterations), 32, 'sha256'),
    'Client Key',
  );
  const signature = sign(createHash('sha256').update(clientKey).digest(), `${first},${challenge},${last}`);
  const proof = Buffer.from(clientKey.map((byte, index) => byte ^ (signature[index] ?? 0))).toString(
    'base64',
  );
  const ended = await ask(socket, {
    saslContinue: 1,
    conversationId: 1,
    payload: new Binary(Buffer.from(`${last},p=${proof}`)),
    $db: 'admin',
  });
  return ended['ok'] === 1 ? undefined : ended;
}

const sign = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

function textOf(answer: Document): string {
  const payload: Binary = answer['payload'];
  return Buffer.from(payload.buffer).toString('utf8');
}

/** One message there and one back. */
async function ask(socket: Socket, command: Document): Promise<Document> {
  const body = serialize(command);
  const head = Buffer.alloc(21);
  head.writeInt32LE(head.length + body.length, 0);
  head.writeInt32LE(opMsg, 12);
  socket.write(Buffer.concat([head, body]));
  let received: Buffer = Buffer.alloc(0);
  while (received.length < 4 || received.length < received.readInt32LE(0)) {
    const [chunk]: Buffer[] = await once(socket, 'data');
    received = Buffer.concat([received, chunk ?? Buffer.alloc(0)]);
  }
  return deserialize(received.subarray(21));
}

function asPlace(data: unknown): { port: MessagePort; flag: Int32Array; host: string } {
  return data as { port: MessagePort; flag: Int32Array; host: string };
}
