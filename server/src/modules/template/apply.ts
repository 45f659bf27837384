/** Brings a compose service to the newer form of its template; values and edits of people stay. */
import { AppError, badField } from '../../domain/errors.ts';
import { reachOf } from '../../domain/access/permissions.ts';
import { serverKeyOf } from '../../domain/names/server-key.ts';
import { addressOf } from '../../domain/routing/address.ts';
import { formatEnv, parseEnv } from '../../domain/variables/dotenv.ts';
import { secretBlock } from '../../domain/variables/secret-env.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Hosts } from '../../ports/host/host.ts';
import type { CallContext } from '../../procedure/context.ts';
import type { ComposeRecord, DomainRecord } from '../../db/tables.ts';
import type { ComposeInput, Composes } from '../compose/compose.ts';
import type { Mounts } from '../mount/mount.ts';
import type { ServiceReads } from '../service/service.ts';
import { fileMountOf } from './file-mount.ts';
import { madeFromOf, type MadeFrom } from './made-from.ts';
import type { Template } from './record.ts';
import type { KnownTemplates } from './known-templates.ts';
import {
  addedVariables,
  changesOf,
  filesOf,
  isEdited,
  mergedFile,
  updateOf,
  type Standing,
  type StoredFile,
} from './update.ts';
import type { applyTemplate, TemplateChanges, TemplateUpdate } from './record-update.ts';
import { checkGiven, expandWith, givenOf, secretNames, valuesOf, type Place } from './values.ts';
import type { z } from 'zod';

export interface UpdateDeps {
  templates: KnownTemplates;
  composes: Pick<Composes, 'one' | 'update'>;
  /** Those of the organization, without previews. */
  madeOfTemplates(organizationId: string): Promise<Pick<ComposeRecord, 'composeId' | 'name' | 'madeFrom'>[]>;
  services: Pick<ServiceReads, 'placed'>;
  /** With the contents of secret files. */
  files(composeId: string): Promise<StoredFile[]>;
  mounts: Pick<Mounts, 'create' | 'update'>;
  domainsOf(composeId: string, organizationId: string): Promise<DomainRecord[]>;
  approveSaved(context: CallContext, compose: ComposeRecord): Promise<void>;
  hosts: Pick<Hosts, 'find'>;
  clock: Clock;
}

/** Compose services that the caller may see and whose template is newer. */
export async function updatesOf(
  { templates, madeOfTemplates, services }: UpdateDeps,
  { actor }: CallContext,
): Promise<TemplateUpdate[]> {
  const made = await madeOfTemplates(actor.organizationId);
  if (made.length === 0) return [];
  const forms = made.flatMap(({ madeFrom }) => madeFrom ?? []);
  const { organizationId } = actor;
  const [placed, newer] = await Promise.all([
    services.placed(organizationId),
    templates.newer(organizationId, forms),
  ]);
  const reaches = reachOf(actor);
  const places = new Map(placed.map((one) => [one.serviceId, one]));
  return made.flatMap(({ composeId, name, madeFrom }) => {
    const place = places.get(composeId);
    const template = madeFrom && newer[forms.indexOf(madeFrom)];
    if (!place || !madeFrom || !template || !reaches({ ...place, organizationId })) return [];
    return [updateOf({ composeId, name }, madeFrom, template)];
  });
}

interface Found {
  compose: ComposeRecord;
  made: MadeFrom;
  template: Template;
  standing: Standing;
}

/** Undefined for one that has no newer template. */
async function found(
  deps: UpdateDeps,
  { actor }: CallContext,
  composeId: string,
): Promise<Found | undefined> {
  const compose = await deps.composes.one(composeId, actor.organizationId);
  const { madeFrom: made } = compose;
  if (made === null || compose.sourceType !== 'raw' || compose.previewOf !== null) return undefined;
  const template = await deps.templates.newerThan(actor.organizationId, made);
  if (template === undefined) return undefined;
  const variables = [...parseEnv(secretBlock(compose.secretEnv)), ...parseEnv(compose.env)];
  const values = Object.fromEntries(variables.map(({ name, value }) => [name, value]));
  return { compose, made, template, standing: { compose, values, files: await deps.files(composeId) } };
}

export async function templateChangesOf(
  deps: UpdateDeps,
  context: CallContext,
  composeId: string,
): Promise<TemplateChanges | null> {
  const one = await found(deps, context, composeId);
  return one === undefined ? null : changesOf(one.standing, one.made, one.template);
}

type Asked = z.infer<typeof applyTemplate>;

