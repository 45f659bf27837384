import { globSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { expect, test } from 'vitest';
import { repositoryRoot } from '../../images/build-context.ts';
import { longerStores, type Project, projects } from './projects.ts';
import { modeVariables } from './mode.ts';
import { fileGroups, filesOfOtherRuns, projectGroup, projectsOfOtherRuns } from './rotation.ts';

const all = globSync('{server,client,cli,setup,images,bench,tools,test}/**/*.test.ts', {
  cwd: repositoryRoot,
  exclude: ['**/node_modules/**', '**/dist/**'],
});

const hasFile = ({ files, without = [] }: Project, file: string): boolean =>
  files.some((pattern) => matchesGlob(file, pattern)) &&
  !without.some((pattern) => matchesGlob(file, pattern));

test("every test file runs in exactly one project on the machine's own system", () => {
  expect(all.length).toBeGreaterThan(100);
  const places = (file: string): number =>
    Object.values<Project>(projects).filter(
      (project) => project.system === undefined && hasFile(project, file),
    ).length;
  expect(all.filter((file) => places(file) !== 1)).toEqual([]);
});

test('every pattern names a file', () => {
  const patterns = [
    ...Object.values(projects).flatMap(({ files }) => [...files]),
    ...longerStores,
    ...fileGroups.flat(),
  ];
  expect(
    patterns.filter(
      (pattern) => globSync(pattern, { cwd: repositoryRoot, exclude: ['**/node_modules/**'] }).length === 0,
    ),
  ).toEqual([]);
});

test('a project has files beside those that only some runs take, or is one of these itself', () => {
  const rotating = new Set(fileGroups.flat());
  const inEachRun = all.filter((file) => !rotating.has(file));
  expect(
    Object.entries<Project>(projects)
      .filter(([name, { on }]) => on !== 'types' && !projectGroup.some((each) => each === name))
      .filter(([, project]) => !inEachRun.some((file) => hasFile(project, file)))
      .map(([name]) => name),
  ).toEqual([]);
});

test('a run takes less than half of what rotates, some of each group, and a long one all', () => {
  const of = (seed: number): NodeJS.ProcessEnv => ({ [modeVariables.seed]: String(seed) });
  const count = fileGroups.flat().length;
  for (const seed of [1, 2, 3, 4, 5]) {
    const left = filesOfOtherRuns(of(seed));
    expect(left.length).toBeGreaterThan(count / 2);
    for (const group of fileGroups) expect(group.filter((file) => !left.includes(file))).not.toEqual([]);
    expect(projectsOfOtherRuns(of(seed)).length).toBeLessThan(projectGroup.length);
  }
  const whole = { ...of(1), [modeVariables.long]: '1' };
  expect([filesOfOtherRuns(whole), projectsOfOtherRuns(whole)]).toEqual([[], []]);
});
