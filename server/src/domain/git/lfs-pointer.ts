/** Pointers of Git LFS: the small texts that a repository keeps in place of large files. */

export interface LfsPointer {
  /** SHA-256 of the file, 64 hexadecimal digits. */
  oid: string;
  /** Bytes of the file. */
  size: number;
}

/** Pointers are shorter than 1024 bytes (git-lfs, docs/spec.md). */
export const longestPointer = 1024;

/** The pointer that a text is; undefined for any other text. */
export function readLfsPointer(text: string): LfsPointer | undefined {
  if (text.length >= longestPointer) return undefined;
  const [version, ...lines] = text.split('\n');
  if (version !== 'version https://git-lfs.github.com/spec/v1') return undefined;
  const valueOf = (key: string): string =>
    lines.find((line) => line.startsWith(`${key} `))?.slice(key.length + 1) ?? '';
  const oid = /^sha256:([0-9a-f]{64})$/.exec(valueOf('oid'))?.[1];
  const size = /^[0-9]{1,15}$/.test(valueOf('size')) ? Number(valueOf('size')) : undefined;
  return oid === undefined || size === undefined ? undefined : { oid, size };
}
