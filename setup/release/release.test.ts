import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { buildId } from './build-id.ts';
import { makeRelease } from './make-release.ts';
import { pruneReleases } from './prune-releases.ts';

let folder = '';
let product = '';
const nodePackage = `node-linux-${process.arch}`;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'berth-release-'));
  product = join(folder, 'product');
  write('package.json', '{"name":"berth","version":"1.2.3"}');
  write('package-lock.json', '{}');
  write('dist/server/src/main.js', 'main');
  write('images/recipes/node/Dockerfile', 'FROM x');
  write('example/server.js', 'example');
  write('templates/one/compose.yml', 'services: {}');
  write('node_modules/used/index.js', 'used');
  for (const [path, text] of Object.entries({ 'bin/node': 'node', 'package.json': '{}', LICENSE: 'MIT' }))
    write(`node_modules/${nodePackage}/${path}`, text);
  write(`node_modules/${nodePackage}/include/node.h`, 'large');
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(product, path)), { recursive: true });
  writeFileSync(join(product, path), text);
}

it('names a build by version and content, not by time', () => {
  const first = buildId(product);
  expect(first).toMatch(/^1\.2\.3-[0-9a-f]{12}$/);
  utimesSync(join(product, 'dist/server/src/main.js'), 1, 1);
  expect(buildId(product)).toBe(first);
  write('dist/server/src/main.js', 'changed');
  expect(buildId(product)).not.toBe(first);
});

it('a byte moved from one file to the next is another build', () => {
  write('dist/a', 'xy');
  write('dist/b', 'z');
  const first = buildId(product);
  write('dist/a', 'x');
  write('dist/b', 'yz');
  expect(buildId(product)).not.toBe(first);
});

it('takes of all packages the program of Node.js alone: the others are in the bundle', () => {
  const releases = join(folder, 'releases');
  expect(makeRelease(product, releases, '1')).toBe(true);
  expect(makeRelease(product, releases, '1')).toBe(false);
  expect(readdirSync(join(releases, '1/node_modules'))).toEqual([nodePackage]);
  expect(readdirSync(join(releases, '1/node_modules', nodePackage)).toSorted()).toEqual([
    'LICENSE',
    'bin',
    'package.json',
  ]);
  expect(readlinkSync(join(releases, '1/node'))).toBe(`node_modules/${nodePackage}/bin/node`);
  expect(readFileSync(join(releases, '1/node'), 'utf8')).toBe('node');
});

it('is not made where Node.js of this machine is missing, and nothing half-made stays', () => {
  rmSync(join(product, 'node_modules', nodePackage), { recursive: true });
  expect(() => makeRelease(product, join(folder, 'releases'), '1')).toThrow('is not a dependency here');
  expect(existsSync(join(folder, 'releases/1'))).toBe(false);
});

it('does not change when the checkout is compiled again in place', () => {
  const releases = join(folder, 'releases');
  makeRelease(product, releases, '1');
  write('dist/server/src/main.js', 'compiled again');
  expect(readFileSync(join(releases, '1/dist/server/src/main.js'), 'utf8')).toBe('main');
});

it('copies what others than root may write, instead of linking it', () => {
  const file = join(product, 'node_modules', nodePackage, 'bin/node');
  chmodSync(file, 0o666);
  makeRelease(product, join(folder, 'releases'), '1');
  expect(statSync(file).nlink).toBe(1);
});

it('keeps the newest three releases, and those in use whatever their age', () => {
  const releases = join(folder, 'releases');
  for (const [index, id] of ['old', 'r1', 'r2', 'r3', 'r4', '.half-x'].entries()) {
    mkdirSync(join(releases, id), { recursive: true });
    utimesSync(join(releases, id), 1000 + index, 1000 + index);
  }
  expect(pruneReleases(releases, { keep: 3, always: ['old', 'old'] }).toSorted()).toEqual([
    '.half-x',
    'r1',
    'r2',
  ]);
  expect(existsSync(join(releases, 'old'))).toBe(true);
});
