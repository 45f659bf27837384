/** Files of a server, by its own programs, so that `sudo -n` is enough. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { AppError } from '../../../domain/errors.ts';
import type { FolderEntry, FolderFiles } from '../../../ports/host/folder-files.ts';
import type { HostFiles } from '../../../ports/host/host.ts';
import { command } from '../../../shell/command.ts';
import { startPiped } from '../../../shell/piped.ts';
import { CheckoutPath } from '../../files/checkout-path.ts';
import type { RemoteOptions, RemoteResult } from './remote-commands.ts';

/** Runs a program of the server as root. */
export type RunThere = (
  argv: readonly [string, ...string[]],
  options?: RemoteOptions,
) => Promise<RemoteResult>;

/** Copying a whole folder may take this long. */
const copyLimitMs = 30 * 60_000;
/** What the programs below answer when the thing is not there. */
const absentCode = 44;
const kinds: Record<string, FolderEntry['kind']> = { d: 'folder', f: 'file' };

/** A constant text for the server's shell; what varies are its arguments. */
type Script = readonly ['sh', '-c', string, 'sh'];
const script = (text: string): Script => ['sh', '-c', text, 'sh'];

const list = script(
  `[ -d "$1" ] || exit ${absentCode}; exec find "$1" -mindepth 1 -maxdepth 1 -printf '%y%f\\0'`,
);
const read = script(`[ -f "$1" ] || exit ${absentCode}; exec cat -- "$1"`);
/** Whole or not at all: whoever reads it meanwhile has the former one. */
const write = script('umask 077 && cat > "$1.part" && chmod "$2" "$1.part" && exec mv -f -- "$1.part" "$1"');
const renameFolder = script('[ -d "$2" ] && [ -n "$(ls -A -- "$2")" ] && exit 0; exec mv -T -- "$1" "$2"');
const unpack = script('umask 022; mkdir -p -- "$1" && exec tar -x -f - -C "$1" --no-same-owner');
const place = script('umask 022; mkdir -p -- "${1%/*}" && cat > "$1" && exec chmod "$2" "$1"');

export function createRemoteFolderFiles(run: RunThere): FolderFiles {
  return {
    async list(path) {
      const result = await run([...list, path]);
      if (result.code === absentCode) return undefined;
      return succeeded(result, `list ${path}`)
        .stdout.split('\0')
        .filter((entry) => entry !== '')
        .map((entry) => ({ name: entry.slice(1), kind: kinds[entry.charAt(0)] ?? 'other' }));
    },
    async read(path) {
      const result = await run([...read, path]);
      return result.code === absentCode ? undefined : succeeded(result, `read ${path}`).stdout;
    },
    async write(path, content, mode) {
      succeeded(await run([...write, path, mode.toString(8)], { stdin: content }), `write ${path}`);
    },
    async makeFolder(path) {
      succeeded(await run(['mkdir', '-p', '-m', '700', '--', path]), `make the folder ${path}`);
    },
    async renameFolder(from, to) {
      succeeded(await run([...renameFolder, from, to]), `rename ${from}`);
    },
    async remove(path) {
      succeeded(await run(['rm', '-rf', '--', path], { limitMs: copyLimitMs }), `remove ${path}`);
    },
  };
}

/** What services mount; what is copied comes from this machine. */
export function createRemoteFiles(run: RunThere, folders: FolderFiles): HostFiles {
  return {
    remove: folders.remove,
    names: async (path) => ((await folders.list(path)) ?? []).map(({ name }) => name),
    async copyInside(root, path, target, { field }) {
      const found = await CheckoutPath.resolve(root, path, { field });
      if (found === undefined) return false;
      const { mode, isFolder } = await stat(found.path).then((state) => ({
        mode: (state.mode & 0o777).toString(8),
        isFolder: state.isDirectory(),
      }));
      if (isFolder) await copyFolder(run, found.path, target);
      else
        succeeded(
          await run([...place, target, mode], {
            stdin: createReadStream(found.path),
            limitMs: copyLimitMs,
          }),
          `copy ${path}`,
        );
      return true;
    },
  };
}

async function copyFolder(run: RunThere, from: string, target: string): Promise<void> {
  const tar = startPiped(command(['tar', '-c', '-f', '-', '-C', from, '--', '.'], { cwd: '/' }));
  try {
    const unpacked = await run([...unpack, target], { stdin: tar.stdout, limitMs: copyLimitMs });
    const packed = await tar.ended;
    if (packed.exitCode !== 0) throw failed('be sent a folder', packed.stderr);
    succeeded(unpacked, `unpack ${target}`);
  } finally {
    tar.kill();
  }
}

function succeeded(result: RemoteResult, doing: string): RemoteResult {
  if (result.code === 0) return result;
  throw failed(doing, result.stderr);
}

/** With the first thing that went wrong: what tar says last is that something did. */
function failed(doing: string, stderr: string): AppError {
  const [words = ''] = stderr.trim().split('\n');
  return new AppError('PRECONDITION_FAILED', `The server could not ${doing}: ${words.slice(0, 300)}.`);
}
