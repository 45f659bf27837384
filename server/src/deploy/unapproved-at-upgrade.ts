/**
 * The first start with approvals (decisions 2): binds of the installation's own organization were made by its
 * people and stay approved. Whatever else reaches the machine today keeps running; set-up lists it, since its
 * next deployment is refused until somebody who may has approved it.
 */
import { join } from 'node:path';
import { writeFile } from 'node:fs/promises';
import { unapprovedFile, type UnapprovedService } from '../domain/access/unapproved-services.ts';
import { listed, type Danger } from '../domain/access/danger.ts';
import { AppError } from '../domain/errors.ts';
import { localServer } from '../domain/names/server-key.ts';
import {
  applicationRef,
  composeRef,
  databaseRef,
  ownerOf,
  type ServiceRef,
} from '../domain/names/service-ref.ts';
import { dangersOfSpec } from '../modules/host-reach/dangers.ts';
import type { HostReach } from '../modules/host-reach/host-reach.ts';
import type { HostConnection } from '../ports/host/host-connection.ts';
import type { ApplicationRecord, ComposeRecord, DatabaseRecord, TableRecord } from '../db/tables.ts';
import { ownMounts, releasedSpecs, type ReleasedParts } from './released-specs.ts';

/** The migration that brought approvals. */
const approvalsVersion = 13;
/** Stands for the people who made them before approvals were kept. */
const before = 'before-approvals';

interface Parts {
  stores: ReleasedParts & {
    applications: { list(where: object): Promise<ApplicationRecord[]> };
    composes: { list(where: object): Promise<ComposeRecord[]> };
    databases: { list(where: object): Promise<DatabaseRecord[]> };
    organizations: { first(): Promise<string | undefined> };
    mounts: {
      list(where: { type: 'bind'; organizationId: string }): Promise<TableRecord<'mount'>[]>;
      update(where: { mountId: string }, patch: Pick<TableRecord<'mount'>, 'approval'>): Promise<unknown>;
    };
  };
  hostReach: HostReach;
  /** Berth's own machine: at that upgrade nothing stands on another. */
  local: Pick<HostConnection, 'folders' | 'probePath'>;
  log: { warn(message: string, fields?: object): void };
  /** Migrations that this start has applied. */
  applied: readonly number[];
}

/** Gives what it listed; nothing at any other start. */
export async function hostReachAtUpgrade(parts: Parts): Promise<UnapprovedService[]> {
  const { applied, local, log, stores } = parts;
  const first = applied.includes(approvalsVersion) ? await stores.organizations.first() : undefined;
  if (first === undefined) return [];
  await adoptOwnBinds(parts, first);
  const found = await unapproved(parts);
  if (found.length > 0)
    await writeFile(join(local.folders.data, unapprovedFile), JSON.stringify(found), { mode: 0o600 });
  for (const { appName, reaches } of found)
    log.warn('Reaches the machine without an approval; its next deployment is refused', { appName, reaches });
  return found;
}

async function adoptOwnBinds({ stores, hostReach }: Parts, organizationId: string): Promise<void> {
  for (const mount of await stores.mounts.list({ type: 'bind', organizationId })) {
    const service = ownerOf({ ...mount, previewDeploymentId: null });
    try {
      const approval = await hostReach.bindApproval(service, mount.hostPath ?? '', {
        userId: before,
        organizationId,
      });
      await stores.mounts.update({ mountId: mount.mountId }, { approval });
    } catch (error) {
      // What nobody is given any more is listed with the rest.
      if (!(error instanceof AppError)) throw error;
    }
  }
}

async function unapproved({ stores, hostReach, local }: Parts): Promise<UnapprovedService[]> {
  const services = [
    ...(await stores.applications.list({})).map((one) => ({
      ...one,
      ref: applicationRef(one.applicationId),
    })),
    ...(await stores.composes.list({})).map((one) => ({ ...one, ref: composeRef(one.composeId) })),
    ...(await stores.databases.list({})).map((one) => ({ ...one, ref: databaseRef(one.databaseId) })),
  ];
  const found: UnapprovedService[] = [];
  for (const { appName, liveDeploymentId, organizationId, ref } of services) {
    if (liveDeploymentId === null) continue;
    const specs = await releasedSpecs(stores, ref.kind, liveDeploymentId);
    const dangers = specs.flatMap((spec) => dangersOfSpec(spec, ref, ownMounts(local)));
    const left = await leftOf(hostReach, ref, organizationId, dangers);
    if (left.length > 0) found.push({ kind: ref.kind, appName, organizationId, reaches: listed(left) });
  }
  return found;
}

async function leftOf(
  hostReach: HostReach,
  service: ServiceRef,
  organizationId: string,
  dangers: readonly Danger[],
): Promise<Danger[]> {
  const known = service.kind === 'compose' ? undefined : await hostReach.find(service);
  const own = known !== undefined && (await hostReach.reachesServer(organizationId, known.serverKey));
  const judged = dangers.filter(({ what }) => !(own && what === 'port'));
  try {
    return await hostReach.unapproved(
      service,
      await (await hostReach.placesOf(localServer)).seen(judged, 'hostPath'),
    );
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [...judged];
  }
}
