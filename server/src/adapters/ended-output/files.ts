/**
 * The output of ended tasks as files, `<organization>/<service>/<task>.log`: a line of JSON that tells of the
 * task, then `<time> <o or e> <text>` lines. A file gets its name when it is whole.
 */
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { newestLines } from '../../domain/text/line-limits.ts';
import type { EndedLine, EndedOutputs, EndedOwner, EndedTask, KeptTask } from '../../ports/ended-output.ts';

/** A task may have this part of what its service may. */
const partOfTask = 1 / 4;
const mostLinesOfTask = 10_000;
/** Tasks kept of a service, however little they said. */
const mostTasks = 200;
const longestHeader = 16 * 1024;
const suffix = '.log';
const unfinishedSuffix = '.part';

const header = z.object({
  taskId: z.string(),
  nodeId: z.string(),
  serviceName: z.string().nullable(),
  deploymentId: z.string().nullable(),
  exitCode: z.number().nullable(),
  reason: z.string().nullable(),
  endedAt: z.string(),
});

interface KeptFile {
  path: string;
  task: KeptTask;
}

/** `limitBytes`: of each service. */
export function createEndedOutputs(root: string, limitBytes: () => Promise<number>): EndedOutputs {
  const folderOf = ({ organizationId, serviceId }: EndedOwner): string =>
    join(root, nameOf(organizationId), nameOf(serviceId));
  const pathOf = (owner: EndedOwner, taskId: string): string =>
    join(folderOf(owner), `${nameOf(taskId)}${suffix}`);

  return {
    has: async (owner, taskId) => (await sizeOf(pathOf(owner, taskId))) !== undefined,
    async keep(owner, task, lines) {
      const limit = await limitBytes();
      const newest = newestLines<EndedLine>({ lines: mostLinesOfTask, bytes: limit * partOfTask });
      for await (const line of lines) newest.add(line);
      const path = pathOf(owner, task.taskId);
      await mkdir(folderOf(owner), { recursive: true, mode: 0o700 });
      await writeWhole(path, [headOf(task), ...newest.result().lines.map(textOf)]);
      await shrink(folderOf(owner), limit);
    },
    async tasks(owner) {
      return (await filesOf(folderOf(owner))).map(({ task }) => task);
    },
    async lines(owner, taskId) {
      const path = pathOf(owner, taskId);
      return (await sizeOf(path)) === undefined ? undefined : linesOf(path);
    },
    async prune(before, isThere) {
      for (const organizationId of await namesIn(root)) {
        for (const serviceId of await namesIn(join(root, organizationId))) {
          const folder = join(root, organizationId, serviceId);
          if (!isThere({ organizationId, serviceId })) await rm(folder, { recursive: true, force: true });
          else await removeOld(folder, before);
        }
        await removeIfEmpty(join(root, organizationId));
      }
    },
  };
}

/** Ids are of letters, digits, "-" and "_"; whatever else comes leads to no other place. */
const nameOf = (id: string): string => id.replace(/[^A-Za-z0-9_-]/g, '_');

function headOf(task: EndedTask): string {
  return JSON.stringify(header.parse({ ...task, reason: task.reason?.slice(0, 4000) ?? null }));
}

const textOf = ({ at, stream, text }: EndedLine): string =>
  `${at} ${stream === 'stderr' ? 'e' : 'o'} ${text.replaceAll(/[\r\n]+/g, ' ')}`;

let written = 0;

async function writeWhole(path: string, lines: readonly string[]): Promise<void> {
  const unfinished = `${path}.${process.pid}-${(written += 1)}${unfinishedSuffix}`;
  const file = await open(unfinished, 'w', 0o600);
  try {
    for (const line of lines) await file.write(`${line}\n`);
  } finally {
    await file.close();
  }
  await rename(unfinished, path);
}

async function removeOld(folder: string, before: number): Promise<void> {
  for (const { path, task } of await filesOf(folder))
    if (Date.parse(task.endedAt) < before) await rm(path, { force: true });
  // Those that a crash left; the names of others are a moment old.
  for (const name of await namesIn(folder))
    if (name.endsWith(unfinishedSuffix) && !name.includes(`.${process.pid}-`))
      await rm(join(folder, name), { force: true });
}

/** Removes the oldest until the rest is within the limit. */
async function shrink(folder: string, limit: number): Promise<void> {
  let bytes = 0;
  for (const [index, { path, task }] of (await filesOf(folder)).entries()) {
    bytes += task.bytes;
    if (bytes > limit || index >= mostTasks) await rm(path, { force: true });
  }
}

/** Newest first, without what is unfinished. */
async function filesOf(folder: string): Promise<KeptFile[]> {
  const found: KeptFile[] = [];
  for (const name of await namesIn(folder)) {
    const path = join(folder, name);
    const bytes = name.endsWith(suffix) ? await sizeOf(path) : undefined;
    const task = bytes === undefined ? undefined : await taskOf(path);
    if (task && bytes !== undefined) found.push({ path, task: { ...task, bytes } });
  }
  return found.toSorted((a, b) => (a.task.endedAt < b.task.endedAt ? 1 : -1));
}

async function taskOf(path: string): Promise<EndedTask | undefined> {
  const file = await open(path, 'r').catch(unlessAbsent);
  if (!file) return undefined;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(longestHeader), 0, longestHeader, 0);
    const [first = ''] = buffer.subarray(0, bytesRead).toString('utf8').split('\n', 1);
    return header.safeParse(asJson(first)).data;
  } finally {
    await file.close();
  }
}

async function* linesOf(path: string): AsyncGenerator<EndedLine> {
  let isHeader = true;
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    if (!isHeader) {
      const [, at = '', kind = 'o', text = ''] = /^(\S*) ([oe]) (.*)$/s.exec(line) ?? [];
      yield { at, stream: kind === 'e' ? 'stderr' : 'stdout', text };
    }
    isHeader = false;
  }
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const namesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder).catch(unlessAbsent)) ?? [];
const sizeOf = async (path: string): Promise<number | undefined> =>
  (await stat(path).catch(unlessAbsent))?.size;

async function removeIfEmpty(folder: string): Promise<void> {
  if ((await namesIn(folder)).length === 0) await rmdir(folder).catch(unlessAbsent);
}

function unlessAbsent(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}
