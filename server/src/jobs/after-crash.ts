/** What a former run of Berth left when it did not end in good order. */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sentenceOf } from '../domain/errors.ts';
import type { DeploymentRecord } from '../db/tables.ts';
import type { Database } from '../db/database.ts';
import type { Deployments } from '../modules/deployment/deployment.ts';
import type { Hosts } from '../ports/host/host.ts';
import type { JobStore } from './store.ts';

interface Log {
  warn(message: string, fields?: object): void;
}

export interface AfterCrashParts {
  database: Pick<Database, 'dialect'>;
  stores: {
    jobs: Pick<JobStore, 'releaseAll'>;
    applications: {
      find(where: { applicationId: string }): Promise<{ uploadPath: string | null } | undefined>;
    };
    organizations: Organizations;
  };
  adapters: {
    /** Removes uploads but those that the function gives the path of. */
    uploads: { tidy(kept: (applicationId: string) => Promise<string | null>): Promise<unknown> };
    folders: Folders;
  };
  log: Log;
}

interface Organizations {
  list(where: object): Promise<{ organizationId: string }[]>;
}

/** Of work under way, one folder each. */
interface Folders {
  work: string;
  git: string;
}

export async function tidyUp(
  { database, stores, adapters, log }: AfterCrashParts,
  { deployments, hosts }: { deployments: Pick<Deployments, 'unfinished'>; hosts: Pick<Hosts, 'all'> },
): Promise<void> {
  // On SQLite this is the only process that can hold a lease; on PostgreSQL another control plane may, so
  // leases run out by themselves.
  if (database.dialect === 'sqlite') await stores.jobs.releaseAll();
  await adapters.uploads.tidy(
    async (applicationId) => (await stores.applications.find({ applicationId }))?.uploadPath ?? null,
  );
  await tidyFolders(adapters.folders, await deployments.unfinished());
  // Engines take their time, and may not answer yet; nothing waits for it.
  void tidyBuilders(hosts, stores, log);
}

async function tidyBuilders(
  hosts: Pick<Hosts, 'all'>,
  { organizations }: { organizations: Organizations },
  log: Log,
): Promise<void> {
  const warn = (error: unknown): void =>
    log.warn('The builders of an earlier run could not be inspected', { error: sentenceOf(error) });
  try {
    const known = new Set((await organizations.list({})).map(({ organizationId }) => organizationId));
    // One that cannot be reached is no reason to leave the others alone.
    await Promise.all((await hosts.all()).map(({ builder }) => builder.tidy(known).catch(warn)));
  } catch (error) {
    warn(error);
  }
}

/** Removes the builders of an organization that is gone; what cannot be reached goes at the next start. */
export function buildersLeaver({
  hosts,
  log,
}: {
  hosts: Pick<Hosts, 'all'>;
  log: Log;
}): (organizationId: string) => void {
  const remove = async (organizationId: string): Promise<void> => {
    for (const { builder } of await hosts.all()) await builder.remove(organizationId);
  };
  return (organizationId) =>
    void remove(organizationId).catch((error: unknown) =>
      log.warn('The builder of a deleted organization stays until the next start', {
        error: sentenceOf(error),
      }),
    );
}

/** What a crash left of deployments. */
async function tidyFolders(folders: Folders, unfinished: readonly DeploymentRecord[]): Promise<void> {
  await removeStaleWork(folders.work, new Set(unfinished.map(({ deploymentId }) => deploymentId)));
  // Private files of git runs, a key among them perhaps; a child that still runs needs its own until its
  // deployment's next attempt ends it.
  if (unfinished.every(({ child }) => child === null)) await removeStaleWork(folders.git, new Set());
}

/**
 * Work folders that a crash left behind; those of unfinished deployments are emptied by their next attempt.
 */
async function removeStaleWork(folder: string, unfinished: ReadonlySet<string>): Promise<void> {
  for (const name of await readdir(folder))
    if (!unfinished.has(name)) await rm(join(folder, name), { recursive: true, force: true });
}
