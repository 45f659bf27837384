/** Catalogues of templates of an organization: read, kept, read again. */
import { createHash } from 'node:crypto';
import { AppError, badField, sentenceOf } from '../../domain/errors.ts';
import { isoTime, randomId, type Clock } from '../../ports/clock.ts';
import { madeFromOf, type MadeFrom } from '../template/made-from.ts';
import { wholeTemplate, type ListedTemplate, type Template } from '../template/record.ts';
import type { CatalogueTemplates } from '../template/known-templates.ts';
import { parseGitUrl } from '../../domain/git/git-source.ts';
import { checkFolder, type CatalogueSource, type ReadCatalogue } from './read-catalogue.ts';
import type {
  CatalogueTemplateRecord,
  ListedTemplateRow,
  TemplateCatalogueRecord,
  TemplateCatalogueStore,
} from './store.ts';

/** The record without its password and what is for Berth alone. */
export type PublicCatalogue = Omit<TemplateCatalogueRecord, 'password' | 'lookedAt'>;

type Optional = 'username' | 'password';
export type NewCatalogue = Pick<TemplateCatalogueRecord, 'name' | 'url' | 'branch' | 'folder'> & {
  [K in Optional]?: string | null | undefined;
};
export type CataloguePatch = { [K in keyof NewCatalogue]?: NewCatalogue[K] | undefined };

type Write = <T>(work: () => Promise<T>) => Promise<T>;

export interface TemplateCatalogues extends CatalogueTemplates {
  /** Newest first. */
  all(organizationId: string): Promise<PublicCatalogue[]>;
  one(templateCatalogueId: string, organizationId: string): Promise<PublicCatalogue>;
  create(organizationId: string, input: NewCatalogue, by: By): Promise<PublicCatalogue>;
  /** Its templates stay until it is read again. */
  update(id: string, organizationId: string, patch: CataloguePatch): Promise<PublicCatalogue>;
  /** Reads it again; what cannot be read leaves its templates, and the reason is kept. */
  refresh(templateCatalogueId: string, organizationId: string, by: By): Promise<PublicCatalogue>;
  remove(templateCatalogueId: string, organizationId: string): Promise<PublicCatalogue>;
  /** Reads those again that nobody has read for a day. To be called now and then. */
  refreshOld(signal: AbortSignal): Promise<void>;
}

export interface By {
  signal: AbortSignal;
  write: Write;
}

export interface CatalogueDeps {
  store: TemplateCatalogueStore;
  read: ReadCatalogue;
  clock: Clock;
}

const mostCatalogues = 20;
const mostLeftOut = 100;
const dayMs = 86_400_000;

export function createTemplateCatalogues(deps: CatalogueDeps): TemplateCatalogues {
  const { store, clock } = deps;
  return {
    ...templatesOf(deps),
    all: async (organizationId) =>
      (
        await store.list({ organizationId }, { by: ['createdAt', 'templateCatalogueId'], direction: 'desc' })
      ).map(shown),
    one: async (id, organizationId) => shown(await found(deps, id, organizationId)),
    async create(organizationId, input, { signal, write }) {
      if ((await store.list({ organizationId })).length >= mostCatalogues)
        throw new AppError(
          'CONFLICT',
          `An organization has at most ${mostCatalogues} catalogues; remove one.`,
        );
      const { name, url, branch, folder, username, password } = input;
      const source = { organizationId, url, branch, folder, ...signInOf({ username, password }) };
      const read = await readFrom(deps, source, signal);
      const row: TemplateCatalogueRecord = {
        ...source,
        ...read.facts,
        templateCatalogueId: randomId(),
        name,
        lookedAt: clock.now(),
        createdAt: isoTime(clock),
      };
      return write(async () => {
        await store.insert(row);
        await keep(deps, row, read.templates);
        return shown(row);
      });
    },
    async update(id, organizationId, patch) {
      const changed = patched(await found(deps, id, organizationId), patch);
      await store.update({ templateCatalogueId: id, organizationId }, changed);
      return shown(changed);
    },
    async refresh(id, organizationId, { signal, write }) {
      return readAgain(deps, await found(deps, id, organizationId), { signal, write });
    },
    async remove(id, organizationId) {
      const record = await found(deps, id, organizationId);
      await store.remove({ templateCatalogueId: id, organizationId });
      return shown(record);
    },
    async refreshOld(signal) {
      for (const catalogue of await store.list({})) {
        const { templateCatalogueId, lookedAt } = catalogue;
        if (signal.aborted || lookedAt > clock.now() - dayMs) continue;
        if (!(await store.takeTurn(templateCatalogueId, lookedAt, clock.now()))) continue;
        // Its page tells the reason.
        await readAgain(deps, catalogue, { signal, write: store.transaction }).catch((error: unknown) => {
          if (!(error instanceof AppError)) throw error;
        });
      }
    },
  };
}

