import { refusedEntry } from './archive-entry.ts';

const maxPathBytes = 4096;
const maxPartBytes = 255;
const maxDepth = 100;

/**
 * The parts of an entry's path; none for the archive's own root. Throws BAD_REQUEST naming the entry for
 * whatever could mean another place than one below the target: absolute paths, `..`, backslashes and drive
 * letters (separators elsewhere), NUL and other control characters, bytes that are no UTF-8.
 */
export function parseEntryPath(name: Uint8Array): string[] {
  const text = decode(name);
  if (/\p{Cc}/u.test(text)) throw refusedEntry(name, 'has a control character in its name');
  if (text.includes('\\')) throw refusedEntry(name, 'has a backslash in its name');
  if (text.startsWith('/') || /^[A-Za-z]:/.test(text)) throw refusedEntry(name, 'has an absolute path');
  const parts = text.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw refusedEntry(name, 'leads out of its folder with ".."');
  if (
    name.length > maxPathBytes ||
    parts.length > maxDepth ||
    parts.some((part) => Buffer.byteLength(part) > maxPartBytes)
  )
    throw refusedEntry(name, 'has a path that is too long');
  return parts;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decode(name: Uint8Array): string {
  try {
    return utf8.decode(name);
  } catch {
    throw refusedEntry(name, 'has a name that is not valid UTF-8');
  }
}
