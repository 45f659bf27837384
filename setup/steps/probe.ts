import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { AppError } from '../../server/src/domain/errors.ts';
import { unpackPackage } from '../machine/apt.ts';
import type { SetupContext, Step } from '../context.ts';
import { faultOfProbe } from '../machine/probe-trial.ts';
import { tryCommand } from '../process/run-command.ts';
import { isStaticBinary } from '../machine/static-binary.ts';

const places = ['bin/busybox', 'usr/bin/busybox'];

/**
 * The small program that looks inside a service's container whether it listens (a static busybox). It is
 * copied, so it stays when the package goes; and it is unpacked rather than installed, since Debian's two
 * busybox packages exclude each other.
 */
export const probeStep: Step = {
  title: 'Health probe',
  async run(context) {
    const { probe } = context.layout;
    if (isStaticBinary(probe) && (await faultOfProbe(probe, context)) === undefined)
      return `${probe} is there`;
    const onMachine = places.map((place) => `/${place}`).find(isStaticBinary);
    if (onMachine === undefined) await fetchProbe(context);
    else place(onMachine, probe);
    const fault = await faultOfProbe(probe, context);
    if (fault !== undefined && (await runs(context, probe)))
      throw new AppError(
        'PRECONDITION_FAILED',
        `${probe} cannot be used for health checks: ${fault}. Put another static busybox there and run the ` +
          'command again.',
      );
    if (!(await runs(context, probe))) {
      throw new AppError(
        'PRECONDITION_FAILED',
        `${probe} does not run on this machine. Is ${context.layout.data} on a file system mounted with ` +
          '"noexec"? Choose another folder with BERTH_DATA.',
      );
    }
    return `${probe} from ${onMachine ?? "Debian's busybox-static"}`;
  },
};

async function fetchProbe(context: SetupContext): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'berth-probe-'));
  try {
    const content = await unpackPackage('busybox-static', folder, context);
    const program = places.map((place) => join(content, place)).find(isStaticBinary);
    if (program === undefined)
      throw new AppError(
        'PRECONDITION_FAILED',
        "Debian's busybox-static contains no static busybox. Put one at $BERTH_DATA/probe/busybox yourself " +
          'and run the command again.',
      );
    place(program, context.layout.probe);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Put in place by rename: containers that have the old one mounted keep it. */
function place(program: string, probe: string): void {
  mkdirSync(dirname(probe), { recursive: true, mode: 0o755 });
  copyFileSync(program, `${probe}.new`);
  chmodSync(`${probe}.new`, 0o755);
  renameSync(`${probe}.new`, probe);
}

async function runs(context: SetupContext, probe: string): Promise<boolean> {
  return (await tryCommand([probe, 'true'], { signal: context.signal, limitMs: 5000 })).code === 0;
}
