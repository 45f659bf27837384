/** The same database file with the same settings, by hand: every statement written out and prepared once. */
import { createDecipheriv } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';

export type Row = Record<string, string | number | null>;
type Value = string | number | null;

/** Statements by their use; each gives the rows. */
export interface Statements {
  writer: DatabaseSync;
  decrypt(stored: string): string;
  key(hash: string): Row | undefined;
  scope(applicationId: string): Row | undefined;
  application(applicationId: string, organizationId: string): Row | undefined;
  placement(environmentId: string): Row | undefined;
  deployments(applicationId: string): Row[];
  domains(applicationId: string, organizationId: string): Row[];
  ports(applicationId: string, organizationId: string): Row[];
  mounts(applicationId: string, organizationId: string): Row[];
  projects(organizationId: string): Row[];
  environments(organizationId: string): Row[];
  /** Of every kind; the organization three times, once for each table. */
  services(...organizationIds: [string, string, string]): Row[];
  updateApplication(...values: Value[]): void;
  setStatus(...values: Value[]): void;
  insertDeployment(...values: Value[]): void;
  insertJob(...values: Value[]): void;
  insertAudit(...values: Value[]): void;
}

const shownDeployment =
  '"deploymentId", "applicationId", "databaseId", "composeId", "previewDeploymentId", "kind", "title", ' +
  '"description", "status", "stage", "commit", "image", "errorMessage", "createdAt", "startedAt", ' +
  '"healthyAt", "finishedAt", "startedBy", "stages"';

export function openDatabase(data: string): Statements {
  const path = join(data, 'berth.sqlite');
  const writer = new DatabaseSync(path, { timeout: 5000 });
  writer.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA cache_size ' +
      '= -8000; PRAGMA temp_store = MEMORY;',
  );
  const reader = new DatabaseSync(path, { timeout: 5000, readOnly: true });
  reader.exec('PRAGMA cache_size = -8000; PRAGMA temp_store = MEMORY;');
  return {
    writer,
    decrypt: decryptWith(readFileSync(join(data, 'berth.key'), 'utf8')),
    ...readingStatements(reader),
    ...writingStatements(writer),
  };
}

type Writing = 'updateApplication' | 'setStatus' | 'insertDeployment' | 'insertJob' | 'insertAudit';

const servicesOfEveryKind = `
  SELECT 'application' AS "kind", "applicationId" AS "id", "environmentId", "name", "appName",
    "applicationStatus" AS "status", "createdAt" FROM "application" WHERE "organizationId" = ?
  UNION ALL SELECT "kind", "databaseId", "environmentId", "name", "appName",
    "applicationStatus", "createdAt" FROM "database" WHERE "organizationId" = ?
  UNION ALL SELECT 'compose', "composeId", "environmentId", "name", "appName",
    "composeStatus", "createdAt" FROM "compose" WHERE "organizationId" = ?
  ORDER BY "createdAt" DESC, "id" DESC`;

