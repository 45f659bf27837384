/** What the stand-in answers (MongoDB, Database Commands). */
import { Binary, Long, ObjectId, type Document } from 'bson';
import { change, matches, type State } from './documents.ts';
import { begin, finish, storePassword, type Exchange } from './passwords.ts';

export interface Server {
  state: State;
  save(): void;
  /** Of `--replSet`; undefined without one. */
  setName: string | undefined;
}

/** What one connection knows of its client. */
export interface Client {
  exchange?: Exchange;
  isKnown: boolean;
}

type Answer = (command: Document, server: Server, client: Client) => Document;

const ok = (more: Document = {}): Document => ({ ...more, ok: 1 });
const refused = (code: number, codeName: string, errmsg: string): Document => ({
  ok: 0,
  code,
  codeName,
  errmsg,
});
const wrongPassword = (): Document => refused(18, 'AuthenticationFailed', 'Authentication failed.');
const cursor = (command: Document, name: unknown, firstBatch: Document[]): Document =>
  ok({ cursor: { id: Long.ZERO, ns: `${String(command['$db'])}.${String(name)}`, firstBatch } });

function collection(command: Document, { state }: Server): Document[] {
  const [[, name] = []] = Object.entries(command);
  const database = (state.databases[String(command['$db'])] ??= {});
  return (database[String(name)] ??= []);
}

function hello(command: Document, server: Server, client: Client): Document {
  const {
    setName,
    state: { set },
  } = server;
  const me: string | undefined = set?.['members'][0].host;
  const answer = ok({
    ismaster: setName === undefined || set !== null,
    isWritablePrimary: setName === undefined || set !== null,
    helloOk: true,
    maxBsonObjectSize: 16_777_216,
    maxMessageSizeBytes: 48_000_000,
    maxWriteBatchSize: 100_000,
    localTime: new Date(),
    logicalSessionTimeoutMinutes: 30,
    connectionId: 1,
    minWireVersion: 0,
    maxWireVersion: 21,
    readOnly: false,
    ...(setName !== undefined && set !== null
      ? { setName, setVersion: set['version'], hosts: [me], primary: me, me }
      : {}),
    ...(command['saslSupportedMechs'] ? { saslSupportedMechs: ['SCRAM-SHA-256'] } : {}),
  });
  const early: Document | undefined = command['speculativeAuthenticate'];
  const reply = early?.['mechanism'] === 'SCRAM-SHA-256' ? saslStart(early, server, client) : undefined;
  return reply?.['ok'] === 1 ? { ...answer, speculativeAuthenticate: reply } : answer;
}

function saslStart(command: Document, { state }: Server, client: Client): Document {
  const exchange = begin(textOf(command), state.users);
  if (!exchange) return wrongPassword();
  client.exchange = exchange;
  return ok({ conversationId: 1, done: false, payload: new Binary(Buffer.from(exchange.serverFirst)) });
}

function saslContinue(command: Document, _server: Server, client: Client): Document {
  const proof = client.isKnown ? '' : client.exchange && finish(textOf(command), client.exchange);
  if (proof === undefined) return wrongPassword();
  client.isKnown = true;
  return ok({ conversationId: 1, done: true, payload: new Binary(Buffer.from(proof)) });
}

function textOf(command: Document): string {
  const payload: Binary = command['payload'];
  return Buffer.from(payload.buffer).toString('utf8');
}

/** Before a client has said who it is. */
const open: Record<string, Answer> = {
  hello,
  ismaster: hello,
  isMaster: hello,
  saslStart,
  saslContinue,
  ping: () => ok(),
  endSessions: () => ok(),
  killCursors: () => ok(),
  buildInfo: () => ok({ version: '7.0.0', versionArray: [7, 0, 0, 0] }),
};

const known: Record<string, Answer> = {
  insert(command, server) {
    const documents: Document[] = command['documents'];
    const stored = collection(command, server);
    const again = documents.findIndex(({ _id }) => stored.some((other) => matches(other, { _id })));
    stored.push(...(again === -1 ? documents : documents.slice(0, again)));
    server.save();
    if (again === -1) return ok({ n: documents.length });
    const writeErrors = [{ index: again, code: 11_000, errmsg: 'E11000 duplicate key error' }];
    return ok({ n: again, writeErrors });
  },
  drop(command, server) {
    delete server.state.databases[String(command['$db'])]?.[String(command['drop'])];
    server.save();
    return ok();
  },
  find: (command, server) =>
    cursor(
      command,
      command['find'],
      collection(command, server)
        .filter((document) => matches(document, command['filter']))
        .slice(0, Number(command['limit'] ?? 0) || undefined),
    ),
  count: (command, server) =>
    ok({ n: collection(command, server).filter((document) => matches(document, command['query'])).length }),
  // countDocuments asks so.
  aggregate: (command, server) =>
    cursor(command, command['aggregate'], [{ _id: 1, n: collection(command, server).length }]),
  update(command, server) {
    const updates: Document[] = command['updates'];
    let n = 0;
    for (const { q, u, upsert } of updates) {
      const found = collection(command, server).filter((document) => matches(document, q));
      if (found.length === 0 && upsert) {
        const made: Document = { _id: new ObjectId(), ...q };
        collection(command, server).push(made);
        found.push(made);
      }
      for (const document of found) change(document, u);
      n += found.length;
    }
    server.save();
    return ok({ n, nModified: n });
  },
  updateUser(command, server) {
    server.state.users[String(command['updateUser'])] = storePassword(String(command['pwd']));
    server.save();
    return ok();
  },
  listCollections: (command, server) =>
    cursor(
      command,
      '$cmd.listCollections',
      Object.keys(server.state.databases[String(command['$db'])] ?? {}).map((name) => ({
        name,
        type: 'collection',
      })),
    ),
  listDatabases: (_command, { state }) =>
    ok({
      databases: Object.keys(state.databases).map((name) => ({ name, sizeOnDisk: 1, empty: false })),
      totalSize: 1,
    }),
  replSetGetConfig: (_command, { state }) =>
    state.set
      ? ok({ config: state.set })
      : refused(94, 'NotYetInitialized', 'no replset config has been received'),
  replSetInitiate(command, server) {
    if (server.setName === undefined)
      return refused(76, 'NoReplicationEnabled', 'This node was not started with the replSet option');
    if (server.state.set) return refused(23, 'AlreadyInitialized', 'already initialized');
    server.state.set = { version: 1, ...command['replSetInitiate'] };
    server.save();
    return ok();
  },
  replSetReconfig(command, server) {
    server.state.set = command['replSetReconfig'];
    server.save();
    return ok();
  },
};

export function answer(command: Document, server: Server, client: Client): Document {
  const [name = ''] = Object.keys(command);
  const reply = open[name];
  if (reply) return reply(command, server, client);
  if (Object.keys(server.state.users).length > 0 && !client.isKnown)
    return refused(13, 'Unauthorized', `Command ${name} requires authentication`);
  return (
    known[name]?.(command, server, client) ??
    refused(59, 'CommandNotFound', `no such command: '${name}'; this is a stand-in`)
  );
}
