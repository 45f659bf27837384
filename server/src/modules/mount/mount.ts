/** Folders, volumes and files put into services (decisions 5). */
import { databaseIds, type DatabaseIds } from '../../domain/database-kind.ts';
import { AppError, badField } from '../../domain/errors.ts';
import type { Approval } from '../../domain/access/danger.ts';
import { applicationRef, composeRef, databaseRef, type ServiceRef } from '../../domain/names/service-ref.ts';
import { firstVolume } from '../../domain/names/restored-volumes.ts';
import { isoTime, randomId, type Clock } from '../../ports/clock.ts';
import { leftBehind, type LiveMount } from './left-behind.ts';
import { checkMount, type MountDraft } from './mount-rules.ts';
import { serviceTypes, type ServiceType } from './record.ts';
import type { MountRecord, MountStore } from './store.ts';

/** A mount with its service named by the field of its kind. */
export type Mount = Omit<MountRecord, 'serviceType' | 'databaseId' | 'approval'> &
  DatabaseIds<string | null> & { serviceType: ServiceType };

export type MountPatch = { [K in keyof MountDraft]?: MountDraft[K] | undefined };

export interface MountEffects {
  clock: Clock;
  /**
   * Lets a service have this path of the server; FORBIDDEN for what no service may see, whoever asks: Berth's
   * data, the engine's.
   */
  approve(service: ServiceRef, hostPath: string, by: MountActor): Promise<Approval>;
  /** What a deployment released; the server is not asked. */
  released(
    kind: ServiceRef['kind'],
    deploymentId: string,
  ): Promise<readonly { mounts: readonly LiveMount[] }[]>;
}

/** Who changes a mount. */
export interface MountActor {
  organizationId: string;
  userId: string;
}

/** The service that gets a mount; `serviceType` must be its own when it is given. */
export interface MountOwner {
  serviceId: string;
  serviceType: ServiceType | undefined;
}

export interface Mounts {
  /**
   * A bind is approved by it: the guard lets only people with host reach name a path of the server. CONFLICT
   * when the service has a mount at this path, or would lose sight of data without `beginEmpty`.
   */
  create(actor: MountActor, owner: MountOwner, input: MountDraft, beginEmpty?: boolean): Promise<Mount>;
  one(mountId: string, organizationId: string): Promise<Mount>;
  /** Newest first, as the other two. */
  byApplication(applicationId: string, organizationId: string): Promise<Mount[]>;
  /** The same as they are stored, with the contents of secret files. */
  recordsOf(applicationId: string, organizationId: string): Promise<MountRecord[]>;
  byCompose(composeId: string, organizationId: string): Promise<Mount[]>;
  byDatabase(databaseId: string, organizationId: string): Promise<Mount[]>;
  /**
   * Absent fields stay; the rules are those of the record as it will be. CONFLICT without `beginEmpty` when
   * the next release would not see data that the live one has.
   */
  update(mountId: string, actor: MountActor, patch: MountPatch, beginEmpty?: boolean): Promise<Mount>;
  remove(mountId: string, organizationId: string): Promise<Mount>;
}

type OwnerColumns = Pick<MountRecord, 'applicationId' | 'composeId' | 'databaseId'>;

/**
 * Name of a mount's volume in the engine: by the service's id, so that a renamed service keeps its data
 * (decisions 4).
 */
export function volumeNameOf({
  applicationId,
  composeId,
  databaseId,
  volumeName,
}: OwnerColumns & Pick<MountRecord, 'volumeName'>): string {
  return firstVolume({ serviceId: applicationId ?? composeId ?? databaseId ?? '' }, volumeName ?? '');
}

interface Parts extends MountEffects {
  store: MountStore;
}

export function createMounts(store: MountStore, effects: MountEffects): Mounts {
  const parts: Parts = { store, ...effects };
  const records = (where: Partial<MountRecord>): Promise<MountRecord[]> =>
    store.list(where, { by: ['createdAt', 'mountId'], direction: 'desc' });
  const list = async (where: Partial<MountRecord>): Promise<Mount[]> =>
    (await records(where)).map(shownMount);
  return {
    one: async (mountId, organizationId) => shownMount(await found(store, mountId, organizationId)),
    create: (actor, owner, input, beginEmpty) => create(parts, actor, { owner, input, beginEmpty }),
    byApplication: (applicationId, organizationId) => list({ applicationId, organizationId }),
    recordsOf: (applicationId, organizationId) => records({ applicationId, organizationId }),
    byCompose: (composeId, organizationId) => list({ composeId, organizationId }),
    byDatabase: (databaseId, organizationId) => list({ databaseId, organizationId }),
    update: (mountId, actor, patch, beginEmpty) => update(parts, mountId, actor, { patch, beginEmpty }),
    async remove(mountId, organizationId) {
      const present = await found(store, mountId, organizationId);
      await store.remove({ mountId, organizationId });
      return shownMount(present);
    },
  };
}

async function create(
  parts: Parts,
  actor: MountActor,
  { owner, input, beginEmpty }: { owner: MountOwner; input: MountDraft; beginEmpty: boolean | undefined },
): Promise<Mount> {
  const { organizationId } = actor;
  const serviceType = await typeOf(parts.store, owner, organizationId);
  const record = await checked(parts, actor, input.hostPath, {
    mountId: randomId(),
    organizationId,
    ...input,
    isSecret: input.isSecret === true,
    serviceType,
    ...columnsOf(serviceType, owner.serviceId),
    approval: null,
    createdAt: isoTime(parts.clock),
  });
  if (beginEmpty !== true) await refuseBeginningEmpty(parts, undefined, record);
  await parts.store.insert(record);
  return shownMount(record);
}

