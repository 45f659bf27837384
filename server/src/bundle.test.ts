import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openBundle } from './bundle.ts';

let folder: string;
const kept = (): string => join(folder, 'kept');
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'berth-parts-'));
  mkdirSync(join(folder, 'late'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(name: string, lines: string): string {
  const file = join(folder, name);
  writeFileSync(file, `(function (require, exports, __filename, __dirname) { 'use strict'; ${lines}\n})\n`);
  return file;
}

/** A part as another process would load it; whether its compiled form was taken. */
function loaded(file: string): { part: Record<string, unknown>; isTaken: boolean; keep: () => void } {
  const bundle = openBundle(kept());
  return { part: Object(bundle.load(file)), isTaken: !bundle.lacks(), keep: bundle.keep };
}

test('runs parts once, with what they require', () => {
  write('late/count.js', "exports.count = require('../first.js').next();");
  const file = write(
    'first.js',
    "let n = 0; exports.next = () => ++n; exports.join = require('node:path').join; " +
      "exports.late = () => require('./late/count.js').count; exports.at = [__filename, __dirname];",
  );
  const { part } = loaded(file);
  expect(part['join']).toBe(join);
  expect(part['at']).toEqual([file, folder]);
  const { late } = part as { late: () => number };
  expect([late(), late()]).toEqual([1, 1]);
});

test('takes the compiled form of an earlier run, with the functions that ran', () => {
  const file = write(
    'first.js',
    'exports.run = (a) => { const b = a * 2; return [a, b].map((c) => c + 1); };',
  );
  const first = loaded(file);
  expect(first.isTaken).toBe(false);
  first.keep();
  const unused = statSync(join(kept(), 'first.js')).size;
  const second = loaded(file);
  expect(second.isTaken).toBe(true);
  const { run } = second.part as { run: (a: number) => number[] };
  expect(run(1)).toEqual([2, 3]);
  second.keep();
  expect(statSync(join(kept(), 'first.js')).size).toBeGreaterThan(unused);
  expect(loaded(file).isTaken).toBe(true);
});

test('takes none of another source of the same length, nor a broken one', () => {
  const file = write('first.js', 'exports.value = 1;');
  loaded(file).keep();
  write('first.js', 'exports.value = 2;');
  const changed = loaded(file);
  expect([changed.isTaken, changed.part['value']]).toEqual([false, 2]);
  changed.keep();
  const path = join(kept(), 'first.js');
  const whole = readFileSync(path);
  const broken = Buffer.from(whole);
  broken[whole.length >> 1] = (broken[whole.length >> 1] ?? 0) ^ 255;
  for (const bytes of [broken, whole.subarray(0, -1), whole.subarray(0, 8), Buffer.alloc(0)]) {
    writeFileSync(path, bytes);
    const again = loaded(file);
    expect([again.isTaken, again.part['value']]).toEqual([false, 2]);
  }
});

test('runs a part again whose first run failed, and never gives half of it', () => {
  const file = write(
    'first.js',
    "exports.name = 'half'; if (globalThis.isShort) throw new Error('EMFILE'); exports.run = () => 1;",
  );
  const bundle = openBundle(kept());
  Object.assign(globalThis, { isShort: true });
  expect(() => bundle.load(file)).toThrow('EMFILE');
  Object.assign(globalThis, { isShort: undefined });
  expect(Object.keys(Object(bundle.load(file)))).toEqual(['name', 'run']);
});

test('runs without a compiled form that cannot be read', () => {
  const file = write('first.js', 'exports.value = 1;');
  // As a disk with a fault: what is there cannot be read.
  mkdirSync(join(kept(), 'first.js'), { recursive: true });
  const again = loaded(file);
  expect([again.isTaken, again.part['value']]).toEqual([false, 1]);
});

test('keeps nothing of a former version, and for its owner alone', () => {
  loaded(write('first-a.js', 'exports.value = 1;')).keep();
  loaded(write('first-b.js', 'exports.value = 2;')).keep();
  expect(readdirSync(kept())).toEqual(['first-b.js']);
  expect(readdirSync(folder)).not.toContain('kept.next');
  expect([statSync(kept()).mode & 0o777, statSync(join(kept(), 'first-b.js')).mode & 0o777]).toEqual([
    0o700, 0o600,
  ]);
});
