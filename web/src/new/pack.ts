/** A folder as a tar archive (POSIX ustar), made in the browser; what no source needs stays out. */

export interface Picked {
  path: string;
  file: File;
}

const left = /(^|\/)(\.git|node_modules|\.DS_Store)(\/|$)/;
const block = 512;

export async function packFolder(picked: readonly Picked[]): Promise<File> {
  const files = picked.filter(({ path }) => !left.test(path));
  if (files.length === 0) throw new Error('There is no file in this folder.');
  const parts = files.flatMap(({ path, file }): BlobPart[] => [
    header(path, file.size),
    file,
    new Uint8Array((block - (file.size % block)) % block),
  ]);
  return new File([...parts, new Uint8Array(2 * block)], 'source.tar', { type: 'application/x-tar' });
}

function header(path: string, size: number): Uint8Array<ArrayBuffer> {
  const { prefix, name } = split(path);
  const bytes = new Uint8Array(block);
  const put = (text: string, at: number): void => bytes.set(new TextEncoder().encode(text), at);
  const octal = (value: number, length: number): string => value.toString(8).padStart(length - 1, '0');
  put(name, 0);
  put(octal(0o644, 8), 100);
  put(octal(0, 8), 108);
  put(octal(0, 8), 116);
  put(octal(size, 12), 124);
  put(octal(0, 12), 136);
  put(' '.repeat(8), 148);
  put('0', 156);
  put('ustar\u000000', 257);
  put(prefix, 345);
  const sum = bytes.reduce((total, byte) => total + byte, 0);
  put(`${octal(sum, 7)}\u0000 `, 148);
  return bytes;
}

/** A name has 100 bytes, and 155 more for the folders before it. */
function split(path: string): { prefix: string; name: string } {
  const length = (text: string): number => new TextEncoder().encode(text).length;
  if (length(path) <= 100) return { prefix: '', name: path };
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) {
    const [prefix, name] = [path.slice(0, at), path.slice(at + 1)];
    if (length(prefix) <= 155 && length(name) <= 100) return { prefix, name };
  }
  throw new Error(`The path ${path} is too long for an archive. Use a shorter one, or a zip.`);
}

/** Everything below what was dropped: a folder's name itself is left out. */
export async function readDrop(items: DataTransferItemList): Promise<Picked[]> {
  const entries = [...items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  const [only] = entries;
  const top = entries.length === 1 && only?.isDirectory ? `${only.fullPath}/` : '/';
  const found = await Promise.all(entries.map((entry) => filesBelow(entry)));
  return found.flat().map(({ path, file }) => ({ path: path.slice(top.length), file }));
}

async function filesBelow(entry: FileSystemEntry): Promise<Picked[]> {
  if (left.test(entry.fullPath)) return [];
  if (isFile(entry))
    return [{ path: entry.fullPath, file: await new Promise<File>((done, fail) => entry.file(done, fail)) }];
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const all: FileSystemEntry[] = [];
  // A reader gives at most a hundred at once, and none at its end.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((done, fail) => reader.readEntries(done, fail));
    if (some.length === 0) break;
    all.push(...some);
  }
  return (await Promise.all(all.map((one) => filesBelow(one)))).flat();
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;
