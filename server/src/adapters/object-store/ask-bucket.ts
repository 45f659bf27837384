/**
 * Asks a store about a bucket, without keys. rclone 1.60 waits for ever on a redirect that has no address,
 * which is what Amazon answers for a bucket of another region (Amazon S3 User Guide, "Request redirection").
 */
import { AppError } from '../../domain/errors.ts';
import type { RemotePlace as Bucket } from '../../ports/object-store.ts';
import { endUnread, shortAnswer, type Outgoing, type OutgoingBy } from '../../ports/outgoing.ts';
import { wrongRegion } from './rclone-error.ts';

/** The refusal of a store that redirects; undefined for every other answer, and for none within the limit. */
export async function redirectOf(
  bucket: Bucket,
  { outgoing, by, limitMs }: { outgoing: Pick<Outgoing, 'request'>; by: OutgoingBy; limitMs: number },
): Promise<AppError | undefined> {
  const url = new URL(bucket.endpoint);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${bucket.bucket}`;
  url.search = 'max-keys=1';
  // A store that cannot be asked is rclone's to report.
  const answer = await outgoing
    .request({ url: url.href, method: 'GET', headers: {}, limitMs, maxBytes: shortAnswer }, by)
    .catch(() => undefined);
  if (!answer) return undefined;
  await endUnread(answer).catch(() => undefined);
  const { status, location, bucketRegion } = answer;
  if (status < 300 || status > 399) return undefined;
  const region = /^[\w-]{1,60}$/.exec(bucketRegion ?? '')?.[0];
  const sentence =
    region === undefined && location !== undefined
      ? `${bucket.endpoint} redirects to ${originOf(location)}. Enter the address that it leads to ` +
        'as endpoint'
      : wrongRegion(bucket, region);
  return new AppError('PRECONDITION_FAILED', `The destination failed: ${sentence}. (HTTP ${status})`);
}

function originOf(location: string): string {
  return (URL.parse(location)?.origin ?? 'another address').slice(0, 200);
}
