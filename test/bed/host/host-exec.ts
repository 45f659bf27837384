import { join } from 'node:path';
import { runCommand, type Argv, type CommandOptions, type CommandResult } from '../../../images/command.ts';
import { launch } from './host-process.ts';
import type { HostRecord } from './host-record.ts';
import { hostFolder, scriptFolder } from '../layout.ts';
import type { ProcessIdentity } from '../machine/process-identity.ts';

/**
 * Variables by which the machine tells programs where its CA certificates are; the hosts share the
 * certificates.
 */
const certificateVariables = [
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'GIT_SSL_CAINFO',
  'CURL_CA_BUNDLE',
];

/**
 * Runs a program inside the host as root, with an environment of its own: PATH, HOME, LANG and what `env`
 * adds.
 */
export function execInside(record: HostRecord, argv: Argv, options: CommandOptions): Promise<CommandResult> {
  return runCommand(argvInside(record, argv, options), { ...options, cwd: undefined, env: undefined });
}

/**
 * Starts a program inside the host that goes on by itself; its output goes to `<name>.log` below the host's
 * /run/bed.
 */
export function launchInside(record: HostRecord, name: string, argv: Argv): Promise<ProcessIdentity> {
  const log = join(hostFolder(record.bed, record.name), 'run', `${name}.log`);
  return launch(argvInside(record, argv, {}), log, process.env);
}

function argvInside(
  record: HostRecord,
  argv: Argv,
  options: { env?: NodeJS.ProcessEnv | undefined; cwd?: string | undefined },
): Argv {
  if (record.init === null) throw new Error(`Host ${record.name} is stopped.`);
  return [
    'sh',
    join(scriptFolder, 'enter.sh'),
    ...record.joinFolders,
    '--',
    'nsenter',
    `--target=${record.init.pid}`,
    '--mount',
    '--uts',
    '--ipc',
    '--net',
    '--pid',
    '--cgroup',
    '--',
    'env',
    '--ignore-environment',
    `--chdir=${options.cwd ?? '/root'}`,
    ...environment(options.env),
    ...argv,
  ];
}

function environment(own: NodeJS.ProcessEnv = {}): string[] {
  const all: NodeJS.ProcessEnv = {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: '/root',
    LANG: 'C.UTF-8',
  };
  for (const name of certificateVariables) all[name] = process.env[name];
  return Object.entries({ ...all, ...own }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${value}`],
  );
}
