import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { layoutOf } from './layout.ts';
import { tellUnapproved } from './unapproved.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'berth-unapproved-'))));
afterEach(() => rmSync(folder, { recursive: true }));

function told(): string[] {
  const lines: string[] = [];
  tellUnapproved({ layout: layoutOf(folder), say: (line) => void lines.push(line) });
  return lines;
}

it('tells each service once, and nothing where there is none', () => {
  expect(told()).toEqual([]);
  const { unapproved } = layoutOf(folder);
  writeFileSync(
    unapproved,
    JSON.stringify([
      { kind: 'compose', appName: 'stack', organizationId: 'o1', reaches: 'web binds /etc\n of the server' },
    ]),
  );
  expect(told()).toEqual([
    expect.stringContaining('They keep running; their next deployment is refused'),
    '- compose stack of the organization o1: web binds /etc  of the server',
  ]);
  expect(existsSync(unapproved)).toBe(false);
  expect(told()).toEqual([]);
});
