/** Makes a compose service of a template: record, files, variables, domains, deployment; or none of them. */
import { badField } from '../../domain/errors.ts';
import { reachOf } from '../../domain/access/permissions.ts';
import { parseHost } from '../../domain/names/names.ts';
import { serverKeyOf } from '../../domain/names/server-key.ts';
import { composeRef } from '../../domain/names/service-ref.ts';
import { addressOf } from '../../domain/routing/address.ts';
import { formatEnv } from '../../domain/variables/dotenv.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Hosts } from '../../ports/host/host.ts';
import type { ChangeRoutes } from '../../ports/proxy.ts';
import type { Queue } from '../../ports/queue.ts';
import type { CallContext } from '../../procedure/context.ts';
import { checkDeployable, type Composes } from '../compose/compose.ts';
import { startedBy, type Deployments } from '../deployment/deployment.ts';
import type { DomainInput, Domains } from '../domain/domain.ts';
import type { Mounts } from '../mount/mount.ts';
import type { Members } from '../organization/member.ts';
import type { ComposeRecord, DomainRecord } from '../../db/tables.ts';
import { fileMountOf } from './file-mount.ts';
import { madeFromOf } from './made-from.ts';
import type { createdFromTemplate, newFromTemplate, Template } from './record.ts';
import { checkGiven, expandWith, secretNames, valuesOf } from './values.ts';
import type { z } from 'zod';

export interface FromTemplateDeps {
  composes: Pick<Composes, 'create' | 'update'>;
  deployments: Pick<Deployments, 'accept'>;
  domains: Pick<Domains, 'create' | 'generate'>;
  clock: Clock;
  members: Pick<Members, 'grantCreated'>;
  mounts: Pick<Mounts, 'create'>;
  queue: Pick<Queue, 'wake'>;
  hosts: Hosts;
  changeRoutes: ChangeRoutes;
  /** BAD_REQUEST when a new service needs a server and names none, or one that takes no services. */
  requireServer(serverId: string | null | undefined, organizationId: string): Promise<void>;
  /** Records what the file of the new service asks of the machine, as compose.create does. */
  approveSaved(context: CallContext, compose: ComposeRecord): Promise<void>;
  /** IP address of a server, for the name of a test domain. */
  serverIp(serverKey: string): Promise<string | null>;
  /** Refuses a host that an authority would not find, before it is asked for a certificate. */
  prepareCertificate(serverKey: string, asciiHost: string): Promise<void>;
}

type Asked = z.infer<typeof newFromTemplate>;
type Created = z.infer<typeof createdFromTemplate>;

export async function createFromTemplate(
  deps: FromTemplateDeps,
  context: CallContext,
  template: Template,
  asked: Asked,
): Promise<Created> {
  const { actor, write } = context;
  checkGiven(template, asked.variables);
  const hosts = hostsOf(template, asked);
  await deps.requireServer(asked.serverId, actor.organizationId);
  const serverKey = serverKeyOf({ serverId: asked.serverId ?? null });
  const https = httpsOf(asked);
  if (https.https)
    for (const host of new Set([...hosts.values()].flatMap((host) => host ?? [])))
      await deps.prepareCertificate(serverKey, parseHost(host));
  const [ip, found] = await Promise.all([
    [...hosts.values()].every((host) => host !== undefined) ? null : deps.serverIp(serverKey),
    deps.hosts.find(serverKey),
  ]);
  const made = await deps.changeRoutes(
    serverKey,
    write,
    async () => {
      const place = { hosts, ip, https, ports: found?.proxyPorts };
      const recorded = await record(deps, context, template, asked, place);
      const { compose } = recorded;
      await checkDeployable(compose, deps.hosts);
      const { deploymentId } = await deps.deployments.accept(composeRef(compose.composeId), {
        kind: 'deploy',
        title: `From the template ${template.title}`,
        description: '',
        organizationId: actor.organizationId,
        startedBy: startedBy(actor),
      });
      return { ...recorded, deploymentId };
    },
    { mayWait: true },
  );
  deps.queue.wake();
  context.announce(made.deploymentId);
  const { compose, domains, instructions, deploymentId } = made;
  const { composeId, name, appName } = compose;
  const { firstSignIn } = template;
  return {
    composeId,
    name,
    appName,
    deploymentId,
    domainId: domains[0]?.domainId ?? null,
    address: domains[0]?.address ?? null,
    domains,
    firstSignIn,
    instructions,
  };
}

interface Placing {
  hosts: AskedHosts;
  ip: string | null;
  https: ReturnType<typeof httpsOf>;
  ports: { http: number; https: number } | undefined;
}

/** By the names of the domains; undefined: a test name is generated. */
type AskedHosts = ReadonlyMap<string, string | undefined>;

