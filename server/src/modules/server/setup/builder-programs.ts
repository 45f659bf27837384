/**
 * Programs that build types need besides Docker, on a server: the installation's setting names their
 * releases. Nothing that runs needs them, so that one which cannot be had is told, and ends no set-up.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { AppError, sentenceOf } from '../../../domain/errors.ts';
import { builderProgramOf, fileNameOf, type BuilderProgramName } from '../../../domain/builder-programs.ts';
import type { ServerShell } from '../../../ports/host/server-shell.ts';
import { runTelling } from './run-telling.ts';
import type { SetupContext, Stage } from './stage.ts';

const largestBytes = 256 * 1024 * 1024;
const limitMs = 10 * 60_000;
const tooLarge = new AppError('PRECONDITION_FAILED', `It is larger than ${largestBytes / 1024 / 1024} MiB.`);

/** Whether it is there, and the checksum of the release that Berth put there. */
const lookScript = `command -v "$1" >/dev/null && echo there || echo none
cat "$2" 2>/dev/null || true`;

const receiveScript = 'umask 077; mkdir -p "$2" && cat >"$1"';

/** It must start before it takes the place of another. */
const putScript = `archive=$1 name=$2 note=$3 sum=$4
new=/usr/local/bin/.$name.berth
trap 'rm -f "$archive" "$new"' EXIT
mkdir -p /usr/local/bin
case $5 in
packed) tar --no-anchored -xzOf "$archive" "$name" >"$new" || exit 1 ;;
*) cp "$archive" "$new" || exit 1 ;;
esac
[ -s "$new" ] || { echo "there is no file $name in it" >&2; exit 1; }
chmod 755 "$new"
timeout 20 "$new" --version </dev/null >/dev/null || { echo 'it does not start on this machine' >&2; exit 1; }
mv -f "$new" "/usr/local/bin/$name" && printf '%s\\n' "$sum" >"$note"`;

export const builderProgramsStage: Stage = async (context) => {
  const changes: string[] = [];
  for (const address of await context.releases.addresses()) {
    const program = builderProgramOf(address);
    if (program === undefined) continue;
    const change = await install(context, program, address);
    if (change !== undefined) changes.push(change);
  }
  return changes;
};

/** The sentence of what was changed; undefined when nothing was. */
async function install(
  { shell, host, releases, say, signal }: SetupContext,
  program: BuilderProgramName,
  address: string,
): Promise<string | undefined> {
  const folder = join(host.folders.data, 'programs');
  const note = join(folder, `${program}.sha256`);
  const { stdout } = await runTelling(shell, ['sh', '-c', lookScript, 'sh', program, note]);
  const [isThere, present = ''] = stdout.split('\n');
  if (isThere === 'there' && present === '') {
    say(`${program} is installed; it is used as it is.`);
    return undefined;
  }
  const missing = (error: unknown): void =>
    say(`${program} could not be installed, and nothing that runs needs it: ${sentenceOf(error)}`);
  const sum = await releases.checksum(address).catch(missing);
  if (sum === undefined || (isThere === 'there' && sum === present)) return undefined;
  say(`Installing ${program} from ${address} …`);
  const archive = join(folder, `${program}.download`);
  const body = await releases.open(address).catch(missing);
  if (body === undefined) return undefined;
  try {
    await receive(shell, { body, archive, folder, sum, signal });
    const kind = /\.(?:tar\.gz|tgz)$/.test(fileNameOf(address)) ? 'packed' : 'plain';
    await runTelling(shell, ['sh', '-c', putScript, 'sh', archive, program, note, sum, kind], { signal });
    return `installed ${program} (${fileNameOf(address)}, its checksum verified)`;
  } catch (error) {
    // The server itself is out of reach: the stage begins again when it answers.
    if (!(error instanceof AppError) || error.code === 'SERVICE_UNAVAILABLE') throw error;
    missing(error);
    return undefined;
  }
}

interface Arriving {
  body: AsyncIterable<Uint8Array>;
  archive: string;
  folder: string;
  sum: string;
  signal: AbortSignal;
}

/** PRECONDITION_FAILED when what came is not what the checksum says; then nothing of it stays. */
async function receive(
  shell: Pick<ServerShell, 'name' | 'run'>,
  { body, archive, folder, sum, signal }: Arriving,
): Promise<void> {
  const hash = createHash('sha256');
  let broken: AppError | undefined;
  async function* hashed(): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    try {
      for await (const chunk of body) {
        bytes += chunk.length;
        if (bytes > largestBytes) throw tooLarge;
        hash.update(chunk);
        yield chunk;
      }
    } catch (error) {
      broken = new AppError('PRECONDITION_FAILED', `The download broke off: ${sentenceOf(error)}`);
    }
  }
  const stdin = Readable.from(hashed());
  await runTelling(shell, ['sh', '-c', receiveScript, 'sh', archive, folder], { stdin, signal, limitMs });
  const found = hash.digest('hex');
  if (broken === undefined && found === sum) return;
  await shell.run(['rm', '-f', archive]);
  throw (
    broken ??
    new AppError(
      'PRECONDITION_FAILED',
      `What was downloaded has the SHA-256 ${found}, and the file beside it says ${sum}. Nothing of it ` +
        'was used.',
    )
  );
}
