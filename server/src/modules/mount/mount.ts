/** Folders, volumes and files put into services (decisions 5). */
import { databaseIds, type DatabaseIds } from '../../domain/database-kind.ts';
import { AppError, badField } from '../../domain/errors.ts';
import type { Role } from '../../domain/permissions.ts';
import { isoTime, randomId, type Clock } from '../../ports/clock.ts';
import { checkMount, type MountDraft } from './mount-rules.ts';
import { serviceTypes, type ServiceType } from './record.ts';
import type { MountRecord, MountStore } from './store.ts';

/** A mount with its service named by the field of its kind. */
export type Mount = Omit<MountRecord, 'serviceType' | 'databaseId'> &
  DatabaseIds<string | null> & { serviceType: ServiceType };

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

/** The service that gets a mount; `serviceType` must be its own when it is given. */
export interface MountOwner {
  serviceId: string;
  serviceType: ServiceType | undefined;
}

export interface Mounts {
  /** FORBIDDEN when a member binds a path of the server; CONFLICT when the service has a mount at this path. */
  create(actor: MountActor, owner: MountOwner, input: MountDraft): Promise<Mount>;
  one(mountId: string, organizationId: string): Promise<Mount>;
  /** Newest first, as the other two. */
  byApplication(applicationId: string, organizationId: string): Promise<Mount[]>;
  byCompose(composeId: string, organizationId: string): Promise<Mount[]>;
  byDatabase(databaseId: string, organizationId: string): Promise<Mount[]>;
  /** Absent fields stay; the rules are those of the record as it will be. */
  update(mountId: string, actor: MountActor, patch: MountPatch): Promise<Mount>;
  remove(mountId: string, organizationId: string): Promise<Mount>;
}

type OwnerColumns = Pick<MountRecord, 'applicationId' | 'composeId' | 'databaseId'>;

/** Name of a mount's volume in the engine: by the service's id, so that a renamed service keeps its data (decisions 4). */
export function volumeNameOf({
  applicationId,
  composeId,
  databaseId,
  volumeName,
}: OwnerColumns & Pick<MountRecord, 'volumeName'>): string {
  return `berth-${applicationId ?? composeId ?? databaseId ?? ''}-${volumeName ?? ''}`;
}

export function createMounts(store: MountStore, { clock, protectedPaths }: MountEffects): Mounts {
  async function found(mountId: string, organizationId: string): Promise<MountRecord> {
    const record = await store.find({ mountId, organizationId });
    if (!record) throw new AppError('NOT_FOUND', 'There is no such mount. It may have been removed.');
    return record;
  }

  const list = async (where: Partial<MountRecord>): Promise<Mount[]> =>
    (await store.list(where, { by: ['createdAt', 'mountId'], direction: 'desc' })).map(shown);

  async function checked(actor: MountActor, record: MountRecord): Promise<MountRecord> {
    if (record.type === 'bind' && actor.role === 'member') {
      throw new AppError(
        'FORBIDDEN',
        'Mounting a path of the server needs the role Owner or Admin. Use a volume, or ask one of them.',
      );
    }
    const clean = { ...record, ...checkMount(record, protectedPaths) };
    const { applicationId, composeId, databaseId } = record;
    const there = await store.find({ applicationId, composeId, databaseId, mountPath: clean.mountPath });
    if (there && there.mountId !== record.mountId) {
      const issue = { path: 'mountPath', message: 'has a mount already' };
      throw new AppError(
        'CONFLICT',
        `The service has a mount at ${clean.mountPath} already. Change that one, or choose another path.`,
        { issues: [issue] },
      );
    }
    return clean;
  }

  /** The type of the service named; BAD_REQUEST when the input tells another. */
  async function typeOf(
    { serviceId, serviceType }: MountOwner,
    organizationId: string,
  ): Promise<ServiceType> {
    const present = await store.serviceType(serviceId, organizationId);
    if (!present) throw new AppError('NOT_FOUND', 'There is no such service. It may have been deleted.');
    if (serviceType !== undefined && serviceType !== present)
      throw badField('serviceType', `is ${serviceType}, but the service is of the type ${present}`);
    return present;
  }

  return {
    one: async (mountId, organizationId) => shown(await found(mountId, organizationId)),
    async create(actor, owner, input) {
      const { organizationId } = actor;
      const serviceType = await typeOf(owner, organizationId);
      const record = await checked(actor, {
        mountId: randomId(),
        organizationId,
        ...input,
        serviceType,
        ...columnsOf(serviceType, owner.serviceId),
        createdAt: isoTime(clock),
      });
      await store.insert(record);
      return shown(record);
    },
    byApplication: (applicationId, organizationId) => list({ applicationId, organizationId }),
    byCompose: (composeId, organizationId) => list({ composeId, organizationId }),
    byDatabase: (databaseId, organizationId) => list({ databaseId, organizationId }),
    async update(mountId, actor, patch) {
      const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
      const changed = await checked(actor, { ...(await found(mountId, actor.organizationId)), ...given });
      await store.update({ mountId, organizationId: actor.organizationId }, changed);
      return shown(changed);
    },
    async remove(mountId, organizationId) {
      const present = await found(mountId, organizationId);
      await store.remove({ mountId, organizationId });
      return shown(present);
    },
  };
}

function columnsOf(serviceType: ServiceType, serviceId: string): OwnerColumns {
  const isDatabase = serviceType !== 'application' && serviceType !== 'compose';
  return {
    applicationId: serviceType === 'application' ? serviceId : null,
    composeId: serviceType === 'compose' ? serviceId : null,
    databaseId: isDatabase ? serviceId : null,
  };
}

function shown({ databaseId, ...mount }: MountRecord): Mount {
  return { ...mount, serviceType: typeIn(mount.serviceType), ...databaseIds(mount.serviceType, databaseId) };
}

/** Only known types are ever stored. */
function typeIn(serviceType: string): ServiceType {
  return serviceTypes.find((type) => type === serviceType) ?? 'application';
}
