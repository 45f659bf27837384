/**
 * The stand-in's server: messages of the wire protocol in and out (MongoDB, Wire Protocol: OP_MSG, and
 * OP_QUERY for the first greeting).
 */
import { statSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { deserialize, serialize, type Document } from 'bson';
import { answer, type Client, type Server } from './commands.ts';
import { readState, writeState } from './documents.ts';
import { storePassword } from './passwords.ts';

const opMsg = 2013;
const opQuery = 2004;
const opReply = 1;

const option = (name: string): string | undefined => {
  const at = process.argv.indexOf(name);
  return at === -1 ? undefined : process.argv[at + 1];
};

const keyFile = option('--keyFile');
if (keyFile !== undefined && (statSync(keyFile).mode & 0o077) !== 0) {
  console.error(`permissions on ${keyFile} are too open`);
  process.exit(1);
}

const state = readState();
const save = (): void => writeState(state);
const user = process.env['MONGO_INITDB_ROOT_USERNAME'];
if (user && Object.keys(state.users).length === 0) {
  state.users[user] = storePassword(process.env['MONGO_INITDB_ROOT_PASSWORD'] ?? '');
  save();
}
const server: Server = { state, save, setName: option('--replSet') };

createServer(serve).listen(27_017, '0.0.0.0', () =>
  console.log(JSON.stringify({ msg: 'Waiting for connections', attr: { port: 27_017 } })),
);
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => process.exit(0));

function serve(socket: Socket): void {
  const client: Client = { isKnown: false };
  let rest: Buffer = Buffer.alloc(0);
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 16 && rest.length >= rest.readInt32LE(0)) {
      const length = rest.readInt32LE(0);
      const reply = replyTo(rest.subarray(0, length), client);
      rest = rest.subarray(length);
      if (reply) socket.write(reply);
      else socket.destroy();
    }
  });
}

function replyTo(message: Buffer, client: Client): Buffer | undefined {
  const id = message.readInt32LE(4);
  switch (message.readInt32LE(12)) {
    case opMsg:
      return framed(id, opMsg, Buffer.alloc(5), answer(commandOf(message), server, client));
    case opQuery: {
      const at = message.indexOf(0, 20) + 9;
      const head = Buffer.alloc(20);
      head.writeInt32LE(8, 0);
      head.writeInt32LE(1, 16);
      return framed(
        id,
        opReply,
        head,
        answer(deserialize(message.subarray(at, at + message.readInt32LE(at))), server, client),
      );
    }
    default:
      return undefined;
  }
}

/** The body of an OP_MSG and the lists that came beside it. */
function commandOf(message: Buffer): Document {
  let command: Document = {};
  let at = 20;
  while (at < message.length) {
    const kind = message.readUInt8(at);
    const end = at + 1 + message.readInt32LE(at + 1);
    if (kind === 0) command = { ...deserialize(message.subarray(at + 1, end)), ...command };
    else command = { ...command, ...listOf(message.subarray(at + 5, end)) };
    at = end;
  }
  const [name] = Object.keys(command).filter(
    (key) => key !== 'documents' && key !== 'updates' && key !== 'deletes',
  );
  return name === undefined ? command : { [name]: command[name], ...command };
}

function listOf(section: Buffer): Document {
  const nameEnd = section.indexOf(0);
  const documents = [];
  for (let at = nameEnd + 1; at < section.length; at += section.readInt32LE(at))
    documents.push(deserialize(section.subarray(at, at + section.readInt32LE(at))));
  return { [section.toString('utf8', 0, nameEnd)]: documents };
}

function framed(responseTo: number, kind: number, head: Buffer, body: Document): Buffer {
  const bytes = serialize(body);
  const start = Buffer.alloc(16);
  start.writeInt32LE(16 + head.length + bytes.length, 0);
  start.writeInt32LE(responseTo, 8);
  start.writeInt32LE(kind, 12);
  return Buffer.concat([start, head, bytes]);
}
