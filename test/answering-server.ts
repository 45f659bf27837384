/**
 * Answers procedures with what a test wrote down, held against their contracts: what the command line prints
 * is recorded with it, the same each time.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';
import { z } from 'zod';
import { contracts } from '../server/src/modules/contracts.ts';
import { listProcedures, type NamedProcedure } from '../server/src/procedure/describe/listing.ts';

/** Procedure → its answer, or the events of a stream; a function gets the input. */
export type Answers = Readonly<Record<string, unknown>>;

export interface AnsweringServer extends AsyncDisposable {
  url: string;
  /** Paths in the order in which they were called. */
  called: string[];
}

const procedures = new Map(listProcedures(contracts).map((one) => [one.path, one]));

/** Throws when an answer is not of the shape that its contract promises. */
export async function startAnsweringServer(answers: Answers): Promise<AnsweringServer> {
  for (const [path, value] of Object.entries(answers)) {
    const named = procedures.get(path);
    if (!named) throw new Error(`There is no ${path}.`);
    if (typeof value !== 'function') checked(named, value);
  }
  const called: string[] = [];
  const server = createServer((request, response) => void answer(answers, called, request, response));
  const sockets = new WebSocketServer({ server, path: '/api/exec' });
  sockets.on('connection', (socket, request) => {
    answerProgram(socket, request);
    called.push('exec');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    called,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

const outputs = [
  ['node --version', 'v24.0.0\n'],
  ['pg_dump', ''],
  ['psql', 'psql (18.0)\nType "help" for help.\n\ndb=# \n'],
] as const;

/** A program in a container, of which a part of its command tells what it prints. */
function answerProgram(socket: WebSocket, { url = '/' }: IncomingMessage): void {
  const input: unknown = JSON.parse(new URL(url, 'http://localhost').searchParams.get('input') ?? '{}');
  const command = z
    .object({ command: z.array(z.string()).default([]) })
    .parse(input)
    .command.join(' ');
  socket.send(JSON.stringify({ type: 'opened', serviceName: 'web', task: 't', containerId: 'c', command }));
  const output = command === '' ? '# exit\n' : (outputs.find(([part]) => command.includes(part))?.[1] ?? '');
  socket.send(Buffer.concat([Buffer.of(1), Buffer.from(output)]));
  // Runs until whoever called it goes.
  if (command === 'sleep') return;
  socket.send(JSON.stringify({ type: 'end', reason: 'exited', exitCode: 0, message: '' }));
  socket.close(1000);
}

async function answer(
  answers: Answers,
  called: string[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const path = url.pathname.replace('/api/', '');
  const chunks: unknown[] = await request.toArray();
  const body = Buffer.concat(chunks.filter((chunk) => chunk instanceof Uint8Array)).toString();
  called.push(path);
  const named = procedures.get(path);
  const value: unknown = answers[path];
  if (!named || value === undefined) {
    const message = `Nothing was written down for ${path}.`;
    response
      .writeHead(500)
      .end(JSON.stringify({ error: { message, code: 'INTERNAL_SERVER_ERROR', data: {} } }));
    return;
  }
  const isJson = request.headers['content-type'] === 'application/json';
  const input: unknown = JSON.parse(url.searchParams.get('input') ?? (isJson ? body : '{}'));
  const given: unknown = typeof value === 'function' ? Reflect.apply(value, undefined, [input]) : value;
  if (named.procedure.kind !== 'subscription') {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(checked(named, given)));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const events = Array.isArray(given) ? given : [];
  for (const [index, event] of events.entries()) {
    const isEnd = Object(event).type === 'end';
    const data = JSON.stringify(named.procedure.output.parse(event));
    response.write(`${isEnd ? 'event: end\n' : ''}id: ${index + 1}\ndata: ${data}\n\n`);
  }
  const isEnded = events.some((event) => Object(event).type === 'end');
  response.end(isEnded ? undefined : 'event: end\ndata: {}\n\n');
}

function checked({ path, procedure }: NamedProcedure, value: unknown): unknown {
  if (procedure.kind === 'subscription') return value;
  const result = ofPart(procedure.output).safeParse(value);
  if (!result.success) throw new Error(`${path}: ${result.error.message}`);
  return result.data;
}

/** The same shape of a record of which only some fields are written down. */
function ofPart(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries<z.ZodType>(schema.shape);
    return z.object(Object.fromEntries(fields.map(([name, field]) => [name, ofPart(field).optional()])));
  }
  if (schema instanceof z.ZodArray && schema.element instanceof z.ZodType)
    return z.array(ofPart(schema.element));
  if (schema instanceof z.ZodUnion && schema.options[0] instanceof z.ZodType)
    return ofPart(schema.options[0]);
  return schema;
}
