/** Dokku: what `dokku config:export APP` printed, with Procfile, app.json and DOKKU_SCALE beside it. */
import { fieldsOf, parseJson } from '../connection/config.ts';
import { UsageError } from '../usage-error.ts';
import {
  dataNote,
  textOf,
  variablesOf,
  type Imported,
  type ImportedService,
  type ReadFile,
  type Variables,
} from './imported.ts';
import { appJsonOf, applicationsOf, processesOf, quantitiesOf } from './procfile.ts';

/** The address that a linked service has inside. */
const linked = /^(\w+):\/\/[^@]*@?dokku-(postgres|mysql|mariadb|mongo|redis)-([\w-]+):/;

export async function importDokku(
  read: ReadFile,
  config: string | undefined,
  name: string,
): Promise<Imported> {
  if (config === undefined)
    throw new UsageError(
      'Which file? Usage: berth import dokku FILE, with what `dokku config:export APP` printed.',
    );
  const text = await read(config);
  if (text === undefined) throw new UsageError(`There is no ${config} here.`);
  const given = text.trimStart().startsWith('{')
    ? Object.fromEntries(
        Object.entries(fieldsOf(parseJson(text))).map(([key, value]) => [key, textOf(value)]),
      )
    : variablesOf(text);
  const notes: string[] = [];
  const databases: Record<string, ImportedService> = {};
  const variables: Variables = {};
  for (const [key, value] of Object.entries(given)) {
    if (/^(DOKKU_|GIT_REV$)/.test(key)) {
      if (/^DOKKU_(PROXY_PORT_MAP|PROXY_PORT|DOMAINS?)/.test(key))
        notes.push(`${key} was left out: a domain names the port. \`berth domains add HOST\` makes one.`);
      continue;
    }
    const [, , kind, service] = linked.exec(textOf(value)) ?? [];
    if (kind === undefined || service === undefined) {
      variables[key] = value;
      continue;
    }
    if (databases[service] === undefined) notes.push(dataNote(service));
    databases[service] = { kind: kind as ImportedService['kind'] };
    variables[key] = `\${{${service}.URL}}`;
  }
  const app = await appJsonOf(read);
  const scale = new Map(
    [...((await read('DOKKU_SCALE')) ?? '').matchAll(/^([\w-]+)=(\d+)$/gm)].map(
      ([, process = '', count]) => [process, Number(count)] as const,
    ),
  );
  const quantities = scale.size > 0 ? scale : quantitiesOf(app?.['formation']);
  if (app?.['cron'] !== undefined)
    notes.push('The cron entries of app.json have no counterpart here and were left out.');
  const hasDockerfile = (await read('Dockerfile')) !== undefined;
  const processes = processesOf((await read('Procfile')) ?? '');
  const source = { sourceType: 'drop', buildType: hasDockerfile ? 'dockerfile' : 'heroku_buildpacks' };
  const services = applicationsOf(processes, { source, variables, quantities });
  notes.push(
    'Domains are not in the export: `dokku domains:report` lists them, `berth domains add` makes them.',
  );
  return { project: name, services: { ...databases, ...withHealth(services, app) }, notes };
}

/** The first check over http of each process. */
function withHealth(
  services: Record<string, ImportedService>,
  app: Readonly<Record<string, unknown>> | undefined,
): Record<string, ImportedService> {
  const checks = fieldsOf(app?.['healthchecks']);
  return Object.fromEntries(
    Object.entries(services).map(([name, service]) => {
      const list = checks[name];
      const path = (Array.isArray(list) ? list : [])
        .map((one) => textOf(fieldsOf(one)['path']))
        .find(Boolean);
      return [name, path === undefined ? service : { ...service, healthCheck: { path } }];
    }),
  );
}
