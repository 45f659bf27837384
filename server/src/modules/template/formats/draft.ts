/** A template under way from another catalogue's format into Berth's, with a line for each of its fields. */
import { parse } from 'yaml';
import type { z } from 'zod';
import { iconAddress } from '../icon.ts';
import type { templateDefinition } from '../record.ts';
import { AppError } from '../../../domain/errors.ts';

export type Definition = z.input<typeof templateDefinition>;
export type DraftVariable = NonNullable<Definition['variables']>[number];
export type Outcome = 'taken' | 'changed' | 'left out';

export interface ReportLine {
  /** As the other format calls it. */
  field: string;
  outcome: Outcome;
  /** Why, or what became of it; empty for what was taken as it is. */
  text: string;
}

export interface Draft {
  definition: Definition;
  report: ReportLine[];
}

/** What a catalogue holds of one template. */
export interface CatalogueEntry {
  name: string;
  files: ReadonlyMap<string, string>;
}

export class Drafting {
  readonly report: ReportLine[] = [];
  readonly variables = new Map<string, DraftVariable>();
  readonly domains: NonNullable<Definition['domains']> = [];
  readonly files: NonNullable<Definition['files']> = [];
  readonly instructions: string[] = [];
  title = '';
  description = '';
  website = '';
  tags: string[] = [];
  icon: string | null = null;
  private readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  note(field: string, outcome: Outcome, text = ''): void {
    if (!this.report.some((line) => line.field === field && line.outcome === outcome && line.text === text))
      this.report.push({ field, outcome, text });
  }

  /** A variable, unless there is one of this name. */
  variable(variable: DraftVariable): void {
    if (!this.variables.has(variable.name)) this.variables.set(variable.name, variable);
  }

  /** Returns the name of the domain, which no other has. */
  domain(service: string, port: number, path = '/'): string {
    const plain = slug(service) || 'web';
    let name = this.domains.length === 0 ? 'web' : plain;
    for (let count = 2; this.domains.some((one) => one.name === name); count += 1) name = `${plain}-${count}`;
    this.domains.push({ name, service, port, path });
    return name;
  }

  takeIcon(field: string, svg: string | undefined, file: string): void {
    if (svg === undefined)
      return this.note(field, 'left out', `${file} is not an SVG picture in the catalogue`);
    const plain = svg.replaceAll(/<\?xml[^>]*\?>|<!--[\s\S]*?-->|<!DOCTYPE[^>[]*>/g, '');
    try {
      iconAddress(plain, 'the picture');
      this.icon = plain;
      this.note(field, 'taken');
    } catch (error) {
      this.note(field, 'left out', error instanceof Error ? error.message : String(error));
    }
  }

  takeTags(field: string, tags: readonly string[]): void {
    this.tags = [...new Set(tags.map(slug).filter(Boolean))].slice(0, 20);
    this.note(field, 'taken');
  }

  finish(file: string): Draft {
    const definition: Definition = {
      name: slug(this.name) || 'template',
      title: (this.title || this.name).slice(0, 60),
      description: this.description.replaceAll(/\s+/g, ' ').trim().slice(0, 500) || this.title || this.name,
      website: this.website || 'https://example.com',
      tags: this.tags,
      domains: this.domains,
      firstSignIn:
        'The catalogue that it comes from does not say. Open it right after the deployment, before others ' +
        'find the address.',
      instructions: this.instructions.join('\n\n').trim().slice(0, 4000),
      files: this.files,
      variables: [...this.variables.values()],
      file,
      icon: this.icon,
    };
    if (this.website === '') this.note('website', 'left out', 'the catalogue has no address of the product');
    return { definition, report: this.report };
  }
}

/** A name as templates, domains and tags have them. */
export const slug = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 40)
    .replace(/-+$/, '');

/** Variables that a compose file refers to and that are not known: asked for, with the default it names. */
export function askForOthers(draft: Drafting, text: string, field: string): void {
  for (const [, braced, operator = '', rest = '', plain] of text.matchAll(
    /(?<!\$)\$(?:\{([A-Za-z_]\w*)(?:(:?[-?+])((?:[^{}]|\{[^{}]*\})*))?\}|([A-Za-z_]\w*))/g,
  )) {
    const name = braced ?? plain ?? '';
    if (draft.variables.has(name)) continue;
    const value = operator.endsWith('-') && !/[${}]/.test(rest) ? rest : '';
    const required = operator.endsWith('?');
    draft.variable({ name, description: `Asked for by the compose file`, value, required });
    draft.note(`${field} \${${name}}`, 'taken', required ? 'as a required variable' : 'as a variable');
  }
}

/** The object itself, to be changed in place; an empty one for anything else. */
export const objectOf = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {});

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Adds named volumes that services use and the file does not define. */
export function defineVolumes(draft: Drafting, file: Record<string, unknown>): void {
  const defined = objectOf(file['volumes']);
  for (const service of Object.values(objectOf(file['services'])))
    for (const volume of volumesOf(service)) {
      const source = typeof volume === 'string' ? volume.split(':')[0] : objectOf(volume)['source'];
      const isNamed =
        typeof source === 'string' &&
        /^[A-Za-z0-9][\w.-]*$/.test(source) &&
        (typeof volume !== 'string' || volume.includes(':'));
      if (!isNamed || Object.hasOwn(defined, source)) continue;
      defined[source] = null;
      draft.note(`volumes.${source}`, 'changed', 'the compose file did not define it');
    }
  if (Object.keys(defined).length > 0) file['volumes'] = defined;
}

const volumesOf = (service: unknown): unknown[] => {
  const volumes = objectOf(service)['volumes'];
  return Array.isArray(volumes) ? volumes : [];
};

/** The file as data; AppError where it is not YAML. */
export function yamlOf(text: string): unknown {
  try {
    return parse(text, { merge: true });
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
    throw new AppError('BAD_REQUEST', `It is not YAML: ${reason}`);
  }
}

export const isAddress = (text: string): boolean => /^https?:/.test(text) && URL.canParse(text);
