/**
 * Berth's process and database as seen from the machine: to kill it at an exact moment, and to see what it
 * stored.
 */
import { readdir, readFile, readlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import type { Bed } from '../bed/bed.ts';
import { diskTargets } from '../bed/host-process.ts';
import { loadHost } from '../bed/host-record.ts';
import type { BedHost } from '../bed/host.ts';
import { data } from './berth-host.ts';

export interface StoredDeployment {
  deploymentId: string;
  applicationId: string;
  status: string;
  stage: string;
  child: { pid: number; startTime: string } | null;
  attempts: number;
}

/** Number of Berth's process on this machine. */
export async function berthPid(host: BedHost): Promise<number> {
  const init = /^\/proc\/(\d+)\//.exec(host.path('/'))?.[1] ?? '';
  const space = await readlink(`/proc/${init}/ns/pid`);
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const words = (await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '')).split('\0');
    if (!words.some((word) => word.endsWith('dist/server/src/main.js')) || words[0] === 'env') continue;
    if ((await readlink(`/proc/${name}/ns/pid`).catch(() => '')) === space) return Number(name);
  }
  throw new Error(`No Berth runs on ${host.name}.`);
}

/** Path of Berth's database on this machine; SQLite follows no path through /proc. */
export async function databasePath(bed: Bed, host: BedHost): Promise<string> {
  const [disk] = diskTargets(await loadHost(bed.name, host.name));
  if (disk === undefined) throw new Error(`The host ${host.name} has no disk.`);
  return join(disk.source, relative(disk.target, data), 'berth.sqlite');
}

/** What Berth stored of a deployment and its job. */
export function storedDeployment(database: DatabaseSync, deploymentId: string): StoredDeployment {
  const row = database
    .prepare(
      'select d."deploymentId", d."applicationId", d."status", d."stage", d."child", j."attempts" from ' +
        '"deployment" d join "job" j on j."payload" like \'%\' || d."deploymentId" || \'%\' where ' +
        'd."deploymentId" = ?',
    )
    .get(deploymentId);
  if (row === undefined) throw new Error(`There is no deployment ${deploymentId}.`);
  const child: StoredDeployment['child'] = row['child'] === null ? null : JSON.parse(String(row['child']));
  return {
    deploymentId,
    applicationId: String(row['applicationId']),
    status: String(row['status']),
    stage: String(row['stage']),
    child,
    attempts: Number(row['attempts']),
  };
}

export type KillIn = (serviceId: string, stage: string) => Promise<{ deploymentId: string; stage: string }>;

/**
 * Gives a function that kills Berth as soon as the newest deployment of the service is stored to be in a
 * stage, and tells the stage it was in then, or how it had ended.
 */
export async function prepareKill(host: BedHost, path: string, limitMs = 60_000): Promise<KillIn> {
  const pid = await berthPid(host);
  return async (serviceId, stage) => {
    using database = new DatabaseSync(path);
    const look = database.prepare(
      'select "deploymentId", "stage", "status" from "deployment" where coalesce("applicationId", ' +
        '"databaseId", "composeId") = ? order by "sequence" desc limit 1',
    );
    const isUnderWay = (row: ReturnType<typeof look.get>): boolean =>
      row?.['status'] === 'queued' || row?.['status'] === 'running';
    const end = Date.now() + limitMs;
    for (
      let row = look.get(serviceId);
      isUnderWay(row) && row?.['stage'] !== stage;
      row = look.get(serviceId)
    ) {
      if (Date.now() > end) throw new Error(`The deployment never came to the stage ${stage}.`);
      await wait(1);
    }
    process.kill(pid, 'SIGKILL');
    while (await isRunning(pid)) await wait(10);
    const row = look.get(serviceId);
    return {
      deploymentId: String(row?.['deploymentId']),
      stage: String(row?.[isUnderWay(row) ? 'stage' : 'status']),
    };
  };
}

async function isRunning(pid: number): Promise<boolean> {
  return readFile(`/proc/${pid}/stat`, 'utf8').then(
    (stat) => !/\) [ZX] /.test(stat),
    () => false,
  );
}

/** Whether exactly this process of the host runs. */
export async function runs(
  host: BedHost,
  child: { pid: number; startTime: string } | null,
): Promise<boolean> {
  if (child === null) return false;
  const stat = await readFile(host.path(`/proc/${child.pid}/stat`), 'utf8').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return stat !== '' && fields[0] !== 'Z' && fields[19] === child.startTime.split('/')[0];
}
