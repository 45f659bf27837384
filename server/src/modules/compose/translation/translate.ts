/**
 * A compose file's text as a plan (decision 18): read, variables put in, services joined with what they
 * extend, each key looked at. Pure.
 */
import { AppError, badField } from '../../../domain/errors.ts';
import { createReferences, type EnvBlocks } from '../../../domain/variables/env.ts';
import { parseComposeFile, type ComposeFile } from '../compose-file.ts';
import { definitionsOf } from './definitions.ts';
import { inOrder } from './dependencies.ts';
import { ofProfiles } from './whole/extending.ts';
import { interpolate, type Interpolated, type Variables } from './whole/interpolation.ts';
import { faultSentence, faultyKeyOf } from './keys.ts';
import { withIncluded } from './whole/including.ts';
import type { LinkedFiles } from './whole/linked-files.ts';
import { settled } from './whole/settled.ts';
import { shellVariables } from './whole/shell-variables.ts';
import type { Link } from './network-names.ts';
import type { ComposePlan, PlannedService } from './plan.ts';
import { lifeOf } from './restart.ts';
import { readService, type ReadService } from './service.ts';
import { withVolumesFrom } from './whole/volumes-from.ts';

export interface Translation {
  text: string;
  /** Input that the file came from, for errors. */
  field: string;
  /** Folder of the file in its repository; undefined for a file without one. */
  folder: string | undefined;
  /** Other files that it includes or extends (`readLinkedFiles`); none where there cannot be any. */
  files?: LinkedFiles;
  /** Variables of the compose, references put in. */
  variables: Readonly<Record<string, string>>;
  /** What references in the file itself see. */
  blocks: EnvBlocks;
  /** Ends the sentence about a reference that leads to nothing. */
  hint?: string;
  /** Changes what a reference gives, for those who ask what the file says without it. */
  changeReference?: (value: string) => string;
}

const mostServices = 100;

/** Throws BAD_REQUEST naming service and key for what is wrong or cannot be done. */
export function translate({
  text,
  field,
  folder,
  variables,
  blocks,
  hint = '',
  changeReference = (value) => value,
  files = new Map(),
}: Translation): ComposePlan {
  const parsed = parseComposeFile(text, field);
  const faulty = faultyKeyOf(parsed);
  if (faulty) throw badField(field, faultSentence(text, faulty));
  const unset: Unset = new Map();
  const unsaid = shellVariables(parsed.top);
  const put = (file: ComposeFile, values: Translation['variables']): ComposeFile => {
    const found = withVariables(file, { field, variables: values, blocks, hint, changeReference, unsaid });
    for (const [name, places] of found.unset) unset.set(name, places);
    return found.file;
  };
  try {
    return planOf(parsed, { field, folder, files, variables, unset, put });
  } catch (error) {
    throw withUnset(error, unset, field);
  }
}

interface Reading extends Required<Pick<Translation, 'field' | 'files' | 'variables'>> {
  folder: string | undefined;
  unset: Unset;
  /** The file with these variables put in. */
  put(file: ComposeFile, values: Translation['variables']): ComposeFile;
}

function planOf(parsed: ComposeFile, { field, folder, files, variables, unset, put }: Reading): ComposePlan {
  const whole = withIncluded(
    { file: parsed, folder: folder ?? '' },
    {
      field,
      files,
      variables,
      interpolate: (file, values) => settled(put(file, values), values, variables),
    },
  );
  const file = put(whole, variables);
  const { chosen, left, profiles } = ofProfiles(
    file.services,
    // Without a value the profile "" is chosen, as docker compose has it.
    (variables['COMPOSE_PROFILES'] ?? '').split(',').map((profile) => profile.trim()),
    field,
  );
  const definitions = definitionsOf(file, field);
  const notes = [...definitions.notes, ...unsetNotes(unset)];
  if (left.length > 0)
    notes.push(
      `Left out by their profiles: ${left.join(', ')}. COMPOSE_PROFILES in the variables chooses profiles.`,
    );
  if (chosen.size === 0) throw badField(field, nothingChosen(profiles));
  if (chosen.size > mostServices) throw badField(field, `has more than ${mostServices} services`);
  const read = [...chosen].map(([name, service]) =>
    readService(name, service, { definitions, field, folder, notes, files }),
  );
  const { networkMtu } = definitions;
  return { services: inOrder(joined(read, field, notes), field), networkMtu, notes };
}