async function update(
  parts: Parts,
  mountId: string,
  actor: MountActor,
  { patch, beginEmpty }: { patch: MountPatch; beginEmpty: boolean | undefined },
): Promise<Mount> {
  const { organizationId } = actor;
  const present = await found(parts.store, mountId, organizationId);
  // What is read of a secret file, nothing, says nothing when it is sent back.
  const isKept = (name: string, value: unknown): boolean =>
    value === undefined || (name === 'content' && value === null && present.isSecret);
  const given = Object.fromEntries(Object.entries(patch).filter(([name, value]) => !isKept(name, value)));
  if (present.isSecret && patch.isSecret === false && !patch.content)
    throw badField('content', 'is required to make a secret file readable; its current text is never shown');
  const changed = await checked(parts, actor, patch.hostPath, { ...present, ...given });
  if (beginEmpty !== true) await refuseBeginningEmpty(parts, present, changed);
  await parts.store.update({ mountId, organizationId }, changed);
  return shownMount(changed);
}

/** CONFLICT naming what the next release would not see any more; `present` is absent of a new mount. */
async function refuseBeginningEmpty(
  { store, released }: Parts,
  present: MountRecord | undefined,
  next: MountRecord,
): Promise<void> {
  const { kind, serviceId } = serviceOf(next);
  const deploymentId = await store.liveDeployment(serviceId, next.organizationId);
  if (!deploymentId) return;
  const live = await released(kind, deploymentId);
  const left = leftBehind(
    live.flatMap(({ mounts }) => mounts),
    { serviceId },
    present,
    next,
  );
  if (!left) return;
  throw new AppError(
    'CONFLICT',
    `From its next deploy on the service would not see the data that it has at ${left.target}: ` +
      `${left.what} stays on the server with what is in it, and is no longer mounted there. Send ` +
      '"beginEmpty": true to do it all the same, or keep the type, name and path of the mount.',
    {
      issues: [
        { path: 'beginEmpty', message: `must be true to leave ${left.what} at ${left.target} behind` },
      ],
    },
  );
}

async function found(store: MountStore, mountId: string, organizationId: string): Promise<MountRecord> {
  const record = await store.find({ mountId, organizationId });
  if (!record) throw new AppError('NOT_FOUND', 'There is no such mount. It may have been removed.');
  return record;
}

/** The record in its clean form, with a named path of the server approved; refuses a path that is taken. */
async function checked(
  { store, approve }: Parts,
  actor: MountActor,
  namedPath: string | null | undefined,
  record: MountRecord,
): Promise<MountRecord> {
  const draft = { ...record, ...checkMount(record) };
  const clean = {
    ...draft,
    approval:
      draft.hostPath === null
        ? null
        : namedPath
          ? await approve(serviceOf(record), draft.hostPath, actor)
          : record.approval,
  };
  const { applicationId, composeId, databaseId } = record;
  const present = await store.list({ applicationId, composeId, databaseId });
  const others = present.filter(({ mountId }) => mountId !== record.mountId);
  refuseTooMuchText(bytesOf(present), bytesOf([...others, clean]));
  if (others.some(({ mountPath }) => mountPath === clean.mountPath)) {
    const issue = { path: 'mountPath', message: 'has a mount already' };
    throw new AppError(
      'CONFLICT',
      `The service has a mount at ${clean.mountPath} already. Change that one, or choose another path.`,
      { issues: [issue] },
    );
  }
  return clean;
}

/** Bytes of all files of one service, which its mounts are listed with. */
const filesLimitBytes = 5_000_000;

const bytesOf = (mounts: readonly Pick<MountRecord, 'content'>[]): number =>
  mounts.reduce((sum, { content }) => sum + Buffer.byteLength(content ?? ''), 0);

function refuseTooMuchText(before: number, after: number): void {
  if (after <= filesLimitBytes || after <= before) return;
  throw badField(
    'content',
    `would make it ${after} bytes of files in this service; a service may have ${filesLimitBytes} bytes ` +
      'together. Put large files into a volume or into the image',
  );
}

/** The type of the service named; BAD_REQUEST when the input tells another. */
async function typeOf(
  store: MountStore,
  { serviceId, serviceType }: MountOwner,
  organizationId: string,
): Promise<ServiceType> {
  const present = await store.serviceType(serviceId, organizationId);
  if (!present) throw new AppError('NOT_FOUND', 'There is no such service. It may have been deleted.');
  if (serviceType !== undefined && serviceType !== present)
    throw badField('serviceType', `is ${serviceType}, but the service is of the type ${present}`);
  return present;
}

function columnsOf(serviceType: ServiceType, serviceId: string): OwnerColumns {
  const isDatabase = serviceType !== 'application' && serviceType !== 'compose';
  return {
    applicationId: serviceType === 'application' ? serviceId : null,
    composeId: serviceType === 'compose' ? serviceId : null,
    databaseId: isDatabase ? serviceId : null,
  };
}

const serviceOf = ({ applicationId, composeId, databaseId }: OwnerColumns): ServiceRef =>
  applicationId === null
    ? composeId === null
      ? databaseRef(databaseId ?? '')
      : composeRef(composeId)
    : applicationRef(applicationId);

/** Without the contents of secret files. */
export function shownMount({ databaseId, approval: _approval, ...mount }: MountRecord): Mount {
  const content = mount.isSecret ? null : mount.content;
  return {
    ...mount,
    content,
    serviceType: typeIn(mount.serviceType),
    ...databaseIds(mount.serviceType, databaseId),
  };
}

/** Only known types are ever stored. */
function typeIn(serviceType: string): ServiceType {
  return serviceTypes.find((type) => type === serviceType) ?? 'application';
}
