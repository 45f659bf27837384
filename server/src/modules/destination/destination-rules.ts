/** What a destination may be: one set of rules for each provider. Pure. */
import { badField } from '../../domain/errors.ts';
import { parseObjectPath } from '../../domain/names/object-path.ts';
import { parseServerPath } from '../../domain/names/server-path.ts';

export interface DestinationDraft {
  provider: 's3' | 'local';
  accessKey: string;
  secretAccessKey: string;
  bucket: string;
  region: string;
  endpoint: string;
  path: string;
}

/**
 * The destination with only the fields of its provider; BAD_REQUEST naming the field. A local one names a
 * folder below its organization's own, or an absolute path of the server.
 */
export function checkDestination(draft: DestinationDraft): DestinationDraft {
  const bare: DestinationDraft = {
    provider: draft.provider,
    accessKey: '',
    secretAccessKey: '',
    bucket: '',
    region: '',
    endpoint: '',
    path: '',
  };
  return { ...bare, ...providerRules[draft.provider](draft) };
}

const providerRules: Record<
  DestinationDraft['provider'],
  (draft: DestinationDraft) => Partial<DestinationDraft>
> = {
  s3: (draft) => ({
    accessKey: printable(given(draft.accessKey, 'accessKey'), 'accessKey'),
    secretAccessKey: printable(given(draft.secretAccessKey, 'secretAccessKey'), 'secretAccessKey'),
    bucket: parseBucket(given(draft.bucket, 'bucket')),
    region: parseRegion(draft.region),
    endpoint: parseEndpoint(given(draft.endpoint, 'endpoint')),
    path: parseObjectPath(draft.path, 'path'),
  }),
  local: ({ path }) => ({
    path: isOfServer(path) ? parseServerPath(path, 'path') : parseObjectPath(path, 'path'),
  }),
};

/** Whether a local destination's path is one of the server's, and not below the organization's own folder. */
export const isOfServer = (path: string): boolean => path.startsWith('/');

function given(value: string, field: string): string {
  if (value === '') throw badField(field, 'is required for this provider');
  return value;
}

/** Keys go into headers and settings of programs as they are. */
function printable(value: string, field: string): string {
  if (/^[\x21-\x7e]+$/.test(value)) return value;
  throw badField(field, 'must have only printable ASCII characters without spaces');
}

/**
 * Amazon's rules for names (Amazon S3 User Guide, "Bucket naming rules"), widened by the capitals and "_"
 * that older buckets and other services have.
 */
function parseBucket(text: string): string {
  if (/^[a-zA-Z0-9][a-zA-Z0-9._-]{1,253}[a-zA-Z0-9]$/.test(text) && !text.includes('..')) return text;
  throw badField(
    'bucket',
    'must have 3 to 255 letters, digits, ".", "-" or "_", and begin and end with a letter or digit',
  );
}

function parseRegion(text: string): string {
  if (/^([a-zA-Z0-9][a-zA-Z0-9-]*)?$/.test(text)) return text;
  throw badField('region', 'must have only letters, digits and "-", such as eu-central-1');
}

function parseEndpoint(text: string): string {
  const url = /^https?:\/\/[^\s\p{Cc}\\]+$/iu.test(text) ? URL.parse(text) : null;
  if (url === null) throw badField('endpoint', 'must be an http or https address');
  if (url.username !== '' || url.password !== '')
    throw badField('endpoint', 'must not carry a user or password; the keys have their own fields');
  if (url.search !== '' || url.hash !== '') throw badField('endpoint', 'must not contain "?" or "#"');
  return text;
}
