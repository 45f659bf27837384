/** The settings of the installation as people look for them: groups, each with its fields and their words. */
import type { FieldChange } from '../form/form-field.tsx';
import type { Input } from '../live/api.ts';

type Name = keyof Input<'settings.update'> & string;

export interface Group {
  title: string;
  fields: readonly Name[];
}

export const groups: readonly Group[] = [
  { title: 'Address', fields: ['host', 'serverIp', 'baseDomain', 'dnsResolver', 'cloud'] },
  { title: 'Organizations', fields: ['tenantsMayCreateOrganizations'] },
  { title: 'Certificates', fields: ['acmeEmail', 'acmeDirectory', 'acmeRoots'] },
  {
    title: 'Builds',
    fields: [
      'buildMemory',
      'buildCpu',
      'buildsConcurrency',
      'unreachableWait',
      'minFreeDisk',
      'builderReleases',
    ],
  },
  { title: 'What is kept', fields: ['keptImages', 'keptDeployments', 'formerVolumeDays', 'cleanupSchedule'] },
  {
    title: 'Uploads and logs',
    fields: [
      'uploadLimit',
      'uploadUnpackedLimit',
      'uploadEntriesLimit',
      'logLimit',
      'logAnswerLimit',
      'runOutputLimit',
      'endedOutputDays',
      'endedOutputLimit',
      'streamLimit',
    ],
  },
  {
    title: 'Networks, images, folders',
    fields: [
      'networkPool',
      'allowedPrivateNetworks',
      'trustedProxies',
      'sharedImages',
      'localRepositoryPaths',
    ],
  },
];

export const words: Partial<Record<Name, FieldChange>> = {
  host: { label: 'Host of Berth', example: 'berth.example.com' },
  serverIp: { label: 'Address of this machine', as: 'text' },
  baseDomain: { label: 'Base domain of services', example: 'apps.example.com' },
  dnsResolver: { label: 'DNS resolver' },
  cloud: { label: 'Every service needs a server of its own' },
  tenantsMayCreateOrganizations: { label: 'Other organizations may create organizations' },
  acmeEmail: { label: 'Contact', example: 'ops@example.com' },
  acmeDirectory: { label: 'Authority' },
  acmeRoots: { label: 'Root certificates of the authority' },
  buildMemory: { label: 'Memory of a build', example: '2g' },
  buildCpu: { label: 'Cores of a build', unit: 'cores' },
  buildsConcurrency: { label: 'Builds at once', unit: 'on each server' },
  unreachableWait: { label: 'Wait for a server', unit: 'minutes' },
  minFreeDisk: { label: 'Disk that stays free', as: 'size' },
  builderReleases: { label: 'Builder programs for servers' },
  keptImages: { label: 'Images of each application', unit: 'images' },
  keptDeployments: { label: 'Deployments of each service', unit: 'deployments' },
  formerVolumeDays: { label: 'Former volumes', unit: 'days' },
  cleanupSchedule: { label: 'Clean-ups', as: 'cron', help: 'In UTC. Empty: by hand alone' },
  uploadLimit: { label: 'Largest upload, packed', as: 'size' },
  uploadUnpackedLimit: { label: 'Largest upload, unpacked', as: 'size' },
  uploadEntriesLimit: { label: 'Files of an upload', unit: 'files' },
  logLimit: { label: 'Log of a deployment', as: 'size' },
  logAnswerLimit: { label: 'Log in one answer', as: 'size' },
  runOutputLimit: { label: 'Output of a command', as: 'size' },
  endedOutputDays: { label: 'Output of ended tasks is kept for', unit: 'days' },
  endedOutputLimit: { label: 'Output of ended tasks', as: 'size' },
  streamLimit: { label: 'Live streams of a person', unit: 'at once' },
  networkPool: { label: 'Networks are cut from' },
  allowedPrivateNetworks: { label: 'Private networks that may be reached' },
  trustedProxies: { label: 'Trusted proxies in front of services' },
  sharedImages: { label: 'Images for every organization' },
  localRepositoryPaths: { label: 'Folders with repositories' },
};
