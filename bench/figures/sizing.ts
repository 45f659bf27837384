/** The smallest memory on which `bin/up --example` brings a bare machine to an example that answers. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openBed, type Bed } from '../../test/bed/bed.ts';
import { groupName } from '../../test/bed/host/host-process.ts';
import { installHostPackages } from '../../test/bed/host/host-packages.ts';
import { loadHost } from '../../test/bed/host/host-record.ts';
import { controlGroupsNamed } from '../../test/bed/machine/control-groups.ts';
import { bareMachine, curl, upWithExample } from '../../test/e2e/fixtures/bare-machine.ts';
import type { Figure } from '../figure.ts';

/** In MiB, tried from the largest down until one fails. */
const sizes = [2048, 1024, 768, 512] as const;
const budget = 1024;
const mebibyte = 2 ** 20;

/** Opens a bed of its own and closes it again. Needs root. */
export async function sizingFigures(say: (text: string) => void): Promise<Figure[]> {
  const { signal } = new AbortController();
  await installHostPackages(say, signal);
  const bed = await openBed({ name: `bench-sizing-${process.pid}`, log: say });
  try {
    let smallest: number | undefined;
    let missed: number | undefined;
    for (const [index, size] of sizes.entries()) {
      if (!(await comesUp(bed, index, size, say))) {
        missed = size;
        break;
      }
      smallest = size;
    }
    return [
      {
        name: 'smallest memory on which bin/up --example works, without swap',
        measured: smallest === undefined ? 'none of those tried' : `${smallest} MiB`,
        baseline: missed === undefined ? 'none failed' : `fails with ${missed} MiB`,
        budget: `at most ${budget} MiB`,
        isKept: smallest !== undefined && smallest <= budget,
        kind: 'absolute',
      },
    ];
  } finally {
    await bed.close();
  }
}

async function comesUp(bed: Bed, index: number, size: number, say: (text: string) => void): Promise<boolean> {
  const host = await bareMachine(bed, `sizing-${size}`, {
    index: index + 1,
    images: true,
    dependencies: true,
    root: 'equipped',
    realDisk: true,
  });
  try {
    await limitMemory(groupName(await loadHost(bed.name, host.name)), size * mebibyte);
    const began = Date.now();
    const { result } = await upWithExample(host);
    const { body } = await curl(host, result.exampleUrl);
    const answers = body.includes('Hello from Berth');
    say(
      `${size} MiB: ${answers ? 'works' : 'does not answer'}, ${Math.round((Date.now() - began) / 1000)} s`,
    );
    return answers;
  } catch (error) {
    say(`${size} MiB: ${String(error).slice(-600)}`);
    return false;
  } finally {
    await host.kill();
  }
}

/** All of the host's programs together; a program that needs more is ended by the kernel. */
async function limitMemory(group: string, bytes: number): Promise<void> {
  const folders = await controlGroupsNamed((name) => name === group);
  for (const folder of folders) {
    // Version 1 has a hierarchy for memory, version 2 one for everything.
    for (const file of ['memory.limit_in_bytes', 'memory.memsw.limit_in_bytes', 'memory.max'])
      await writeFile(join(folder, file), String(bytes), { flag: 'r+' }).catch((error: unknown) => {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
      });
  }
}
