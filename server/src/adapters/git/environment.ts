/**
 * The private folder and the environment one git run gets: nothing of the machine's, the user's or Berth's
 * own git settings.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { badField } from '../../domain/errors.ts';
import type { GitUrl } from '../../domain/git/git-source.ts';
import type { Secret } from '../../domain/secrets/secret.ts';
import { sshConfig, type SshPin } from './ssh-config.ts';
import { privateKeyText } from './private-key.ts';

export interface GitEnvironment extends AsyncDisposable {
  /** Folder of this run, 0700; removed when the run is over. */
  scratchDirectory: string;
  env: Record<string, string | Secret>;
  /** From now on ssh connects to these hosts, at these addresses, and to no other. */
  pinHosts(pins: readonly SshPin[]): Promise<void>;
}

export interface GitAccess {
  credentials?: { username: string; password: Secret } | undefined;
  sshKey?: Secret | undefined;
}

/**
 * Lays out the folder: git's settings, and the key as a file that only we can read. Throws as
 * `privateKeyText`, and BAD_REQUEST for credentials of several lines.
 */
export async function createGitEnvironment(
  source: GitUrl,
  access: GitAccess,
  paths: { scratchRoot: string; knownHostsPath: string; proxy: Secret },
): Promise<GitEnvironment> {
  const scratchDirectory = join(paths.scratchRoot, `git-${randomBytes(8).toString('hex')}`);
  if (
    access.credentials !== undefined &&
    /[\r\n\0]/.test(access.credentials.username + access.credentials.password.reveal())
  ) {
    throw badField('password', 'user and password must not contain line breaks or NUL characters');
  }
  const key = access.sshKey === undefined ? undefined : privateKeyText(access.sshKey);
  await mkdir(scratchDirectory, { recursive: true, mode: 0o700 });
  const file = (name: string) => join(scratchDirectory, name);
  const env: Record<string, string | Secret> = {
    HOME: scratchDirectory,
    XDG_CONFIG_HOME: scratchDirectory,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: file('gitconfig'),
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '/bin/false',
    SSH_ASKPASS: '/bin/false',
    GIT_SSH_VARIANT: 'ssh',
    GIT_SSH_COMMAND: sshCommand,
    // "none": then ssh takes no other key either, neither the user's nor an agent's.
    BERTH_GIT_KEY: key === undefined ? 'none' : file('key'),
    BERTH_GIT_SSH_CONFIG: file('ssh_config'),
    BERTH_GIT_KNOWN_HOSTS: paths.knownHostsPath,
    GIT_LFS_SKIP_SMUDGE: '1',
  };
  await writeFile(file('ssh_config'), sshConfig([]), { mode: 0o600 });
  await writeFile(file('gitconfig'), gitConfig(source, access.credentials !== undefined, paths.proxy), {
    mode: 0o600,
  });
  if (key !== undefined) await writeFile(file('key'), key, { mode: 0o600 });
  if (isWeb(source) && access.credentials !== undefined) {
    env['BERTH_GIT_USERNAME'] = access.credentials.username;
    env['BERTH_GIT_PASSWORD'] = access.credentials.password;
  }
  return {
    scratchDirectory,
    env,
    pinHosts: (pins) => writeFile(file('ssh_config'), sshConfig(pins), { mode: 0o600 }),
    [Symbol.asyncDispose]: () => rm(scratchDirectory, { recursive: true, force: true }),
  };
}

/** Fixed text: a shell reads it, so that nothing a user gave may stand in it. */
const sshCommand = [
  'exec ssh -F "$BERTH_GIT_SSH_CONFIG"',
  '-o BatchMode=yes -o IdentitiesOnly=yes -o IdentityAgent=none -o PreferredAuthentications=publickey',
  '-o IdentityFile="\\"$BERTH_GIT_KEY\\""',
  '-o StrictHostKeyChecking=accept-new -o UserKnownHostsFile="\\"$BERTH_GIT_KNOWN_HOSTS\\"" -o ' +
    'GlobalKnownHostsFile=/dev/null -o UpdateHostKeys=no',
  '-o ConnectTimeout=20 -o ServerAliveInterval=15 -o ServerAliveCountMax=4 -o ControlPath=none -o ' +
    'ClearAllForwardings=yes -o LogLevel=ERROR',
].join(' ');

/** Fixed text again; git appends the operation ("get", "store", "erase"). */
const credentialHelper =
  `!f() { test \\"$1\\" = get || exit 0; printf 'username=%s\\\\npassword=%s\\\\n' ` +
  `\\"$BERTH_GIT_USERNAME\\" \\"$BERTH_GIT_PASSWORD\\"; }; f`;

/**
 * Settings of one run. The password is offered to the source's own host only, so that neither a redirect nor
 * a submodule can ask for it. Everything by https and http goes through `proxy`.
 */
export function gitConfig(source: GitUrl, hasCredentials: boolean, proxy: Secret): string {
  const local = source.protocol === 'file';
  const lines = [
    '[core]\n hooksPath = /dev/null\n fsmonitor = false\n symlinks = true\n askPass = /bin/false',
    '[protocol]\n allow = never',
    '[protocol "https"]\n allow = always',
    '[protocol "ssh"]\n allow = always',
    '[credential]\n helper =',
    // What comes is kept as it was packed, however little it is: by itself git would write each object anew,
    // compressed again.
    '[fetch]\n unpackLimit = 1',
    '[gc]\n auto = 0',
    '[maintenance]\n auto = false',
    '[advice]\n detachedHead = false',
    '[init]\n defaultBranch = berth',
    '[submodule]\n recurse = false',
    '[safe]\n bareRepository = explicit',
    '[http]\n lowSpeedLimit = 1\n lowSpeedTime = 60',
    ` proxy = ${proxy.reveal()}\n proxyAuthMethod = basic`,
  ];
  // Neither a redirect nor a submodule makes an encrypted source a plain one.
  if (source.protocol === 'http') lines.push('[protocol "http"]\n allow = always');
  // A repository on this server may belong to another user.
  if (local) lines.push('[safe]\n directory = *');
  if (isWeb(source) && hasCredentials)
    lines.push(`[credential "${source.protocol}://${source.host}"]\n helper = "${credentialHelper}"`);
  return `${lines.join('\n')}\n`;
}

function isWeb({ protocol }: GitUrl): boolean {
  return protocol === 'https' || protocol === 'http';
}
