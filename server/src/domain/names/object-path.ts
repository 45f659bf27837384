/** Paths of objects in a bucket or below a folder, such as those of backups. */
import { badField } from '../errors.ts';

/** Bytes that S3 takes for a key (Amazon S3 User Guide, "Naming Amazon S3 objects"). */
const keyBytes = 1024;

/**
 * A relative path: slashes at its ends count for nothing, `.` and empty parts neither; the empty path is the
 * place itself. It never leads out of its place, and no program takes it for an option. Throws BAD_REQUEST
 * naming `field`.
 */
export function parseObjectPath(text: string, field: string): string {
  if (/\p{Cc}/u.test(text) || !text.isWellFormed())
    throw badField(field, 'must not contain line breaks or control characters');
  if (text.includes('\\')) throw badField(field, 'must use "/" between folders, not "\\"');
  const parts = text.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw badField(field, 'must not lead out of its place with ".."');
  if (parts[0]?.startsWith('-')) throw badField(field, 'must not begin with "-"');
  const path = parts.join('/');
  if (Buffer.byteLength(path) > keyBytes) throw badField(field, `must have at most ${keyBytes} bytes`);
  return path;
}
