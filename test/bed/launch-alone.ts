import type { Argv } from '../../images/command.ts';
import { launch } from './host/host-process.ts';
import type { ProcessIdentity } from './machine/process-identity.ts';

/**
 * Starts a server for tests in process and IPC namespaces of its own, which end with this process: no worker
 * and no shared memory can stay.
 */
export function launchAlone(argv: Argv, log: string): Promise<ProcessIdentity> {
  // tini stays root between the two: changing the user makes the kernel forget the signal at the parent's
  // death.
  const own: Argv = [
    'setpriv',
    '--pdeathsig=KILL',
    'unshare',
    '--ipc',
    '--pid',
    '--fork',
    '--kill-child=SIGKILL',
    '--',
    'tini',
    '--',
  ];
  return launch([...own, ...argv], log, process.env);
}
