/**
 * What the requests cost without a framework, without schemas and without a guard: a node:http server written
 * for exactly four paths, with the same look-ups on the same database and the same number of commits. Nobody
 * would want to maintain it; it is what Berth is measured by.
 */
import { hash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { applicationAnswer, projectsAnswer } from './answers.ts';
import { openDatabase, type Row } from './database.ts';

const database = openDatabase(process.env['BERTH_DATA'] ?? '');
let sequence = Date.now() * 1000;

const newId = (): string => randomBytes(16).toString('base64url');

function authenticate(request: IncomingMessage): Row {
  const key = request.headers['x-api-key'];
  const row = typeof key === 'string' ? database.key(hash('sha256', key, 'base64url')) : undefined;
  if (!row || row['enabled'] !== 1 || (row['expiresAt'] !== null && Number(row['expiresAt']) < Date.now()))
    throw new Refusal(401);
  return row;
}

class Refusal extends Error {
  readonly status: number;
  constructor(status: number) {
    super('refused');
    this.status = status;
  }
}

/** The application, when it is in the caller's organization. */
function reach(actor: Row, applicationId: string): Row {
  const scope = database.scope(applicationId);
  if (!scope) throw new Refusal(404);
  if (scope['organizationId'] !== actor['organizationId']) throw new Refusal(403);
  const row = database.application(applicationId, String(actor['organizationId']));
  if (!row) throw new Refusal(404);
  return row;
}

function commit(actor: Row, procedure: string, applicationId: string, work: () => void): void {
  const at = new Date().toISOString();
  database.writer.exec('BEGIN IMMEDIATE');
  try {
    work();
    database.insertAudit(
      newId(),
      String(actor['organizationId']),
      at,
      String(actor['userId']),
      String(actor['apiKeyId']),
      procedure,
      applicationId,
    );
    database.writer.exec('COMMIT');
  } catch (error) {
    database.writer.exec('ROLLBACK');
    throw error;
  }
}

function update(actor: Row, body: Record<string, unknown>): unknown {
  const row = reach(actor, String(body['applicationId']));
  const applicationId = String(row['applicationId']);
  commit(actor, 'application.update', applicationId, () => {
    database.updateApplication(
      String(body['description']),
      Number(body['replicas']),
      String(body['memoryLimit']),
      String(body['cpuLimit']),
      body['autoDeploy'] === true ? 1 : 0,
      applicationId,
      String(actor['organizationId']),
    );
  });
  return { success: true };
}

function deploy(actor: Row, body: Record<string, unknown>): unknown {
  const row = reach(actor, String(body['applicationId']));
  const applicationId = String(row['applicationId']);
  commit(actor, 'application.deploy', applicationId, () => {
    const deploymentId = newId();
    const at = new Date().toISOString();
    database.insertDeployment(
      deploymentId,
      String(actor['organizationId']),
      applicationId,
      'Manual deployment',
      '',
      at,
      (sequence += 1),
    );
    database.insertJob(
      newId(),
      JSON.stringify({ deploymentId }),
      `application:${applicationId}`,
      (sequence += 1),
      at,
    );
    database.setStatus('running', applicationId);
  });
  return true;
}

function send(response: ServerResponse, status: number, value: unknown): void {
  const text = JSON.stringify(value);
  response
    .writeHead(status, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(text),
    })
    .end(text);
}

function answer(request: IncomingMessage, response: ServerResponse, body: string): void {
  try {
    const url = request.url ?? '';
    const actor = authenticate(request);
    if (url.startsWith('/api/application.one?applicationId='))
      send(response, 200, applicationAnswer(database, reach(actor, decodeURIComponent(url.slice(35)))));
    else if (url === '/api/application.update') send(response, 200, update(actor, JSON.parse(body)));
    else if (url === '/api/application.deploy') send(response, 200, deploy(actor, JSON.parse(body)));
    else if (url === '/api/project.all')
      send(response, 200, projectsAnswer(database, String(actor['organizationId'])));
    else throw new Refusal(404);
  } catch (error) {
    send(response, error instanceof Refusal ? error.status : 500, { error: String(error) });
  }
}

createServer((request, response) => {
  if (request.method === 'GET') {
    answer(request, response, '');
    return;
  }
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (piece: string) => {
    body += piece;
  });
  request.on('end', () => answer(request, response, body));
}).listen(Number(process.env['BERTH_PORT']), process.env['BERTH_HOST']);
