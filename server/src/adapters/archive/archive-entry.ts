import { AppError } from '../../domain/errors.ts';

/**
 * One file or folder of an archive. Whoever gets a file reads its body to the end before asking for the next
 * entry.
 */
export interface ArchiveEntry {
  /** As it stands in the archive, not yet checked. */
  name: Uint8Array;
  kind: 'file' | 'directory';
  executable: boolean;
  body: AsyncIterable<Uint8Array>;
}

/** A refusal that names the entry. `what` continues the sentence "The upload holds …, which". */
export function refusedEntry(name: Uint8Array | string, what: string): AppError {
  return new AppError(
    'BAD_REQUEST',
    `The upload holds ${shown(name)}, which ${what}; nothing was kept. Pack it again without that.`,
    { issues: [{ path: 'file', message: `${shown(name)} ${what}` }] },
  );
}

export function damagedArchive(what: string, cause?: unknown): AppError {
  return new AppError(
    'BAD_REQUEST',
    `The upload cannot be unpacked: ${what}. Pack it again as zip, tar or tar.gz.`,
    { issues: [{ path: 'file', message: what }], cause },
  );
}

/** Control characters and bytes that are no text show as escapes. */
function shown(name: Uint8Array | string): string {
  const text = typeof name === 'string' ? name : Buffer.from(name).toString('utf8');
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
}
