/**
 * Another server of the interface's family, made from its published interface: it knows the procedures and
 * fields that are there and refuses all others, and keeps what it is told.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { json } from 'node:stream/consumers';
import { familyDocument, type FamilyProcedure } from './family-document.ts';

type Fields = Record<string, unknown>;

export interface FamilyServer extends AsyncDisposable {
  url: string;
  key: string;
  /** Throws for what the interface does not have. */
  call(path: string, input: Fields): Promise<Fields>;
}

/** Router → the field of its ids. */
const ids = {
  project: 'projectId',
  environment: 'environmentId',
  application: 'applicationId',
  compose: 'composeId',
  postgres: 'postgresId',
  mysql: 'mysqlId',
  mariadb: 'mariadbId',
  mongo: 'mongoId',
  redis: 'redisId',
  libsql: 'libsqlId',
  domain: 'domainId',
  mounts: 'mountId',
  port: 'portId',
  redirects: 'redirectId',
  security: 'securityId',
  schedule: 'scheduleId',
  backup: 'backupId',
} as const;
type RouterName = keyof typeof ids;
const services: readonly RouterName[] = [
  'application',
  'compose',
  'postgres',
  'mysql',
  'mariadb',
  'mongo',
  'redis',
  'libsql',
];
/** Router → the list of the service's record. */
const lists = {
  domain: 'domains',
  mounts: 'mounts',
  port: 'ports',
  redirects: 'redirects',
  security: 'security',
  schedule: 'schedules',
  backup: 'backups',
} as const;

export async function startFamilyServer(): Promise<FamilyServer> {
  const document = await familyDocument();
  const answer = keeping();
  const key = 'family-key';
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '', 'http://family');
    const path = url.pathname.replace(/^\/api\//, '');
    const input: Fields =
      request.method === 'GET' ? Object.fromEntries(url.searchParams) : Object(await json(request));
    const fault = request.headers['x-api-key'] === key ? faultOf(document.get(path), request, input) : 401;
    const value = fault === undefined ? answer(path, input) : undefined;
    response.writeHead(typeof fault === 'number' ? fault : value === undefined ? 404 : 200, {
      'content-type': 'application/json',
    });
    response.end(JSON.stringify(value ?? { message: `${path}: ${JSON.stringify(input)}` }));
  };
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => response.destroy(error as Error));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}`;
  return {
    url,
    key,
    async call(path, input) {
      const answered = await fetch(`${url}/api/${path}`, {
        method: 'POST',
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        body: JSON.stringify(input),
      });
      const value: unknown = await answered.json();
      if (!answered.ok) throw new Error(`${answered.status} ${JSON.stringify(value)}`);
      return Object(value);
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** What it was told, and its answers; undefined where there is no such thing. */
function keeping(): (path: string, input: Fields) => unknown {
  const records = new Map<RouterName, Fields[]>();
  const of = (router: RouterName): Fields[] => records.get(router) ?? [];
  const create = (router: RouterName, input: Fields): Fields => {
    const record: Fields = { [ids[router]]: `${router}-${of(router).length + 1}`, ...input };
    records.set(router, [...of(router), record]);
    if (router !== 'project') return record;
    const projectId = record[ids.project];
    return {
      project: record,
      environment: create('environment', { name: 'production', env: '', projectId }),
    };
  };

  const whole = (router: RouterName, record: Fields): Fields => {
    const id = record[ids[router]];
    const own = Object.entries(lists).map(([child, list]) => [
      list,
      of(child as RouterName).filter((one) => one[ids[router]] === id || one['serviceId'] === id),
    ]);
    return { ...record, ...Object.fromEntries(own), deployments: [] };
  };

  const projects = (): Fields[] =>
    of('project').map((project) => ({
      ...project,
      environments: of('environment')
        .filter(({ projectId }) => projectId === project['projectId'])
        .map((environment) => ({
          ...environment,
          ...Object.fromEntries(
            services.map((kind) => [
              kind === 'application' ? 'applications' : kind,
              of(kind)
                .filter(({ environmentId }) => environmentId === environment['environmentId'])
                .map((service) => ({ [ids[kind]]: service[ids[kind]], name: service['name'] })),
            ]),
          ),
        })),
    }));

  return (path, input) => {
    const [router = '', name = ''] = path.split('.');
    if (path === 'project.all') return projects();
    if (!isRouter(router)) return undefined;
    if (name === 'create') return create(router, input);
    const record = of(router).find((one) => one[ids[router]] === input[ids[router]]);
    if (!record) return undefined;
    if (name === 'one') return whole(router, record);
    return name === 'update' || name.startsWith('save') ? Object.assign(record, input) : undefined;
  };
}

function isRouter(name: string): name is RouterName {
  return Object.hasOwn(ids, name);
}

/** The status of a refusal: no such procedure, another verb, a field that is missing or unknown, a value. */
function faultOf(
  procedure: FamilyProcedure | undefined,
  { method }: IncomingMessage,
  input: Fields,
): number | undefined {
  if (!procedure) return 404;
  if (procedure.verb !== method) return 405;
  const isKnown = Object.entries(input).every(([name, value]) => {
    const field = procedure.fields.get(name);
    return (
      field && (value === null || field.values === undefined || field.values.some((one) => one === value))
    );
  });
  const isWhole = [...procedure.fields].every(([name, field]) => !field.isRequired || name in input);
  return isKnown && isWhole ? undefined : 400;
}
