import { readFile, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { bedFolder, hostFolder, stateRoot } from '../layout.ts';

const identity = z.object({ pid: z.number(), startTime: z.string() });

const hostRecord = z.object({
  bed: z.string(),
  net: z.string(),
  name: z.string(),
  index: z.number(),
  engine: z.boolean(),
  sshd: z.boolean(),
  root: z.enum(['overlay', 'bare', 'equipped', 'systemd', 'reached', 'furnished']),
  /** Lower folders of the host's root, as overlayfs takes them. */
  lower: z.string(),
  /** The engine's data lie on the cache's disk, not in memory. */
  realDisk: z.boolean().default(false),
  /** The folder of the cache whose images the host's engine has; null without them. */
  golden: z.string().nullable().default(null),
  /** Hosts whose /run/bed this one sees at /run/hosts/<name>. */
  sees: z.array(z.string()).default([]),
  /** The process whose end ends the host; null while the host is stopped. */
  process: identity.nullable(),
  /** The host's process 1, as the machine numbers it. */
  init: identity.nullable(),
  joinFolders: z.array(z.string()),
});

/** What a bed knows of one host, kept in a file so that other processes can use the host too. */
export type HostRecord = z.infer<typeof hostRecord>;

const bedRecord = z.object({
  name: z.string(),
  net: z.string(),
  /** The process for which the bed was opened; null: a standing bed, closed only by hand. */
  owner: identity.nullable(),
  /** The process that waits for the owner's end; null for a standing bed. */
  guard: identity.nullable().default(null),
  /** The machine's routing setting before. */
  forwardingBefore: z.string(),
});

export type BedRecord = z.infer<typeof bedRecord>;

export async function saveHost(record: HostRecord): Promise<void> {
  await save(join(hostFolder(record.bed, record.name), 'host.json'), record);
}

export async function loadHost(bed: string, host: string): Promise<HostRecord> {
  return hostRecord.parse(JSON.parse(await readFile(join(hostFolder(bed, host), 'host.json'), 'utf8')));
}

export async function saveBed(record: BedRecord): Promise<void> {
  await save(join(bedFolder(record.name), 'bed.json'), record);
}

/** Gives null when the folder holds no bed: it is being made, or was left by a machine that went down. */
export async function loadBed(name: string): Promise<BedRecord | null> {
  const text = await readFile(join(bedFolder(name), 'bed.json'), 'utf8').catch(() => null);
  return text === null ? null : bedRecord.parse(JSON.parse(text));
}

export async function bedNames(): Promise<string[]> {
  return foldersIn(stateRoot);
}

export async function hostNames(bed: string): Promise<string[]> {
  const folders = await foldersIn(bedFolder(bed));
  const found = await Promise.all(
    folders.map((name) =>
      loadHost(bed, name).then(
        () => name,
        () => null,
      ),
    ),
  );
  return found.filter((name) => name !== null);
}

async function foldersIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
}

/** Readers never see a half-written file. */
async function save(file: string, value: unknown): Promise<void> {
  await writeFile(`${file}.new`, JSON.stringify(value), { mode: 0o600 });
  await rename(`${file}.new`, file);
}
