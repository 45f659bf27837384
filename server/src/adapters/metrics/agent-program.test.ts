import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { agentFiles, readAgentProgram } from './agent-program.ts';

const root = join(import.meta.dirname, '..', '..');

/** Imports that are there when it runs: those of types alone are not. */
async function importsOf(path: string): Promise<string[]> {
  const text = await readFile(path, 'utf8');
  return [...text.matchAll(/^(?:import|export) (?!type )[^;]*?from '([^']+)';$/gm)].map(
    ([, name = '']) => name,
  );
}

it('carries all that it imports and nothing else', async () => {
  const found = new Set<string>();
  const packages = new Set<string>();
  const look = async (path: string): Promise<void> => {
    if (found.has(path)) return;
    found.add(path);
    for (const name of await importsOf(path)) {
      if (name.startsWith('.')) await look(join(dirname(path), name));
      else if (!name.startsWith('node:')) packages.add(name);
    }
  };
  await look(join(root, 'adapters/metrics/agent.ts'));
  const names = [...found].map((path) => relative(root, path).replace(/\.ts$/, ''));
  expect(names.toSorted()).toEqual([...agentFiles]);
  expect([...packages]).toEqual(['croner']);
});

it('is the same program as long as its files are', async () => {
  const [one, other] = await Promise.all([readAgentProgram(), readAgentProgram()]);
  expect(one.digest).toBe(other.digest);
  expect(one.files.map(({ path }) => path)).toContain(one.entry);
});
