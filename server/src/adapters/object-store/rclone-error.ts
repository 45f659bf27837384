/** What rclone says of a failure, as a sentence for people. */
import { AppError } from '../../domain/errors.ts';
import type { ErrorCode } from '../../domain/errors.ts';
import { anyOf } from '../../domain/routing/pattern.ts';
import { createRedactor } from '../../domain/secrets/redactor.ts';
import type { Secret } from '../../domain/secrets/secret.ts';
import type { RemotePlace as Bucket } from '../../ports/object-store.ts';
import type { PipedEnd } from '../../shell/piped.ts';

/**
 * Words of the services (Amazon S3 API, "Error responses") and of Go's network library, in the order they are
 * looked for.
 */
const reasons: readonly {
  words: RegExp;
  /** Of these kinds alone. */
  of?: readonly Bucket['provider'][];
  code: ErrorCode;
  sentence(bucket: Bucket, stderr: string): string;
}[] = [
  {
    words: /knownhosts: /,
    of: ['sftp'],
    code: 'PRECONDITION_FAILED',
    sentence: ({ endpoint }) =>
      `the server at ${endpoint} presents a host key that the destination does not have. Compare hostKey ` +
      'with all lines that ssh-keyscan prints for it; if its key was changed without your knowledge, ' +
      'somebody may stand between',
  },
  {
    words: /unable to authenticate|passphrase protected|failed to parse private key/,
    of: ['sftp'],
    code: 'PRECONDITION_FAILED',
    sentence: ({ endpoint }) =>
      `${endpoint} does not accept the user with this password or private key. Check both; a private key ` +
      'must be without a passphrase, and its public key known to the server',
  },
  {
    words: /permission denied|SSH_FX_PERMISSION_DENIED/i,
    of: ['sftp'],
    code: 'PRECONDITION_FAILED',
    sentence: ({ endpoint }) =>
      `the user may not do this in the folder of ${endpoint}. Choose a folder that the user may write to`,
  },
  {
    words: /SSH_FX_FAILURE|mkdir .* failed|file does not exist/,
    of: ['sftp'],
    code: 'PRECONDITION_FAILED',
    sentence: ({ endpoint }) =>
      `the server at ${endpoint} refused to store. Its disk may be full, a quota used up, or the folder ` +
      'cannot be made there',
  },
  {
    words: /AuthenticationFailed|AuthorizationFailure|invalid_(grant|client)|bad_auth_token|unauthorized/,
    of: ['azure', 'gcs', 'b2'],
    code: 'PRECONDITION_FAILED',
    sentence: ({ endpoint }) =>
      `${endpoint} does not accept the key. Check accessKey and secretAccessKey of the destination`,
  },
  {
    words: /ContainerNotFound|bucket.*(not found|does not exist)|notFound/i,
    of: ['azure', 'gcs', 'b2'],
    code: 'PRECONDITION_FAILED',
    sentence: ({ bucket, endpoint }) =>
      `there is no bucket ${bucket} at ${endpoint}, or the key does not reach it. Create it, or correct ` +
      'the destination',
  },
  {
    words: /AuthorizationHeaderMalformed|PermanentRedirect|status code: 30[1278]/,
    code: 'PRECONDITION_FAILED',
    sentence: (bucket, stderr) => wrongRegion(bucket, /expecting '([\w-]{1,60})'/.exec(stderr)?.[1]),
  },
  {
    words: /RequestTimeTooSkewed|RequestExpired/,
    code: 'PRECONDITION_FAILED',
    sentence: ({ endpoint }) =>
      `the clocks of this server and of ${endpoint} differ too much. Set this server's clock ` +
      '(timedatectl), and let it be kept by NTP',
  },
  {
    words: anyOf(
      [
        /no space left/,
        /StorageFull/,
        /QuotaExceeded/,
        /InsufficientStorage/,
        /status code: 507/,
        /DiskFull/,
        /XMinioStorageFull/,
        /EntityTooLarge/,
      ],
      'i',
    ),
    code: 'PRECONDITION_FAILED',
    sentence: ({ endpoint }) =>
      `the store at ${endpoint} is full, or its quota is used up. Free some space there, raise ` +
      'the quota, or keep fewer backups',
  },
  {
    words: /NotImplemented|MethodNotAllowed|status code: (501|405)/,
    code: 'PRECONDITION_FAILED',
    sentence: ({ endpoint }) =>
      `the store at ${endpoint} lacks an operation that backups need: storing, listing, reading, copying ` +
      'within the bucket (CopyObject) or deleting. Use another store',
  },
  {
    words: /InvalidAccessKeyId|SignatureDoesNotMatch|InvalidToken|ExpiredToken/,
    code: 'PRECONDITION_FAILED',
    sentence: ({ endpoint }) =>
      `${endpoint} does not accept the keys. Check accessKey, secretAccessKey and region of the destination`,
  },
  {
    words: /NoSuchBucket|directory not found|InvalidBucketName/,
    code: 'PRECONDITION_FAILED',
    sentence: ({ bucket, endpoint }) =>
      `there is no bucket ${bucket} at ${endpoint}. Create it, or correct the destination`,
  },
  {
    words: /AccessDenied|AllAccessDisabled|status code: 403|Forbidden/,
    code: 'PRECONDITION_FAILED',
    sentence: ({ bucket }) =>
      `the keys lack permission for this in the bucket ${bucket}. They need the right to list, read, ` +
      'write and delete objects there',
  },
  // A store that reports a fault often breaks the connection off as well.
  {
    words: /SlowDown|ServiceUnavailable|status code: 50[0-9]|InternalError/,
    code: 'SERVICE_UNAVAILABLE',
    sentence: ({ endpoint }) => `the store at ${endpoint} reports an internal error`,
  },
  {
    words: anyOf([
      /connection refused/,
      /no such host/,
      /no route to host/,
      /network is unreachable/,
      /i\/o timeout/,
      /deadline exceeded/,
      /connection reset/,
      /EOF/,
      /broken pipe/,
      /Temporary failure/,
    ]),
    code: 'SERVICE_UNAVAILABLE',
    sentence: ({ endpoint }) =>
      `${endpoint} cannot be reached, or broke off the connection. Check the endpoint and the network`,
  },
  {
    words: /x509|certificate|tls:/,
    code: 'PRECONDITION_FAILED',
    sentence: ({ endpoint }) => `the certificate of ${endpoint} is not trusted by this server`,
  },
];

