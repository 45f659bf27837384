/** Makes a compose service of a template: record, variables, domain and deployment, or none of them. */
import { randomBytes } from 'node:crypto';
import { badField } from '../../domain/errors.ts';
import { reachOf } from '../../domain/access/permissions.ts';
import { parseHost } from '../../domain/names/names.ts';
import { serverKeyOf } from '../../domain/names/server-key.ts';
import { composeRef } from '../../domain/names/service-ref.ts';
import { addressOf } from '../../domain/routing/address.ts';
import { formatEnv } from '../../domain/variables/dotenv.ts';
import { randomId } from '../../ports/clock.ts';
import type { Hosts } from '../../ports/host/host.ts';
import type { ChangeRoutes } from '../../ports/proxy.ts';
import type { Queue } from '../../ports/queue.ts';
import type { CallContext } from '../../procedure/context.ts';
import { checkDeployable, type Composes } from '../compose/compose.ts';
import { startedBy, type Deployments } from '../deployment/deployment.ts';
import type { DomainInput, Domains } from '../domain/domain.ts';
import type { Members } from '../organization/member.ts';
import type { ComposeRecord, DomainRecord } from '../../db/tables.ts';
import type { createdFromTemplate, newFromTemplate, Template } from './record.ts';
import type { z } from 'zod';

export interface FromTemplateDeps {
  composes: Pick<Composes, 'create' | 'update'>;
  deployments: Pick<Deployments, 'accept'>;
  domains: Pick<Domains, 'create' | 'generate'>;
  members: Pick<Members, 'grantCreated'>;
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
  checkVariables(template, asked.variables);
  await deps.requireServer(asked.serverId, actor.organizationId);
  const serverKey = serverKeyOf({ serverId: asked.serverId ?? null });
  const https = httpsOf(asked);
  if (https.https && asked.host) await deps.prepareCertificate(serverKey, parseHost(asked.host));
  const [ip, found] = await Promise.all([
    asked.host ? null : deps.serverIp(serverKey),
    deps.hosts.find(serverKey),
  ]);
  const made = await deps.changeRoutes(
    serverKey,
    write,
    async () => {
      const place = { ip, https, ports: found?.proxyPorts };
      const { compose, domain, address } = await record(deps, context, template, asked, place);
      await checkDeployable(compose, deps.hosts);
      const { deploymentId } = await deps.deployments.accept(composeRef(compose.composeId), {
        kind: 'deploy',
        title: `From the template ${template.title}`,
        description: '',
        organizationId: actor.organizationId,
        startedBy: startedBy(actor),
      });
      return { compose, domain, address, deploymentId };
    },
    { mayWait: true },
  );
  deps.queue.wake();
  context.announce(made.deploymentId);
  const { compose, domain, address, deploymentId } = made;
  const { composeId, name, appName } = compose;
  return { composeId, name, appName, deploymentId, domainId: domain.domainId, address };
}

interface Place {
  ip: string | null;
  https: ReturnType<typeof httpsOf>;
  ports: { http: number; https: number } | undefined;
}

async function record(
  deps: FromTemplateDeps,
  context: CallContext,
  template: Template,
  { name, environmentId, serverId, host: given, https: askedHttps, variables }: Asked,
  { ip, https, ports }: Place,
): Promise<{ compose: ComposeRecord; domain: DomainRecord; address: string }> {
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
  const domain = await deps.domains.create(
    actor.organizationId,
    { composeId },
    {
      host:
        given ??
        (await deps.domains.generate(created.appName, {
          organizationId: actor.organizationId,
          serverKey: serverKeyOf(created),
          serverIp: ip,
        })),
      ...https,
      domainType: 'compose',
      serviceName: template.service,
      port: template.port,
    },
    reachOf(actor),
  );
  if (askedHttps === true && !domain.https)
    throw badField('https', 'needs a host of yours: the generated test name answers over http');
  const address = addressOf(domain, ports);
  const env = formatEnv(valuesOf(template, variables, { host: domain.host, address }));
  const compose = await deps.composes.update(composeId, actor, { env });
  return { compose, domain, address };
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

function checkVariables({ title, variables }: Template, given: Readonly<Record<string, string>>): void {
  const known = new Set(variables.map(({ name }) => name));
  for (const name of Object.keys(given))
    if (!known.has(name))
      throw badField(
        `variables.${name}`,
        known.size === 0
          ? `is not a variable of ${title}, which has none`
          : `is not a variable of ${title}, which has ${[...known].join(', ')}`,
      );
}

function valuesOf(
  { variables }: Template,
  given: Readonly<Record<string, string>>,
  at: { host: string; address: string },
): Record<string, string> {
  return Object.fromEntries(
    variables.map(({ name, generate, value }) => {
      const own = given[name];
      return [name, own !== undefined && own !== '' ? own : generate ? generators[generate](at) : value];
    }),
  );
}

const generators = {
  password: () => randomId(24),
  key: () => randomBytes(32).toString('hex'),
  host: ({ host }) => host,
  address: ({ address }) => address,
  scheme: ({ address }) => address.slice(0, address.indexOf(':')),
  https: ({ address }) => String(address.startsWith('https:')),
} satisfies Record<
  NonNullable<Template['variables'][number]['generate']>,
  (at: { host: string; address: string }) => string
>;
