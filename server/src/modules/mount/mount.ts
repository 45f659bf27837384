/** Folders, volumes and files put into services (decisions 5). */
import { AppError } from '../../domain/errors.ts';
import type { Role } from '../../domain/permissions.ts';
import { isoTime, randomId, type Clock } from '../../ports/clock.ts';
import { checkMount, type MountDraft } from './mount-rules.ts';
import type { MountRecord, MountStore } from './store.ts';

export type MountPatch = { [K in keyof MountDraft]?: MountDraft[K] | undefined };

export interface MountEffects {
  clock: Clock;
  /** Absolute paths of the server that no service may see: the engine's socket and data, Berth's data folder. */
  protectedPaths: readonly string[];
}

/** Who changes a mount. */
export interface MountActor {
  organizationId: string;
  role: Role;
}

export interface Mounts {
  /** FORBIDDEN when a member binds a path of the server; CONFLICT when the service has a mount at this path. */
  create(actor: MountActor, applicationId: string, input: MountDraft): Promise<MountRecord>;
  one(mountId: string, organizationId: string): Promise<MountRecord>;
  /** Newest first. */
  byApplication(applicationId: string, organizationId: string): Promise<MountRecord[]>;
  /** Absent fields stay; the rules are those of the record as it will be. */
  update(mountId: string, actor: MountActor, patch: MountPatch): Promise<MountRecord>;
  remove(mountId: string, organizationId: string): Promise<MountRecord>;
}

/** Name of a mount's volume in the engine: by the service's id, so that a renamed service keeps its data (decisions 4). */
export function volumeNameOf(mount: Pick<MountRecord, 'applicationId' | 'volumeName'>): string {
  return `berth-${mount.applicationId ?? ''}-${mount.volumeName ?? ''}`;
}

export function createMounts(store: MountStore, { clock, protectedPaths }: MountEffects): Mounts {
  async function one(mountId: string, organizationId: string): Promise<MountRecord> {
    const record = await store.find({ mountId, organizationId });
    if (!record) throw new AppError('NOT_FOUND', 'There is no such mount. It may have been removed.');
    return record;
  }

  async function checked(actor: MountActor, record: MountRecord): Promise<MountRecord> {
    if (record.type === 'bind' && actor.role === 'member') {
      throw new AppError('FORBIDDEN', 'Mounting a path of the server needs the role Owner or Admin. Use a volume, or ask one of them.');
    }
    const clean = { ...record, ...checkMount(record, protectedPaths) };
    const there = await store.find({ applicationId: record.applicationId, mountPath: clean.mountPath });
    if (there && there.mountId !== record.mountId) {
      const issue = { path: 'mountPath', message: 'has a mount already' };
      throw new AppError('CONFLICT', `The service has a mount at ${clean.mountPath} already. Change that one, or choose another path.`, { issues: [issue] });
    }
    return clean;
  }

  return {
    one,
    async create(actor, applicationId, input) {
      const { organizationId } = actor;
      const record = await checked(actor, { mountId: randomId(), organizationId, ...input, serviceType: 'application', applicationId, databaseId: null, composeId: null, createdAt: isoTime(clock) });
      await store.insert(record);
      return record;
    },
    byApplication: (applicationId, organizationId) => store.list({ applicationId, organizationId }, { by: ['createdAt', 'mountId'], direction: 'desc' }),
    async update(mountId, actor, patch) {
      const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
      const changed = await checked(actor, { ...(await one(mountId, actor.organizationId)), ...given });
      await store.update({ mountId, organizationId: actor.organizationId }, changed);
      return changed;
    },
    async remove(mountId, organizationId) {
      const present = await one(mountId, organizationId);
      await store.remove({ mountId, organizationId });
      return present;
    },
  };
}
