import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const recipes = globSync('recipes/*/{Dockerfile,*.sh}', { cwd: import.meta.dirname });

test.each(recipes)('%s waits for what happens, never for a time to pass', (recipe) => {
  const text = readFileSync(join(import.meta.dirname, recipe), 'utf8');
  // A pause between two looks stands inside a loop that ends with the event.
  expect(text.replaceAll(/until .*?\n? *done/gsu, '')).not.toMatch(/\b(sleep|timeout) [\d.]+/u);
});
