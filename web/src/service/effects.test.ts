import { expect, it } from 'vitest';
import { effectOf, needsDeployment } from './effects.ts';

it('says when changed settings take effect', () => {
  expect(effectOf(['name', 'description'], true)).toBe('Takes effect at once.');
  expect(effectOf(['memoryLimit'], false)).toBe('Takes effect with the first deployment.');
  expect(effectOf(['memoryLimit', 'name'], true)).toBe(
    'Part of it takes effect at once, the rest with the next deployment, which restarts what runs.',
  );
  expect([needsDeployment(['autoDeploy']), needsDeployment(['autoDeploy', 'command'])]).toEqual([
    false,
    true,
  ]);
});