function withVariables(
  file: ComposeFile,
  {
    field,
    variables,
    blocks,
    changeReference,
    hint,
    unsaid,
  }: Required<
    Pick<Translation, 'field' | 'variables' | 'blocks' | 'changeReference' | 'hint'> &
      Pick<Variables, 'unsaid'>
  >,
): { file: ComposeFile; unset: Interpolated['unset'] } {
  const valueOf = createReferences(field, blocks);
  const reference = (inner: string, where: string): string => {
    try {
      return changeReference(valueOf(inner));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      throw badField(field, `${where} refers to \${{${inner.slice(0, 100)}}}, which is not defined${hint}`);
    }
  };
  const context = { values: variables, reference, field, unsaid };
  const services = interpolate(new Map(file.services), 'services', context);
  const rest = interpolate(
    new Map([...file.top].filter(([key]) => key !== 'services' && !String(key).startsWith('x-'))),
    '',
    context,
  );
  const maps =
    services.value instanceof Map && rest.value instanceof Map
      ? { services: services.value, top: rest.value }
      : { services: new Map(), top: new Map() };
  return { file: maps, unset: new Map([...rest.unset, ...services.unset]) };
}

type Unset = Map<string, readonly string[]>;

function unsetNotes(unset: Unset): string[] {
  return [...unset].map(
    ([name, [where]]) => `The variable ${name} (in ${where}) is not set; it is replaced by an empty text.`,
  );
}

/** A refusal of a text that has variables without a value says which. */
function withUnset(error: unknown, unset: Unset, field: string): unknown {
  if (!(error instanceof AppError) || error.code !== 'BAD_REQUEST') return error;
  const sentence = error.message.slice(field.length + 2);
  const path = /^[a-z]+\.[^\s:]+/.exec(sentence)?.[0] ?? '';
  const names = [...unset].flatMap(([name, places]) => (places.some((at) => at === path) ? [name] : []));
  if (names.length === 0) return error;
  const which = names.length === 1 ? `The variable ${names[0]}` : `The variables ${names.join(', ')}`;
  return badField(field, `${sentence}. ${which} in it ${names.length === 1 ? 'is' : 'are'} not set`);
}

const nothingChosen = (profiles: readonly string[]): string =>
  profiles.length === 0
    ? 'has no service to deploy'
    : 'has no service to deploy: each has a profile, and none is chosen. Set COMPOSE_PROFILES in the ' +
      `variables to one or more of ${profiles.join(', ')}`;

/** What services ask of each other. */
function joined(read: readonly ReadService[], field: string, notes: string[]): PlannedService[] {
  const names = new Set(read.map(({ name }) => name));
  const awaited = new Map<string, Set<string>>();
  const withVolumes = withVolumesFrom(read, field);
  const services = withVolumes.map((service) => ({
    ...service,
    dependsOn: service.wants.dependsOn.filter(({ service: name, required }) => {
      if (!names.has(name) && required)
        throw badField(
          field,
          `services.${service.name}.depends_on names ${name}, which is not deployed with this file`,
        );
      return names.has(name);
    }),
  }));
  for (const { dependsOn } of services)
    for (const { service, condition } of dependsOn)
      awaited.set(service, (awaited.get(service) ?? new Set()).add(condition));
  const links = read.flatMap(({ wants }) => wants.links);
  return services.map(({ wants, dependsOn, ...service }) => {
    const conditions = awaited.get(service.name) ?? new Set();
    const isServer =
      wants.isPublished ||
      (service.healthCheck !== undefined && service.healthCheck !== 'disabled') ||
      conditions.has('healthy');
    if (conditions.has('completed') && conditions.has('healthy'))
      throw badField(
        field,
        `services.${service.name} must both stay healthy and run to completion for what depends on it`,
      );
    const {
      notes: lifeNotes,
      watchMs,
      ...life
    } = lifeOf(wants.restart, {
      isServer,
      isAwaited: conditions.has('completed'),
      where: `services.${service.name}`,
    });
    notes.push(...lifeNotes);
    return {
      ...service,
      ...life,
      monitorMs: service.monitorMs ?? watchMs,
      aliases: [...new Set([...service.aliases, ...linkedAs(service.name, links)])],
      dependsOn: dependsOn.map(({ service: name, condition }) => ({ service: name, condition })),
    };
  });
}

/** Names that links give to the service, its own left out. */
const linkedAs = (name: string, links: readonly Link[]): string[] =>
  links.filter(({ service, alias }) => service === name && alias !== name).map(({ alias }) => alias);
