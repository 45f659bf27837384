/**
 * The typed client as it is published: one module for browsers and Node.js 20 and newer, once for `import`
 * and once for `require`, its types written out, and the reference of the interface, in a folder that
 * `npm pack` takes as it is. Each router is an export of its own, so that a bundler keeps only what is used.
 */
import { copyFile, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rolldown, type Plugin } from 'rolldown';
import { isolatedDeclaration } from 'rolldown/experimental';
import { version } from '../../cli/version.ts';
import { procedureKinds } from '../../client/procedure-kinds.ts';
import { contracts } from '../../server/src/modules/contracts.ts';
import { listProcedures } from '../../server/src/procedure/describe/listing.ts';
import { clientTypes } from './client-types.ts';
import { strict } from './strict.ts';

const root = join(import.meta.dirname, '../..');
export const clientFolder = join(root, 'dist/client-package');

const packageFile = {
  name: 'berth-client',
  version,
  description: 'The interface of Berth, typed, for browsers and Node.js.',
  license: 'MIT',
  type: 'module',
  sideEffects: false,
  exports: {
    '.': {
      import: { types: './index.d.ts', default: './index.js' },
      require: { types: './index.d.cts', default: './index.cjs' },
    },
  },
  main: './index.cjs',
  module: './index.js',
  types: './index.d.ts',
  files: ['index.js', 'index.d.ts', 'index.cjs', 'index.d.cts', 'reference'],
  engines: { node: '>=20.3' },
};

const readme = `# The typed client of Berth

    import { createClient } from 'berth-client';

    const berth = createClient({ url: 'https://berth.example.com', apiKey: process.env.BERTH_API_KEY });
    const { applicationId } = await berth.application.create({ name: 'web', environmentId });
    for await (const { data } of berth.deployment.logs({ deploymentId })) console.log(data);

\`createClient\` has every router. Where size counts, import single ones; a bundler leaves out the others:

    import { application } from 'berth-client';

    await application({ url, apiKey }).deploy({ applicationId });

Every call throws a \`BerthError\` with \`code\`, a sentence for people, and \`issues\`, one for each fault of
the input. A list answers whole, and with \`limit\` a page: \`{items, nextCursor}\`.
A stream resumes by itself. In a browser on Berth's own address
leave \`apiKey\` out: the session's cookie is sent.
[reference/](reference/README.md) describes every procedure.
`;

/** Writes the folder anew. */
export async function packageClient(folder = clientFolder): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const bundle = await rolldown({
    input: entry,
    platform: 'neutral',
    ...strict,
    plugins: [entryPlugin()],
    transform: { target: 'es2022' },
  });
  try {
    await bundle.write({ file: join(folder, 'index.js'), format: 'esm', codeSplitting: false });
    await bundle.write({ file: join(folder, 'index.cjs'), format: 'cjs', codeSplitting: false });
  } finally {
    await bundle.close();
  }
  const types = await declarations();
  for (const name of ['index.d.ts', 'index.d.cts']) await writeFile(join(folder, name), types);
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(packageFile, null, 2)}\n`);
  await writeFile(join(folder, 'README.md'), readme);
  await copyFile(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  await cp(join(root, 'docs/reference'), join(folder, 'reference'), { recursive: true });
}

const entry = 'berth-client-entry';

/** The module that names each router, made from the kinds: written out, they can be dropped one by one. */
function entryPlugin(): Plugin {
  const routers = Object.entries(procedureKinds).map(
    ([router, kinds]) =>
      `export const ${router} = (connection) => ` +
      `routerCalls(connection, '${router}', ${JSON.stringify(kinds)});`,
  );
  const all = Object.keys(procedureKinds).map((router) => `${router}: ${router}(connection)`);
  const text = [
    `import { routerCalls } from ${JSON.stringify(join(root, 'client/client.ts'))};`,
    `export { BerthError } from ${JSON.stringify(join(root, 'client/berth-error.ts'))};`,
    `export { signIn, signOut, signUp } from ${JSON.stringify(join(root, 'client/sign-in.ts'))};`,
    ...routers,
    `export const createClient = (connection) => ({ ${all.join(', ')} });`,
  ].join('\n');
  return {
    name: 'entry of the client',
    resolveId: (source) => (source === entry ? `\0${entry}` : null),
    load: (id) => (id === `\0${entry}` ? text : null),
  };
}

/** Those of the sources whose types a program sees, without their imports, and those of the contracts. */
async function declarations(): Promise<string> {
  const own = await Promise.all(
    ['call', 'follow', 'sign-in', 'berth-error'].map(async (name) => {
      const file = join(root, `client/${name}.ts`);
      const { code, errors } = await isolatedDeclaration(file, await readFile(file, 'utf8'), {});
      if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'));
      return code
        .replaceAll(/^import .*\n/gm, '')
        .replaceAll(/^export declare function (?!sign)/gm, 'declare function ');
    }),
  );
  const kinds = "type ProcedureKind = 'query' | 'mutation' | 'subscription' | 'upload';\n";
  return [kinds, ...own, clientTypes(listProcedures(contracts)), 'export {};\n'].join('\n');
}