export async function applyNewerTemplate(
  deps: UpdateDeps,
  context: CallContext,
  asked: Asked,
): Promise<TemplateChanges> {
  const one = await found(deps, context, asked.composeId);
  if (one === undefined)
    throw new AppError(
      'PRECONDITION_FAILED',
      'There is no newer template for this compose service. template.updates lists those that have one.',
    );
  const changes = changesOf(one.standing, one.made, one.template);
  if (asked.edits === 'keep') {
    await context.write(() => saved(deps, context, one, { revision: asked.revision }));
    return changes;
  }
  const composeFile = fileOf(one, asked);
  const places = await placesOf(deps, context, one);
  const env = envOf(one, asked, { places, now: new Date(deps.clock.now()) });
  await context.write(async () => {
    const compose = await saved(deps, context, one, {
      revision: asked.revision,
      composeFile,
      ...(env === '' ? {} : { env: joined(one.compose.env, env) }),
    });
    await writeFiles(deps, context, one, env);
    await deps.approveSaved(context, compose);
  });
  return changes;
}

/** The service remembers the newer form. What was read must be what is there still. */
const saved = (
  { composes }: UpdateDeps,
  { actor }: CallContext,
  { compose, template }: Found,
  { revision = compose.revision, ...input }: ComposeInput,
): Promise<ComposeRecord> =>
  composes.update(compose.composeId, actor, { ...input, revision, madeFrom: madeFromOf(template) });

/** The compose file that the service gets; CONFLICT where a person has to choose. */
function fileOf({ compose, made, template }: Found, { edits }: Asked): string {
  if (edits === 'replace' || !isEdited(compose, made)) return template.file;
  const { text, conflicts } = mergedFile(compose, made, template);
  if (edits === undefined)
    throw new AppError(
      'CONFLICT',
      `The compose file of ${compose.name} was edited; template.changes shows what changes. ` +
        'Give edits: merge, for edits and template together; replace, which drops the edits; or keep, ' +
        'which leaves the file.',
    );
  const [first] = conflicts;
  if (first !== undefined)
    throw new AppError(
      'CONFLICT',
      `Edits and template changed the same lines of the compose file (${conflicts.length}), first ` +
        `"${(first.own[0] ?? '').trim()}" and "${(first.other[0] ?? '').trim()}". Give edits: replace ` +
        'drops the edits, keep leaves the file as it is; then change these lines by hand.',
    );
  return text;
}

/** Addresses of the template's domains that the service has. */
async function placesOf(
  { domainsOf, hosts }: UpdateDeps,
  { actor }: CallContext,
  { compose, template }: Found,
): Promise<Map<string, Place>> {
  const [records, host] = await Promise.all([
    domainsOf(compose.composeId, actor.organizationId),
    hosts.find(serverKeyOf(compose)),
  ]);
  return new Map(
    template.domains.flatMap(({ name, service, port, path }) => {
      const record =
        records.find((one) => one.serviceName === service && one.port === port && one.path === path) ??
        records.find((one) => one.serviceName === service);
      return record
        ? [[name, { host: record.host, address: addressOf(record, host?.proxyPorts) }] as const]
        : [];
    }),
  );
}

const ofDomains: readonly unknown[] = ['host', 'address', 'scheme', 'https'];

/** Lines of the variables that are new; those that are there stay as they are. */
function envOf(
  { standing, template }: Found,
  { variables: given }: Asked,
  { places, now }: { places: ReadonlyMap<string, Place>; now: Date },
): string {
  const added = addedVariables(standing, template);
  const present = Object.keys(given).find((name) => Object.hasOwn(standing.values, name));
  if (present !== undefined)
    throw badField(`variables.${present}`, 'is set already; change it with compose.saveEnvironment');
  checkGiven({ ...template, variables: added }, given);
  const values = valuesOf(template, { ...standing.values, ...given }, places, now);
  for (const { name, generate, domain } of added) {
    const place = domain ?? template.domains[0]?.name ?? '';
    if (ofDomains.includes(generate) && !places.has(place) && givenOf(given, name) === '')
      throw badField(`variables.${name}`, `is required: the service has no domain ${place} of the template`);
  }
  return formatEnv(Object.fromEntries(added.map(({ name }) => [name, values[name] ?? ''])));
}

const joined = (env: string, added: string): string =>
  env === '' || env.endsWith('\n') ? `${env}${added}` : `${env}\n${added}`;

async function writeFiles(
  { mounts }: UpdateDeps,
  { actor }: CallContext,
  { compose, made, template, standing }: Found,
  env: string,
): Promise<void> {
  const { organizationId, userId } = actor;
  const added = Object.fromEntries(parseEnv(env).map(({ name, value }) => [name, value]));
  const values = { ...standing.values, ...added };
  const secrets = secretNames(template.variables);
  for (const { change, file, mountId } of filesOf(standing, made, template)) {
    if (change === 'kept') continue;
    const content = expandWith(file.content, values);
    if (mountId !== undefined) await mounts.update(mountId, { organizationId, userId }, { content });
    else
      await mounts.create(
        { organizationId, userId },
        { serviceId: compose.composeId, serviceType: 'compose' },
        fileMountOf(file, content, secrets),
      );
  }
}
