/** Folders, volumes and files put into services (decisions 5). */
import { z } from 'zod';
import { databaseKindNames, perDatabaseId } from '../../domain/database-kind.ts';
import { listOf, pageInput } from '../../procedure/input/page.ts';
import { mutation, query, type ResourceReference } from '../../procedure/procedure.ts';
import { mountRecord, serviceTypes, type ServiceType } from './record.ts';
import { line } from '../service/contract-fields.ts';

const own = { class: 'protected', resources: [{ kind: 'mount', field: 'mountId' }] } as const;
const hostReach = [{ field: 'hostPath', when: 'given' }] as const;
const id = z.object({ mountId: z.string().min(1) });
const serviceId = z.string().min(1).max(100);
const type = z.enum(['bind', 'volume', 'file']);
const path = z.string().max(1000);
const source = {
  hostPath: path.nullish().describe('For a bind: folder or file of the server'),
  volumeName: line(100).nullish().describe('For a volume: its name within the service'),
  filePath: path.nullish().describe('For a file: its name; taken from mountPath when absent'),
  content: z.string().max(500_000).nullish().describe('For a file: its text, at most 500,000 bytes'),
  isSecret: z
    .boolean()
    .optional()
    .describe('For a file: its text is never shown again and can only be replaced; default false'),
};

const beginEmpty = z
  .boolean()
  .optional()
  .describe(
    'Confirms that the service no longer sees the data that it has at this path; without it such a change ' +
      'is refused (409) and names what would be left behind',
  );

/** The service by the field of its kind, or by serviceId. */
const owners = {
  applicationId: serviceId.nullish(),
  composeId: serviceId.nullish(),
  ...perDatabaseId(() => serviceId.nullish()),
};
const fieldOf = (serviceType: ServiceType): keyof typeof owners => `${serviceType}Id`;
const ownerResources: ResourceReference[] = [
  { kind: 'application', field: 'applicationId' },
  { kind: 'compose', field: 'composeId' },
  ...databaseKindNames.map((kind) => ({ kind, field: fieldOf(kind) })),
  { kind: 'service', field: 'serviceId' },
];

type Owner = { [F in keyof typeof owners]?: string | null | undefined } & {
  serviceId?: string | null | undefined;
  serviceType?: ServiceType | undefined;
};

/** The ids given, each with the type it stands for. */
function named(input: Owner): { serviceType: ServiceType; field: string; id: string }[] {
  return serviceTypes.flatMap((serviceType) => {
    const given = input[fieldOf(serviceType)];
    return given ? [{ serviceType, field: fieldOf(serviceType), id: given }] : [];
  });
}

/**
 * The service that an input names; its type when the input tells it. Fit for inputs that passed
 * `mount.create` only.
 */
export function ownerOf(input: Owner): { serviceId: string; serviceType: ServiceType | undefined } {
  const [owner] = named(input);
  return {
    serviceId: owner?.id ?? input.serviceId ?? '',
    serviceType: owner?.serviceType ?? input.serviceType,
  };
}

function checkOwner(input: Owner, context: z.RefinementCtx): void {
  const fault = (field: string, message: string): void =>
    context.addIssue({ code: 'custom', path: [field], message });
  const [owner, ...others] = named(input);
  if (!owner && !input.serviceId)
    fault(input.serviceType ? fieldOf(input.serviceType) : 'applicationId', 'is required');
  for (const { field } of others)
    fault(field, `names another service than ${owner?.field ?? ''}; a mount belongs to one`);
  if (owner && input.serviceId && owner.id !== input.serviceId)
    fault('serviceId', `differs from ${owner.field}; both name the service`);
  if (owner && input.serviceType && owner.serviceType !== input.serviceType)
    fault('serviceType', `is ${input.serviceType}, but the service is named in ${owner.field}`);
}

export const mountContract = {
  create: mutation({
    summary: 'Mounts a folder of the server, a volume or a file into a service from its next deploy',
    description:
      '`bind` needs an Owner or Admin with host reach, which approves it for the service in its ' +
      'environment and with its source. A volume belongs to its service and keeps its data when the ' +
      'service is renamed. The service is named by the field of its kind, such as `applicationId` or ' +
      '`postgresId`, or by `serviceId`, with `serviceType` or without.',
    access: { class: 'protected', hostReach, resources: ownerResources },
    input: z
      .object({
        type,
        ...source,
        mountPath: path.describe('Absolute path inside the container'),
        serviceType: z.enum(serviceTypes).optional(),
        ...owners,
        serviceId: serviceId.nullish(),
        beginEmpty,
      })
      .superRefine(checkOwner),
    example: {
      applicationId: 'V1StGXR8Z5jdHi6BmyT3k',
      type: 'file',
      filePath: 'app.conf',
      content: 'level=info\n',
      mountPath: '/etc/shop/app.conf',
    },
    output: mountRecord,
    refusals: ['CONFLICT'],
  }),
  one: query({
    summary: 'One mount',
    access: own,
    input: id,
    output: mountRecord,
  }),
  byApplicationId: query({
    summary: 'The mounts of an application, newest first',
    access: { class: 'protected', resources: [{ kind: 'application', field: 'applicationId' }] },
    input: z.object({ applicationId: z.string().min(1), ...pageInput }),
    output: listOf(mountRecord),
  }),
  byComposeId: query({
    summary: 'The mounts of a compose service, newest first',
    access: { class: 'protected', resources: [{ kind: 'compose', field: 'composeId' }] },
    input: z.object({ composeId: serviceId, ...pageInput }),
    output: listOf(mountRecord),
  }),
  update: mutation({
    summary: 'Changes a mount; it takes effect at the next deploy',
    description:
      'A volume under another name is another volume; the data stays in the former one. What would hide ' +
      'data from a service that runs, another volume name, path or type, needs `beginEmpty: true`. ' +
      '`hostPath`, even the same one, approves a bind again.',
    access: { ...own, hostReach },
    input: id.extend({ type: type.optional(), ...source, mountPath: path.optional(), beginEmpty }),
    output: mountRecord,
    refusals: ['CONFLICT'],
  }),
  remove: mutation({
    summary: 'Removes a mount from its service; the data of a volume or folder stays',
    access: own,
    input: id,
    output: mountRecord,
  }),
};