async function found(
  { store }: CatalogueDeps,
  templateCatalogueId: string,
  organizationId: string,
): Promise<TemplateCatalogueRecord> {
  const record = await store.find({ templateCatalogueId, organizationId });
  if (!record)
    throw new AppError('NOT_FOUND', 'There is no such catalogue of templates. It may have been removed.');
  return record;
}

interface Read {
  facts: Pick<TemplateCatalogueRecord, 'commit' | 'readAt' | 'templateCount' | 'leftOut' | 'lastError'>;
  templates: Template[];
}

async function readFrom(
  { read, clock }: CatalogueDeps,
  source: CatalogueSource,
  signal: AbortSignal,
): Promise<Read> {
  const { commit, found: all } = await read(source, signal);
  const { templateOf } = await import('../template/format.ts');
  const templates = all.flatMap(({ definition }) => (definition ? [templateOf(definition)] : []));
  const leftOut = all
    .flatMap(({ name, refused }) => (refused === undefined ? [] : [{ name, reason: refused.slice(0, 500) }]))
    .slice(0, mostLeftOut);
  const facts = { commit, readAt: isoTime(clock), templateCount: templates.length, leftOut, lastError: null };
  return { facts, templates };
}

async function readAgain(
  deps: CatalogueDeps,
  catalogue: TemplateCatalogueRecord,
  { signal, write }: By,
): Promise<PublicCatalogue> {
  try {
    const read = await readFrom(deps, catalogue, signal);
    return await write(() => written(deps, catalogue, read));
  } catch (error) {
    if (!(error instanceof AppError) || signal.aborted) throw error;
    const lastError = sentenceOf(error).slice(0, 1000);
    await deps.store.update({ templateCatalogueId: catalogue.templateCatalogueId }, { lastError });
    throw error;
  }
}

/** Part of the caller's transaction. */
async function written(
  deps: CatalogueDeps,
  catalogue: TemplateCatalogueRecord,
  { facts, templates }: Read,
): Promise<PublicCatalogue> {
  const { templateCatalogueId, organizationId } = catalogue;
  const row = { ...catalogue, ...facts, lookedAt: deps.clock.now() };
  if ((await deps.store.update({ templateCatalogueId, organizationId }, row)) === 0)
    await found(deps, templateCatalogueId, organizationId);
  await keep(deps, row, templates);
  return shown(row);
}

/** In place of what it gave before. */
async function keep(
  { store }: CatalogueDeps,
  { templateCatalogueId, organizationId, name: catalogue }: TemplateCatalogueRecord,
  templates: readonly Template[],
): Promise<void> {
  const before = await store.templates.list({ templateCatalogueId });
  const known = new Map(before.map((row) => [row.name, row]));
  for (const template of templates) {
    const of = { ...template, catalogue: { templateCatalogueId, name: catalogue } };
    const digest = digestOf(madeFromOf(of));
    const row = rowOf({ templateCatalogueId, organizationId, digest }, template);
    const present = known.get(row.name);
    known.delete(row.name);
    if (present === undefined) await store.templates.insert(row);
    else if (JSON.stringify(present) !== JSON.stringify(row))
      await store.templates.update({ templateCatalogueId, name: row.name }, row);
  }
  for (const name of known.keys()) await store.templates.remove({ templateCatalogueId, name });
}