export function rcloneError(bucket: Bucket, { exitCode, signal, stderr }: PipedEnd): AppError {
  const words = lastWords(createRedactor(secretsOf(bucket))(stderr));
  const reason = reasons.find(
    ({ words: pattern, of }) => (!of || of.includes(bucket.provider)) && pattern.test(stderr),
  );
  if (reason)
    return new AppError(
      reason.code,
      `The destination failed: ${reason.sentence(bucket, stderr)}. (rclone: ${words})`,
    );
  const end = signal === undefined ? `exit code ${exitCode ?? '?'}` : `ended by ${signal}`;
  return new AppError(
    'SERVICE_UNAVAILABLE',
    `The destination failed: rclone gave up (${end})${words === '' ? '' : `: ${words}`}.`,
  );
}

/** Empty ones would be found between any two signs. */
const secretsOf = ({ accessKey, secretAccessKey }: Bucket): Secret[] =>
  [accessKey, secretAccessKey].filter((secret) => secret.reveal() !== '');

/** A bucket of another region than the destination's, with the region that the store names. */
export function wrongRegion({ bucket, endpoint, region }: Bucket, right: string | undefined): string {
  const named = region === '' ? 'us-east-1, which an empty region means' : region;
  if (right === undefined)
    return (
      `the bucket ${bucket} is not in the region of ${endpoint}. Correct region and endpoint of the ` +
      'destination'
    );
  const amazon = /^https?:\/\/s3[.-](?:[a-z0-9-]+\.)?amazonaws\.com(\.cn)?/.exec(endpoint);
  const cure = amazon
    ? `the endpoint to https://s3.${right}.amazonaws.com${amazon[1] ?? ''}`
    : "the endpoint to that region's";
  return (
    `the bucket ${bucket} is in the region ${right}, not in ${named}. Set region to ${right}, ` +
    `and ${cure}`
  );
}

/** Its last line without the time before it. */
function lastWords(stderr: string): string {
  const lines = stderr
    .split('\n')
    .map((line) => line.replace(/^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d (ERROR : )?/, '').trim())
    .filter((line) => line !== '' && !/^status code: \d+, request id/.test(line));
  return (lines.at(-1) ?? '').slice(0, 400);
}
