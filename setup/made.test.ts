import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readMade, recordMade } from './made.ts';

it('remembers everything that several runs added', () => {
  const layout = { data: mkdtempSync(join(tmpdir(), 'berth-made-')) };
  try {
    expect(readMade(layout)).toEqual({ packages: [], images: [], files: [], swarm: false });
    recordMade(layout, { packages: ['rclone'], swarm: true });
    recordMade(layout, { packages: ['docker.io', 'rclone'], images: ['caddy:2'] });
    expect(readMade(layout)).toEqual({
      packages: ['rclone', 'docker.io'],
      images: ['caddy:2'],
      files: [],
      swarm: true,
    });
  } finally {
    rmSync(layout.data, { recursive: true });
  }
});
