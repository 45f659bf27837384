/** Folders, volumes and files put into services (decisions 5). */
import { z } from 'zod';
import { listOf, pageInput } from '../../procedure/page.ts';
import { mutation, query } from '../../procedure/procedure.ts';
import { mountRecord } from './record.ts';

const own = { class: 'protected', resources: [{ kind: 'mount', field: 'mountId' }] } as const;
const id = z.object({ mountId: z.string().min(1) });
const type = z.enum(['bind', 'volume', 'file']);
const path = z.string().max(1000);
const source = {
  hostPath: path.nullish().describe('Of a bind: folder or file of the server'),
  volumeName: z.string().max(100).nullish().describe('Of a volume: its name within the service'),
  filePath: path.nullish().describe('Of a file: its name; taken from mountPath when absent'),
  content: z.string().max(500_000).nullish().describe('Of a file: its text, at most 500,000 bytes'),
};

export const mountContract = {
  create: mutation({
    summary: 'Puts a folder of the server, a volume or a file into a service from its next deploy on',
    description: '`bind` needs Owner or Admin. A volume belongs to its service and keeps its data when the service is renamed. The service is named by `applicationId`, or by `serviceId` with `serviceType`.',
    access: { class: 'protected', resources: [{ kind: 'application', field: 'applicationId' }, { kind: 'application', field: 'serviceId' }] },
    input: z.object({
      type, ...source, mountPath: path.describe('Absolute path inside the container'), serviceType: z.literal('application').default('application'),
      applicationId: z.string().min(1).nullish(), serviceId: z.string().min(1).nullish(),
    }).superRefine(({ applicationId, serviceId }, context) => {
      if (!applicationId && !serviceId) context.addIssue({ code: 'custom', path: ['applicationId'], message: 'is required' });
      if (applicationId && serviceId && applicationId !== serviceId) context.addIssue({ code: 'custom', path: ['serviceId'], message: 'differs from applicationId; both name the service' });
    }),
    example: { applicationId: 'V1StGXR8Z5jdHi6BmyT3k', type: 'file', filePath: 'app.conf', content: 'level=info\n', mountPath: '/etc/shop/app.conf' },
    output: mountRecord,
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
  update: mutation({
    summary: 'Changes a mount; it takes effect at the next deploy',
    description: 'A volume under another name is another volume; the data stays in the former one.',
    access: own,
    input: id.extend({ type: type.optional(), ...source, mountPath: path.optional() }),
    output: mountRecord,
  }),
  remove: mutation({
    summary: 'Removes a mount from its service; the data of a volume or folder stays',
    access: own,
    input: id,
    output: mountRecord,
  }),
};