function readingStatements(reader: DatabaseSync): Omit<Statements, Writing | 'writer' | 'decrypt'> {
  const rows = (sql: string) => {
    const statement = reader.prepare(sql);
    return (...values: Value[]): Row[] => asRows(statement.all(...values));
  };
  const row = (sql: string) => {
    const statement = reader.prepare(sql);
    return (...values: Value[]): Row | undefined => asRows([statement.get(...values)])[0];
  };
  const ofApplication = (table: string, id: string): string =>
    `SELECT * FROM "${table}" WHERE "applicationId" = ? AND "organizationId" = ? ORDER BY "createdAt" ` +
    `DESC, "${id}" DESC`;
  return {
    key: row(
      'SELECT k."userId", k."organizationId", k."enabled", k."expiresAt", k."apiKeyId", m."role", ' +
        'm."grants" FROM "api_key" k JOIN "member" m ON m."userId" = k."userId" AND m."organizationId" = ' +
        'k."organizationId" WHERE k."keyHash" = ?',
    ),
    scope: row(
      'SELECT a."organizationId", e."projectId", e."environmentId" FROM "application" a JOIN ' +
        '"environment" e ON e."environmentId" = a."environmentId" WHERE a."applicationId" = ?',
    ),
    application: row('SELECT * FROM "application" WHERE "applicationId" = ? AND "organizationId" = ?'),
    placement: row(
      'SELECT e."environmentId", e."name" AS "environmentName", p."projectId", p."name" AS ' +
        '"projectName", p."organizationId" FROM "environment" e JOIN "project" p ON p."projectId" = ' +
        'e."projectId" WHERE e."environmentId" = ?',
    ),
    deployments: rows(
      `SELECT ${shownDeployment} FROM "deployment" WHERE "applicationId" = ? ORDER BY "sequence" DESC ` +
        'LIMIT 50',
    ),
    domains: rows(ofApplication('domain', 'domainId')),
    ports: rows(ofApplication('port', 'portId')),
    mounts: rows(ofApplication('mount', 'mountId')),
    projects: rows(
      'SELECT * FROM "project" WHERE "organizationId" = ? ORDER BY "createdAt" DESC, "projectId" DESC',
    ),
    environments: rows(
      'SELECT * FROM "environment" WHERE "organizationId" = ? ORDER BY "createdAt" DESC, ' +
        '"environmentId" DESC',
    ),
    services: rows(servicesOfEveryKind),
  };
}

function writingStatements(writer: DatabaseSync): Pick<Statements, Writing> {
  const change = (sql: string) => {
    const statement = writer.prepare(sql);
    return (...values: Value[]): void => void statement.run(...values);
  };
  return {
    updateApplication: change(
      'UPDATE "application" SET "description" = ?, "replicas" = ?, "memoryLimit" = ?, "cpuLimit" = ?, ' +
        '"autoDeploy" = ?, "revision" = "revision" + 1 WHERE "applicationId" = ? AND "organizationId" = ?',
    ),
    setStatus: change('UPDATE "application" SET "applicationStatus" = ? WHERE "applicationId" = ?'),
    insertDeployment: change(
      'INSERT INTO "deployment" ("deploymentId", "organizationId", "applicationId", "kind", "title", ' +
        '"description", "status", "stage", "createdAt", "sequence") VALUES (?, ?, ?, \'deploy\', ?, ?, ' +
        "'queued', 'queue', ?, ?)",
    ),
    insertJob: change(
      'INSERT INTO "job" ("jobId", "kind", "payload", "serviceKey", "serverKey", "state", "attempts", ' +
        '"leaseUntil", "sequence", "createdAt") VALUES (?, \'deployment\', ?, ?, \'local\', \'queued\', ' +
        '0, 0, ?, ?)',
    ),
    insertAudit: change(
      'INSERT INTO "audit" ("auditId", "organizationId", "at", "userId", "apiKeyId", "procedure", ' +
        '"resourceId", "outcome", "ip") VALUES (?, ?, ?, ?, ?, ?, ?, \'done\', \'127.0.0.1\')',
    ),
  };
}

/** AES-256-GCM as the columns are written: `v1.<key id>.<base64 of nonce, text, tag>`. */
function decryptWith(keyText: string): (stored: string) => string {
  const key = Buffer.from(keyText.trim(), 'base64');
  return (stored) => {
    if (stored === '') return '';
    const body = Buffer.from(stored.slice(stored.lastIndexOf('.') + 1), 'base64');
    const decipher = createDecipheriv('aes-256-gcm', key, body.subarray(0, 12));
    decipher.setAuthTag(body.subarray(-16));
    return decipher.update(body.subarray(12, -16), undefined, 'utf8') + decipher.final('utf8');
  };
}

/** The statements above name the columns. */
function asRows(found: unknown[]): Row[] {
  return found as Row[];
}