interface Recorded {
  compose: ComposeRecord;
  domains: Created['domains'];
  instructions: string;
}

async function record(
  deps: FromTemplateDeps,
  context: CallContext,
  template: Template,
  { name, environmentId, serverId, https, variables, definition }: Asked,
  placing: Placing,
): Promise<Recorded> {
  const { actor } = context;
  const created = await deps.composes.create(actor, {
    name: name ?? template.name,
    environmentId,
    serverId,
    composeType: 'compose',
    sourceType: 'raw',
    composeFile: template.file,
  });
  const { composeId } = created;
  await deps.members.grantCreated(actor, 'accessedServices', composeId);
  await deps.approveSaved(context, created);
  const places = await recordDomains(deps, context, template, created, placing);
  if (https === true && [...places.values()].some(({ address }) => !address.startsWith('https:')))
    throw badField('https', 'needs a host of yours: the generated test name answers over http');
  const values = valuesOf(template, variables, places, new Date(deps.clock.now()));
  const secrets = secretNames(template.variables);
  for (const file of template.files)
    await deps.mounts.create(
      { organizationId: actor.organizationId, userId: actor.userId },
      { serviceId: composeId, serviceType: 'compose' },
      fileMountOf(file, expandWith(file.content, values), secrets),
    );
  const shown = Object.fromEntries(Object.entries(values).filter(([key]) => !secrets.has(key)));
  const instructions = expandWith(template.instructions, shown);
  const compose = await deps.composes.update(composeId, actor, {
    env: formatEnv(values),
    // One of the caller's own has no newer form that Berth could know.
    madeFrom: definition === undefined ? madeFromOf(template) : null,
    description: [template.firstSignIn, instructions].filter(Boolean).join('\n\n').slice(0, 1000),
  });
  const domains = [...places].map(([key, { domainId, address }]) => ({ name: key, domainId, address }));
  return { compose, domains, instructions };
}

interface MadeDomain {
  domainId: string;
  host: string;
  address: string;
}

async function recordDomains(
  { domains }: FromTemplateDeps,
  { actor }: CallContext,
  template: Template,
  compose: ComposeRecord,
  { hosts, ip, https, ports }: Placing,
): Promise<Map<string, MadeDomain>> {
  const { composeId, appName } = compose;
  const { organizationId } = actor;
  const places = new Map<string, MadeDomain>();
  let first: DomainRecord | undefined;
  for (const { name, service, port, path } of template.domains) {
    const beside = path === '/' || hosts.get(name) !== undefined ? undefined : first;
    const host =
      hosts.get(name) ??
      beside?.host ??
      (await domains.generate(appName, { organizationId, serverKey: serverKeyOf(compose), serverIp: ip }));
    const made = await domains.create(
      organizationId,
      { composeId },
      {
        host,
        path,
        ...(beside ? { https: beside.https, certificateType: beside.certificateType } : https),
        domainType: 'compose',
        serviceName: service,
        port,
      },
      reachOf(actor),
    );
    first ??= made;
    places.set(name, { domainId: made.domainId, host: made.host, address: addressOf(made, ports) });
  }
  return places;
}

/** Hosts that were asked for, by the names of the domains; BAD_REQUEST where one is missing or too many. */
function hostsOf({ title, domains }: Template, { host, hosts }: Asked): AskedHosts {
  const [first, ...further] = domains;
  if (host !== undefined && first === undefined)
    throw badField('host', `cannot be set: ${title} has no domain`);
  const names = further.map(({ name }) => name);
  for (const name of Object.keys(hosts))
    if (!names.includes(name))
      throw badField(
        `hosts.${name}`,
        names.length === 0
          ? `is not a further domain of ${title}, which has none; host is that of the first`
          : `is not a further domain of ${title}; these are ${names.join(', ')}`,
      );
  if (first === undefined) return new Map();
  const found = new Map([[first.name, host]]);
  for (const { name, path } of further) {
    const given = hosts[name] ?? (path === '/' ? undefined : host);
    if (given === undefined && host !== undefined)
      throw badField(`hosts.${name}`, `is required beside host, such as ${name}.${host}`);
    if (given !== undefined && host === undefined)
      throw badField('host', 'is required beside hosts: either all domains are yours or none is');
    found.set(name, given);
  }
  return found;
}

/**
 * Names of this machine alone get no certificate, others do unless it was asked for otherwise; a generated
 * host follows the base domain.
 */
function httpsOf({ host, https }: Asked): Pick<DomainInput, 'https' | 'certificateType'> {
  if (host === undefined) return https === false ? { https } : {};
  const isSecure = https ?? !/(^|\.)localhost$/i.test(host);
  return { https: isSecure, ...(isSecure ? { certificateType: 'acme' as const } : {}) };
}
