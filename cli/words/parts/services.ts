/** Services by their names. */
import type { Client } from '../../../client/client.ts';
import type { ServiceKindName, ServiceKinds } from '../../../server/src/modules/service/record-lists.ts';
import {
  databaseKindNames,
  perDatabaseKind,
  type DatabaseKindName,
} from '../../../server/src/domain/database-kind.ts';
import { didYouMean } from '../../../server/src/domain/text/closest.ts';
import { fieldsOf } from '../../connection/config.ts';
import { linkOf, scopeOf } from '../../folder-links.ts';
import { UsageError } from '../../usage-error.ts';
import { itemsOf, type Context } from './context.ts';

/** As the contracts have it; said again since the original comes with its schemas. */
export const serviceKinds: ServiceKinds = {
  application: {
    list: 'applications',
    id: 'applicationId',
    status: 'applicationStatus',
    deployed: 'application',
  },
  ...ofDatabases(),
  compose: { list: 'compose', id: 'composeId', status: 'composeStatus', deployed: 'compose' },
};

/** Made from the names of the kinds, they have these types; the compiler cannot follow that. */
function ofDatabases(): Pick<ServiceKinds, DatabaseKindName> {
  return perDatabaseKind((kind) => ({
    list: kind,
    id: `${kind}Id`,
    status: 'applicationStatus',
    deployed: 'database',
  })) as Pick<ServiceKinds, DatabaseKindName>;
}

export interface Service {
  kind: ServiceKindName;
  id: string;
  name: string;
  appName: string;
  status: string;
  project: { projectId: string; name: string };
  environment: { environmentId: string; name: string; isDefault: boolean };
}

/** `project/service`, with the environment between where it is not the default one. */
export function nameOf({ project, environment, name }: Service): string {
  return environment.isDefault ? `${project.name}/${name}` : `${project.name}/${environment.name}/${name}`;
}

/** Every service that the caller sees. */
export async function allServices(client: Client): Promise<Service[]> {
  const projects = itemsOf(await client.project.all());
  return projects.flatMap((project) =>
    project.environments.flatMap((environment) =>
      kindNames().flatMap((kind) => {
        const { list, id, status } = serviceKinds[kind];
        return environment[list].map((row) => {
          const fields = fieldsOf(row);
          return {
            kind,
            id: String(fields[id]),
            name: row.name,
            appName: row.appName,
            status: String(fields[status]),
            project,
            environment,
          };
        });
      }),
    ),
  );
}

function kindNames(): ServiceKindName[] {
  return ['application', 'compose', ...databaseKindNames];
}

export function isDatabase(service: Service): service is Service & { kind: DatabaseKindName } {
  return service.kind !== 'application' && service.kind !== 'compose';
}

/**
 * The services that were meant: of these names, or the folder's without any. Throws UsageError where a name
 * means none or several.
 */
export async function servicesOf(context: Context, names: readonly string[]): Promise<Service[]> {
  const { client, connection } = await context.berth();
  const services = await allServices(client);
  if (names.length > 0) {
    const scope = await scopeOf(context.terminal, connection.url);
    return names.map((name) => pick(services, name, scope));
  }
  const link = await linkOf(context.terminal, connection.url);
  if (!link)
    throw new UsageError(
      'Which service? Name it as project/service, or run `berth link project/service` in this folder.',
    );
  const linked = services.find(({ id }) => id === link.serviceId);
  if (!linked)
    throw new UsageError(
      `This folder is linked to ${link.name}, which no longer exists, or which you may not see. Run ` +
        '`berth link` with another one, or `berth link --remove`.',
    );
  return [linked];
}

export async function serviceOf(context: Context, name: string | undefined): Promise<Service> {
  const [service] = await servicesOf(context, name === undefined ? [] : [name]);
  if (!service) throw new UsageError('Which service?');
  return service;
}

/** The service of that name; a scope is the project, or project/environment, of names without one. */
export function pick(services: readonly Service[], name: string, scope?: string): Service {
  const found = matches(services, name, scope);
  const [only] = found;
  if (only && found.length === 1) return only;
  if (found.length > 1)
    throw new UsageError(
      `"${name}" is ambiguous: it may be any of ` +
        `${found.map((one) => nameAmong(found, one)).join(', ')}. Give one of these.`,
    );
  const known = services.map(nameOf);
  const meant = didYouMean(name, name.includes('/') ? known : services.map((one) => one.name));
  throw new UsageError(
    `There is no service ${name}.${meant} ` +
      (known.length === 0 ? 'There is none yet: `berth deploy` creates one.' : '`berth status` lists them.'),
  );
}

/** As `pick`, giving what there is. */
export function matches(services: readonly Service[], name: string, scope?: string): Service[] {
  const byId = services.filter(({ id }) => id === name);
  if (byId.length > 0) return byId;
  const parts = name.split('/');
  const called = services.filter(
    (one) => wholeNameOf(one) === name || (parts.length === 2 && `${one.project.name}/${one.name}` === name),
  );
  if (called.length > 1) {
    const usual = called.filter(({ environment }) => environment.isDefault);
    return usual.length === 1 ? usual : called;
  }
  if (called.length === 1 || parts.length > 1) return called;
  const named = services.filter((one) => one.name === name || one.appName === name);
  const inScope = named.filter((one) => isInScope(one, scope));
  return inScope.length > 0 ? inScope : named;
}

function isInScope({ project, environment }: Service, scope: string | undefined): boolean {
  if (scope === undefined) return false;
  return scope === `${project.name}/${environment.name}` || (scope === project.name && environment.isDefault);
}

/** The whole name, or the name on the network where several have the same one. */
function nameAmong(found: readonly Service[], one: Service): string {
  const whole = wholeNameOf(one);
  return found.filter((other) => wholeNameOf(other) === whole).length === 1 ? whole : one.appName;
}

export function wholeNameOf({ project, environment, name }: Service): string {
  return `${project.name}/${environment.name}/${name}`;
}
