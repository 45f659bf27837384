/**
 * Public linters and generators over the OpenAPI document, unmodified: no error, generated programs compile
 * strictly, and nothing in them is `any`. Their packages have a lock file of their own beside this file;
 * `bin/test` installs them.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseSync } from 'oxc-parser';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { contracts } from '../../server/src/modules/contracts.ts';
import { listProcedures } from '../../server/src/procedure/describe/listing.ts';
import { createOpenapi } from '../../server/src/transport/openapi/openapi.ts';

const run = promisify(execFile);
const limitMs = 300_000;
const here = import.meta.dirname;
const programs = join(here, 'node_modules/.bin');
const compiler = join(here, '../../node_modules/typescript/bin/tsc');
/** No tool asks anybody outside whether there is a newer one, or tells that it was used. */
const env = {
  PATH: process.env['PATH'],
  HOME: '/nonexistent',
  NO_COLOR: '1',
  REDOCLY_TELEMETRY: 'off',
  REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
  DO_NOT_TRACK: '1',
};
let folder: string;

beforeAll(async () => {
  if (!existsSync(programs))
    throw new Error('Install the generators first: npm --prefix test/clients ci --ignore-scripts.');
  // Beside their packages, so that what they write finds zod.
  folder = await mkdtemp(join(here, '.generated-'));
  const document = createOpenapi(listProcedures(contracts), '1.0.0');
  await writeFile(join(folder, 'openapi.json'), JSON.stringify(document));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs one of the programs in the folder; a failure shows what it said. */
async function tool(name: string, ...argv: string[]): Promise<string> {
  const options = { cwd: folder, env, maxBuffer: 64 * 1024 * 1024, timeout: limitMs };
  return run(process.execPath, [join(programs, name), ...argv], options).then(
    ({ stdout }) => stdout,
    (error: { stdout?: string; stderr?: string }) => {
      throw new Error(
        `${name} failed:\n${String(error.stdout).slice(-3000)}${String(error.stderr).slice(-3000)}`,
      );
    },
  );
}

it(
  'redocly finds no error, and nothing to warn of but what is meant',
  async () => {
    const said = await tool('redocly', 'lint', 'openapi.json', '--format=json', '--max-problems=1000');
    const { problems }: { problems: { ruleId: string; severity: string; message: string }[] } =
      JSON.parse(said);
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    // A WebSocket's success is 101, and two addresses refuse nobody.
    const meant = ['operation-2xx-response', 'operation-4xx-response'];
    expect(problems.filter(({ ruleId }) => !meant.includes(ruleId))).toEqual([]);
  },
  limitMs,
);

it(
  'spectral finds no error',
  async () => {
    await writeFile(join(folder, '.spectral.yaml'), 'extends: ["spectral:oas"]\n');
    const said = await tool('spectral', 'lint', 'openapi.json', '--format=json', '--fail-severity=error');
    expect(said).not.toContain('"severity": 0');
  },
  limitMs,
);

/** The generators: what they write, and a program that uses it as a stranger would. */
const generators = [
  {
    name: 'openapi-typescript',
    make: () => tool('openapi-typescript', 'openapi.json', '-o', 'schema.ts'),
    files: ['schema.ts'],
    use: `
      import createClient from 'openapi-fetch';
      import type { paths } from './schema.ts';
      const client = createClient<paths>({ baseUrl: 'http://127.0.0.1' });
      const { data: projects = [] } = await client.GET('/api/project.all');
      const { data: page } = await client.GET('/api/project.all/page', { params: { query: { limit: 5 } } });
    `,
  },
  {
    name: 'hey-api',
    make: async () => {
      const config = {
        input: 'openapi.json',
        output: 'hey',
        plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk', 'zod'],
      };
      await writeFile(join(folder, 'hey.config.mjs'), `export default ${JSON.stringify(config)};`);
      await tool('openapi-ts', '-f', 'hey.config.mjs');
    },
    files: ['hey/types.gen.ts', 'hey/sdk.gen.ts', 'hey/zod.gen.ts'],
    use: `
      import { projectAll, projectAllPage } from './hey/index.ts';
      const { data: projects = [] } = await projectAll();
      const { data: page } = await projectAllPage({ query: { limit: 5 } });
    `,
  },
  {
    name: 'orval',
    make: async () => {
      const target = { target: 'openapi.json' };
      const config = {
        fetch: { input: target, output: { target: 'orval/fetch.ts', client: 'fetch' } },
        zod: { input: target, output: { target: 'orval/zod.ts', client: 'zod' } },
      };
      await writeFile(join(folder, 'orval.config.cjs'), `module.exports = ${JSON.stringify(config)};`);
      await tool('orval', '--config', './orval.config.cjs');
    },
    files: ['orval/fetch.ts', 'orval/zod.ts'],
    use: `
      import { projectAll, projectAllPage } from './orval/fetch.ts';
      const answer = await projectAll();
      const projects = answer.status === 200 ? answer.data : [];
      const paged = await projectAllPage({ limit: 5 });
      const page = paged.status === 200 ? paged.data : undefined;
    `,
  },
] as const;

const uses = `
  export const names: string[] = projects.map(({ name }) => name);
  export const next: string | null | undefined = page?.nextCursor;
  export const first: string | undefined = page?.items[0]?.environments[0]?.name;
`;

it.each(generators)(
  '$name writes what compiles strictly, lists are arrays in it, and nothing is any',
  async ({ name, make, files, use }) => {
    await make();
    const program = `use-${name}.ts`;
    await writeFile(join(folder, program), `${use}${uses}`);
    expect(await compiled(program)).toBe('');
    for (const file of files)
      expect([file, anyTypes(await readFile(join(folder, file), 'utf8'))]).toEqual([file, 0]);
  },
  limitMs,
);

it(
  "orval's zod takes the names of databases that the server takes",
  async () => {
    const script = `
      import { backupCreateBody } from './orval/zod.ts';
      const { database } = backupCreateBody.shape;
      const names = ['shop', 'production', 'customers', 'C1', '-x', 'a\\u0007b'];
      const taken = names.map((name) => database.safeParse(name).success);
      console.log(JSON.stringify(taken));
    `;
    await writeFile(join(folder, 'names.ts'), script);
    const { stdout } = await run(process.execPath, ['names.ts'], { cwd: folder, env });
    expect(JSON.parse(stdout)).toEqual([true, true, true, true, false, false]);
  },
  limitMs,
);

/** Errors of the compiler; empty when there are none. */
async function compiled(file: string): Promise<string> {
  const options = {
    compilerOptions: {
      target: 'es2022',
      lib: ['es2022', 'dom', 'dom.iterable'],
      module: 'esnext',
      moduleResolution: 'bundler',
      types: [],
      strict: true,
      noUncheckedIndexedAccess: true,
      allowImportingTsExtensions: true,
      noEmit: true,
      skipLibCheck: false,
    },
    files: [file],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(options));
  return run(process.execPath, [compiler, '-p', join(folder, 'tsconfig.json')], {
    maxBuffer: 64 * 1024 * 1024,
  }).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout.slice(0, 3000),
  );
}

/** How often the type `any` stands in a program. */
function anyTypes(text: string): number {
  let count = 0;
  JSON.stringify(parseSync('file.ts', text).program, (_key, value: unknown) => {
    if (typeof value === 'object' && value !== null && Reflect.get(value, 'type') === 'TSAnyKeyword')
      count += 1;
    return typeof value === 'bigint' ? String(value) : value;
  });
  return count;
}
