/** Compares a compose service with the newer form of the template that it was made of. Pure. */
import type { ComposeRecord } from '../../db/tables.ts';
import { lineDifference, mergeLines, type Merged } from '../../domain/text/line-merge.ts';
import { parseComposeFile } from '../compose/compose-file.ts';
import type { MadeFrom } from './made-from.ts';
import type { Template, TemplateVariable } from './record.ts';
import type { TemplateChanges, TemplateUpdate } from './record-update.ts';
import { expandWith, secretNames } from './values.ts';

type Named = Pick<ComposeRecord, 'composeId' | 'name'>;

export function updateOf({ composeId, name }: Named, made: MadeFrom, template: Template): TemplateUpdate {
  const [before, after] = [imagesOf(made.file), imagesOf(template.file)];
  return {
    composeId,
    name,
    template: template.name,
    title: template.title,
    images: [...new Set([...after.keys(), ...before.keys()])]
      .map((service) => ({
        service,
        from: before.get(service) ?? null,
        to: after.get(service) ?? null,
      }))
      .filter(({ from, to }) => from !== to),
  };
}

/** A file beside the compose file as it is stored. */
export interface StoredFile {
  mountId: string;
  filePath: string | null;
  content: string | null;
}

export interface Standing {
  compose: Pick<ComposeRecord, 'composeId' | 'name' | 'composeFile' | 'revision'>;
  /** Variables that it has, with their values. */
  values: Readonly<Record<string, string>>;
  files: readonly StoredFile[];
}

export function changesOf(standing: Standing, made: MadeFrom, template: Template): TemplateChanges {
  const { compose } = standing;
  const { text, conflicts } = mergedFile(compose, made, template);
  const update = updateOf(compose, made, template);
  return {
    ...update,
    revision: compose.revision,
    isEdited: isEdited(compose, made),
    conflicts: conflicts.map(({ own, other }) => ({ own: own.join('\n'), template: other.join('\n') })),
    variables: variablesOf(standing, made, template),
    files: filesOf(standing, made, template).map(({ path, change }) => ({ path, change })),
    notes: notesOf(update),
    difference: lineDifference(compose.composeFile, text),
    replacement: lineDifference(compose.composeFile, template.file),
  };
}

export const isEdited = ({ composeFile }: Pick<ComposeRecord, 'composeFile'>, made: MadeFrom): boolean =>
  composeFile !== made.file;

export const mergedFile = (
  { composeFile }: Pick<ComposeRecord, 'composeFile'>,
  made: MadeFrom,
  template: Template,
): Merged => mergeLines(made.file, composeFile, template.file);

/** Variables of the newer template that the service does not have. */
export const addedVariables = ({ values }: Standing, template: Template): TemplateVariable[] =>
  template.variables.filter(({ name }) => !Object.hasOwn(values, name));

function variablesOf(standing: Standing, made: MadeFrom, template: Template): TemplateChanges['variables'] {
  const secrets = secretNames(template.variables);
  const names = new Set(template.variables.map(({ name }) => name));
  return [
    ...addedVariables(standing, template).map(({ name, description, required, generate, value }) => ({
      name,
      description,
      change: 'added' as const,
      isRequired: required && generate === null && value === '',
      isSecret: secrets.has(name),
    })),
    ...made.variables
      .filter((name) => !names.has(name))
      .map((name) => ({
        name,
        description: '',
        change: 'removed' as const,
        isRequired: false,
        isSecret: false,
      })),
  ];
}

interface FileChange {
  path: string;
  change: 'added' | 'changed' | 'kept';
  file: Template['files'][number];
  mountId: string | undefined;
}

/** Files that the newer template adds or changes, and whether they may be written here. */
export function filesOf({ values, files }: Standing, made: MadeFrom, template: Template): FileChange[] {
  return template.files.flatMap((file): FileChange[] => {
    const { path } = file;
    const before = made.files.find((one) => one.path === path);
    if (before?.content === file.content) return [];
    const stored = files.find(({ filePath }) => filePath === path);
    const isOurs =
      stored === undefined
        ? before === undefined
        : before !== undefined && stored.content === expandWith(before.content, values);
    const change = !isOurs ? 'kept' : stored === undefined ? 'added' : 'changed';
    return [{ path, change, file, mountId: stored?.mountId }];
  });
}

function imagesOf(file: string): Map<string, string> {
  const images = new Map<string, string>();
  for (const [service, values] of parseComposeFile(file).services) {
    const image = values.get('image');
    if (typeof image === 'string') images.set(service, image);
  }
  return images;
}

/** Databases whose data another major version reads otherwise. */
const dataOf: Readonly<Record<string, string>> = {
  postgres:
    'cannot read the data of another major version: dump the database before and load it afterwards, ' +
    'or keep the image it has',
  mysql: 'changes the data so that the older version can no longer read it: back it up first',
  mariadb: 'changes the data so that the older version can no longer read it: back it up first',
  mongo: 'changes the data so that the older version can no longer read it: back it up first',
};

const notesOf = ({ images }: TemplateUpdate): string[] =>
  images.flatMap(({ service, from, to }) => {
    const [before, after] = [versionOf(from), versionOf(to)];
    if (!before || !after || before.product !== after.product || before.major === after.major) return [];
    const words = dataOf[after.product];
    return words === undefined
      ? []
      : [`${service}: ${after.product} ${after.major} instead of ${before.major} ${words}.`];
  });

function versionOf(image: string | null): { product: string; major: string } | undefined {
  const [, product, major] = /(?:^|\/)([a-z0-9-]+):v?(\d+)[^/]*$/.exec(image ?? '') ?? [];
  return product === undefined || major === undefined ? undefined : { product, major };
}
