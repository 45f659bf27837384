/** What rclone says of a failure, as a sentence for people. */
import { AppError } from '../../domain/errors.ts';
import type { ErrorCode } from '../../domain/errors.ts';
import { anyOf } from '../../domain/routing/pattern.ts';
import { createRedactor } from '../../domain/secrets/redactor.ts';
import type { StorePlace } from '../../ports/object-store.ts';
import type { PipedEnd } from '../../shell/piped.ts';

type Bucket = Extract<StorePlace, { provider: 's3' }>;

/**
 * Words of the services (Amazon S3 API, "Error responses") and of Go's network library, in the order they are
 * looked for.
 */
const reasons: readonly { words: RegExp; code: ErrorCode; sentence(bucket: Bucket): string }[] = [
  {
    words: /InvalidAccessKeyId|SignatureDoesNotMatch|AuthorizationHeaderMalformed|InvalidToken/,
    code: 'PRECONDITION_FAILED',
    sentence: ({ endpoint }) =>
      `${endpoint} does not accept the keys. Check accessKey, secretAccessKey and region of the destination`,
  },
  {
    words: /AccessDenied|status code: 403|Forbidden/,
    code: 'PRECONDITION_FAILED',
    sentence: ({ bucket }) =>
      `the keys lack permission for this in the bucket ${bucket}. They need the right to list, read, ` +
      'write and delete objects there',
  },
  {
    words: /NoSuchBucket|directory not found|InvalidBucketName/,
    code: 'PRECONDITION_FAILED',
    sentence: ({ bucket, endpoint }) =>
      `there is no bucket ${bucket} at ${endpoint}. Create it, or correct the destination`,
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
      ],
      'i',
    ),
    code: 'PRECONDITION_FAILED',
    sentence: ({ endpoint }) =>
      `the store at ${endpoint} is full. Free some space there, or keep fewer backups`,
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
  const words = lastWords(createRedactor([bucket.accessKey, bucket.secretAccessKey])(stderr));
  const reason = reasons.find((one) => one.words.test(stderr));
  if (reason)
    return new AppError(
      reason.code,
      `The destination failed: ${reason.sentence(bucket)}. (rclone: ${words})`,
    );
  const end = signal === undefined ? `exit code ${exitCode ?? '?'}` : `ended by ${signal}`;
  return new AppError(
    'SERVICE_UNAVAILABLE',
    `The destination failed: rclone gave up (${end})${words === '' ? '' : `: ${words}`}.`,
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
