/** The files of a new module: one procedure from contract to SQL, to be widened by hand. */

const noun = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** File name → content. @throws Error when the noun is not in kebab-case. */
export function skeletonOf(name: string): Map<string, string> {
  if (!noun.test(name))
    throw new Error(
      `"${name}" is no name for a module. Use small letters, digits and "-", such as "git-source".`,
    );
  const camel = name.replace(/-([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());
  const words = {
    name,
    camel,
    pascal: camel.charAt(0).toUpperCase() + camel.slice(1),
    table: name.replaceAll('-', '_'),
  };
  return new Map(
    Object.entries(templates).map(([file, template]) => [
      file === 'noun.ts' ? `${name}.ts` : file,
      template(words),
    ]),
  );
}

interface Words {
  /** git-source */
  name: string;
  /** gitSource */
  camel: string;
  /** GitSource */
  pascal: string;
  /** git_source */
  table: string;
}

const templates: Record<string, (words: Words) => string> = {
  'contract.ts': ({ camel }) => `import { z } from 'zod';
import { query } from '../../procedure/procedure.ts';

export const ${camel}Record = z.object({ ${camel}Id: z.string(), name: z.string(), createdAt: z.string() });

export const ${camel}Contract = {
  one: query({
    summary: 'One ${camel}',
    access: { class: 'protected', resources: [{ kind: '${camel}', field: '${camel}Id' }] },
    input: z.object({ ${camel}Id: z.string().min(1).max(100) }),
    output: ${camel}Record,
  }),
};
`,
  'handlers.ts': ({ camel, pascal, name }) => `import type { CallContext } from '../../procedure/context.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { ${camel}Contract } from './contract.ts';
import type { ${pascal}s } from './${name}.ts';

export function ${camel}Handlers(${camel}s: ${pascal}s): Handlers<typeof ${camel}Contract, CallContext> {
  return {
    one: ({ actor }, { ${camel}Id }) => ${camel}s.one(${camel}Id, actor.organizationId),
  };
}
`,
  'noun.ts': ({ camel, pascal, table }) => `import type { TableRecord } from '../../db/tables.ts';
import { AppError } from '../../domain/errors.ts';
import type { ${pascal}Store } from './store.ts';

export interface ${pascal}s {
  /** NOT_FOUND when the organization has none with this id. */
  one(${camel}Id: string, organizationId: string): Promise<TableRecord<'${table}'>>;
}

export function create${pascal}s(store: ${pascal}Store): ${pascal}s {
  return {
    async one(${camel}Id, organizationId) {
      const record = await store.find({ ${camel}Id, organizationId });
      if (!record) throw new AppError('NOT_FOUND', 'There is no such ${camel}. It may have been removed.');
      return record;
    },
  };
}
`,
  'store.ts': ({ pascal, table }) => `import type { Database } from '../../db/database.ts';
import { tableStore, type TableStore } from '../../db/table-store.ts';

export type ${pascal}Store = TableStore<'${table}'>;

export function create${pascal}Store(database: Database): ${pascal}Store {
  return tableStore(database, '${table}');
}
`,
};

/** What remains to be done by hand, in order. */
export function nextSteps(name: string): string {
  return `server/src/modules/${name}/ is there. Now:
  1. server/src/db/tables.ts: its table; server/src/db/migrations.ts: the migration that makes it
  2. server/src/procedure/procedure.ts: its kind, where inputs name it;
     server/src/modules/scope/store.ts: where one stands
  3. server/src/modules/contracts.ts: its contract; server/src/composition/: its store and handlers
  4. ARCHITECTURE.md: its line in the map; npm run generate; a test beside it; npm run check
`;
}
