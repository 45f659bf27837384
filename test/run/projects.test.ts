import { globSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { expect, test } from 'vitest';
import { repositoryRoot } from '../../images/build-context.ts';
import { alternating, longerStores, type Project, projects } from './projects.ts';

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
    ...alternating,
  ];
  expect(
    patterns.filter(
      (pattern) => globSync(pattern, { cwd: repositoryRoot, exclude: ['**/node_modules/**'] }).length === 0,
    ),
  ).toEqual([]);
});

test('a project has files beside those that only half of the runs take', () => {
  const inEachRun = all.filter((file) => !alternating.includes(file));
  expect(
    Object.entries<Project>(projects)
      .filter(([, { on }]) => on !== 'types')
      .filter(([, project]) => !inEachRun.some((file) => hasFile(project, file)))
      .map(([name]) => name),
  ).toEqual([]);
});