function rowOf(
  of: Pick<CatalogueTemplateRecord, 'templateCatalogueId' | 'organizationId' | 'digest'>,
  template: Template,
): CatalogueTemplateRecord {
  const { name, title, description, website, tags, icon, images } = template;
  return { ...of, name, title, description, website, tags, icon, images, definition: template };
}

const digestOf = (made: MadeFrom): string => createHash('sha256').update(JSON.stringify(made)).digest('hex');

/** Templates of the catalogues, for those who make services of them. */
function templatesOf({ store }: CatalogueDeps): CatalogueTemplates {
  return {
    listed: async (organizationId) => (await store.listed(organizationId)).map(listedOf),
    async whole(organizationId, templateCatalogueId, name) {
      const [row, catalogue] = await Promise.all([
        store.templates.find({ organizationId, templateCatalogueId, name }),
        store.find({ organizationId, templateCatalogueId }),
      ]);
      return row && catalogue && wholeOf(row, catalogue.name);
    },
    async newer(organizationId, made) {
      const rows = new Map((await store.listed(organizationId)).map((row) => [keyOf(row), row]));
      const differing = new Set(
        made
          .map((one) => ({ key: keyOfMade(one), digest: digestOf(one) }))
          .filter(({ key, digest }) => rows.has(key) && rows.get(key)?.digest !== digest)
          .map(({ key }) => key),
      );
      if (differing.size === 0) return [];
      return (await store.templates.list({ organizationId }))
        .filter((row) => differing.has(keyOf(row)))
        .map((row) => wholeOf(row, rows.get(keyOf(row))?.catalogue ?? ''));
    },
  };
}

type Keyed = Pick<CatalogueTemplateRecord, 'templateCatalogueId' | 'name'>;

const keyOf = ({ templateCatalogueId, name }: Keyed): string => `${templateCatalogueId} ${name}`;
const keyOfMade = ({ catalogueId, template }: MadeFrom): string => `${catalogueId ?? ''} ${template}`;

const wholeOf = (
  { templateCatalogueId, definition }: CatalogueTemplateRecord,
  catalogue: string,
): Template => ({
  ...wholeTemplate.parse(definition),
  catalogue: { templateCatalogueId, name: catalogue },
});

function listedOf({
  templateCatalogueId,
  name,
  title,
  description,
  website,
  tags,
  icon,
  images,
  catalogue,
}: ListedTemplateRow): ListedTemplate {
  const of = { templateCatalogueId, name: catalogue };
  return { name, title, description, website, tags, icon, images, catalogue: of };
}

function signInOf({
  username,
  password,
}: Pick<NewCatalogue, Optional>): Pick<TemplateCatalogueRecord, Optional> {
  if (password && !username) throw badField('username', 'is required beside password');
  return username ? { username, password: password ?? '' } : { username: null, password: null };
}

/** The record as it will be. */
function patched(present: TemplateCatalogueRecord, patch: CataloguePatch): TemplateCatalogueRecord {
  const url = patch.url ?? present.url;
  const username = patch.username === undefined ? present.username : patch.username;
  const keepsPassword = patch.password === undefined && username !== null && username !== '';
  if (url !== present.url && keepsPassword && present.password !== null)
    throw badField(
      'password',
      `is required with another url: the stored one was given for ${present.url}, not for ${url}`,
    );
  parseGitUrl(url, 'url');
  checkFolder(patch.folder ?? present.folder);
  const password = patch.password === undefined ? present.password : patch.password;
  return {
    ...present,
    name: patch.name ?? present.name,
    url,
    branch: patch.branch ?? present.branch,
    folder: patch.folder ?? present.folder,
    ...signInOf({ username, password: username ? password : undefined }),
  };
}

function shown({
  password: _secret,
  lookedAt: _looked,
  ...record
}: TemplateCatalogueRecord): PublicCatalogue {
  return record;
}
