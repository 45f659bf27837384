import { request } from 'node:http';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { execInside, launchInside } from './host/host-exec.ts';
import type { HostRecord } from './host/host-record.ts';
import { hostFolder } from './layout.ts';
import { waitUntil } from './machine/process-identity.ts';
import { insecureRegistryOption } from './registry.ts';

/** The engine's socket as seen from the machine. */
export function engineSocketOf(record: HostRecord): string {
  return join(hostFolder(record.bed, record.name), 'run', 'docker.sock');
}

/**
 * A health check or another program started in a container costs half of runc's processor time; the machines
 * that bin/up sets up have runc.
 */
const runtime = ['--add-runtime', 'crun=/usr/bin/crun', '--default-runtime', 'crun'];

/** Starts the engine and waits until it answers. */
export async function startEngine(record: HostRecord): Promise<void> {
  await rm(engineSocketOf(record), { force: true });
  await launchInside(record, 'dockerd', [
    // Go's collector runs once memory is short, not at each doubling: dockerd starts itself anew three times
    // for each container, and a third of such a start was collecting.
    'env',
    'GOGC=off',
    'GOMEMLIMIT=256MiB',
    'dockerd',
    '--host',
    'unix:///run/docker.sock',
    '--host',
    'unix:///run/bed/docker.sock',
    '--insecure-registry',
    insecureRegistryOption(record.net),
    // Other roots than the machine's have the runtime of their engine's packages.
    ...(record.root === 'overlay' ? runtime : []),
  ]);
  if (!(await waitUntil(() => answers(engineSocketOf(record)), 60_000))) {
    const log = await readFile(join(hostFolder(record.bed, record.name), 'run', 'dockerd.log'), 'utf8');
    throw new Error(`The engine of ${record.name} did not answer within 60 s: ${log.slice(-2000)}`);
  }
}

/** Asks the engine to end, as a service manager would, and waits for it (at most 30 s). */
export async function stopEngine(record: HostRecord): Promise<void> {
  const found = await execInside(record, ['cat', '/run/docker.pid'], { limitMs: 5_000 });
  const pid = found.stdout.trim();
  if (found.code !== 0 || pid === '') return;
  await execInside(record, ['kill', '-TERM', pid], { limitMs: 5_000 });
  const gone = await waitUntil(
    async () => (await execInside(record, ['kill', '-0', pid], { limitMs: 5_000 })).code !== 0,
    30_000,
  );
  if (!gone) throw new Error(`The engine of ${record.name} did not end within 30 s.`);
}

function answers(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const call = request({ socketPath, path: '/_ping', timeout: 2_000 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    call.on('error', () => resolve(false));
    call.on('timeout', () => call.destroy());
    call.end();
  });
}
