/** The packed client: the types it ships, and what a bundler keeps of it. */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageClient } from './client.ts';
import { typeOf } from './client-types.ts';

const run = promisify(execFile);
const limitMs = 300_000;
const root = join(import.meta.dirname, '../..');
let folder: string;

beforeAll(async () => {
  // Below this folder, so that the compiler finds zod for the sources' own types.
  folder = await mkdtemp(join(import.meta.dirname, '.client-'));
  await packageClient(join(folder, 'client'));
}, limitMs);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What the compiler says to a program beside the package; empty when it is content. */
async function compiled(text: string): Promise<string> {
  await writeFile(join(folder, 'program.ts'), text);
  const options = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: { noEmit: true, skipLibCheck: false, incremental: false, rootDir: root },
    include: [],
    files: ['program.ts'],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(options));
  const argv = [join(root, 'node_modules/typescript/bin/tsc'), '-p', join(folder, 'tsconfig.json')];
  return run(process.execPath, argv).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
}

test(
  'its types are at least as narrow as those of the contracts, call by call',
  async () => {
    // A few contracts say less in their types than in their schemas; never the other way round.
    const same = `
      import type { Client as Contracts } from ${JSON.stringify(join(root, 'client/client.ts'))};
      import type { Client as Packed } from './client/index.js';
      type Fault<P, C> = P extends (...given: infer A) => infer B
        ? C extends (...given: infer X) => infer Y
          ? [A] extends [X] ? ([B] extends [Y] ? never : 'answer') : 'input'
          : 'no call'
        : 'no call';
      type Faults = {
        [R in keyof Contracts]: {
          [N in keyof Contracts[R]]: N extends keyof Packed[R]
            ? Fault<Packed[R][N], Contracts[R][N]> extends infer F
              ? F extends string ? \`\${R & string}.\${N & string}: \${F}\` : never
              : never
            : \`\${R & string}.\${N & string}: absent\`;
        }[keyof Contracts[R]];
      }[keyof Contracts];
      declare const faults: Faults;
      export const none: never = faults;
    `;
    expect(await compiled(same)).toBe('');
  },
  limitMs,
);

test(
  'a wrong field is a fault of types',
  async () => {
    const wrong = `
      import { application, BerthError } from './client/index.js';
      export const code = new BerthError('NOT_FOUND', 'x').code;
      await application({ url: 'http://x' }).deploy({ applicationID: 'a' });
    `;
    expect(await compiled(wrong)).toContain('applicationID');
  },
  limitMs,
);

test(
  'a bundler keeps what is used, and nothing of Node.js is in it',
  async () => {
    await writeFile(
      join(folder, 'one.js'),
      `import { application } from './client/index.js'; console.log(application({ url: 'http://x' }));`,
    );
    const bundle = await rolldown({ input: join(folder, 'one.js'), platform: 'browser', logLevel: 'silent' });
    const { output } = await bundle.generate({ format: 'esm' });
    await bundle.close();
    const kept = output[0].code;
    expect(kept).toContain('dropDeployment');
    for (const other of ['installationBackup', 'previewDeployment', 'manualBackupPostgres', 'sign-in/email'])
      expect(kept).not.toContain(other);
    const whole = await readFile(join(folder, 'client/index.js'), 'utf8');
    expect(kept.length).toBeLessThan(whole.length / 2);
    expect(whole).not.toMatch(/from\s*["']|\bprocess\.|\bBuffer\b|\brequire\(/);
    expect(await readdir(join(folder, 'client/reference'))).toContain('application.md');
  },
  limitMs,
);

test.each([
  [{ type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'null' }] } }, '(string | null)[]'],
  [{ type: 'object', additionalProperties: { type: 'integer' } }, '{ [name in string]: number }'],
  [{ type: ['string', 'null'] }, 'string | null'],
  [{ $ref: '#/$defs/Application' }, 'Application'],
  [{ enum: ['a', 1] }, '"a" | 1'],
  [{ type: 'object', properties: { a: { const: true } }, required: ['a'] }, '{ "a": true }'],
  [{}, 'unknown'],
])('%j is %s', (schema, type) => {
  expect(typeOf(schema)).toBe(type);
});
