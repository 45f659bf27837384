import type { TableRecord } from '../../server/src/db/tables.ts';

/** A destination with only what each has; a test gives its ids. */
export const plainDestination: Omit<
  TableRecord<'destination'>,
  'destinationId' | 'organizationId' | 'name'
> = {
  provider: 'local',
  accessKey: '',
  secretAccessKey: '',
  bucket: '',
  region: '',
  endpoint: '',
  hostKey: '',
  path: '/srv',
  recipients: [],
  identities: null,
  createdAt: '',
};
