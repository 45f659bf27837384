/**
 * A command is a value: an argument vector, a folder and an environment made from nothing. It is never text
 * for a shell.
 */
import { AppError } from '../domain/errors.ts';
import { Secret } from '../domain/secrets/secret.ts';

export interface Command {
  /**
   * Program (absolute path, or a name found in `standardPath`) and its arguments. The type keeps secrets out:
   * any process can read another's arguments.
   */
  readonly argv: readonly [program: string, ...args: string[]];
  /** Absolute folder the command runs in. */
  readonly cwd: string;
  /** What the command gets beside PATH, HOME, LANG and the machine's certificate settings. */
  readonly env: Readonly<Record<string, string | Secret>>;
}

export const standardPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * Where a machine keeps its own certificate authorities; without them https fails behind a company's
 * inspecting proxy.
 */
const certificateVariables = [
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'NODE_EXTRA_CA_CERTS',
  'GIT_SSL_CAINFO',
  'GIT_SSL_CAPATH',
  'CURL_CA_BUNDLE',
  'REQUESTS_CA_BUNDLE',
] as const;

/**
 * Makes a command; throws BAD_REQUEST when an argument or a variable holds a NUL character or a variable's
 * name is none.
 */
export function command(
  argv: readonly [string, ...string[]],
  options: { cwd: string; env?: Record<string, string | Secret> },
): Command {
  const env = options.env ?? {};
  const parts = [
    ...argv,
    options.cwd,
    ...Object.values(env).map((value) => (value instanceof Secret ? value.reveal() : value)),
  ];
  if (parts.some((part) => part.includes('\0')))
    throw new AppError(
      'BAD_REQUEST',
      `A value given to ${programOf(argv[0])} contains a NUL character; remove it.`,
    );
  const bad = Object.keys(env).find((name) => !/^[^=\0]+$/.test(name));
  if (bad !== undefined)
    throw new AppError(
      'BAD_REQUEST',
      `"${bad.slice(0, 100)}" cannot be the name of a variable; use letters, digits and "_".`,
    );
  return { argv, cwd: options.cwd, env };
}

/**
 * The whole environment of the child; the only place where secrets are taken out of their wrapping. `machine`
 * is the environment of this process: nothing but the certificate settings is taken from it, so that Berth's
 * own settings and keys reach no child. HOME is the command's folder unless given.
 */
export function childEnvironment(
  given: Command,
  machine: Record<string, string | undefined>,
): Record<string, string> {
  const environment: Record<string, string> = { PATH: standardPath, HOME: given.cwd, LANG: 'C.UTF-8' };
  for (const name of certificateVariables) {
    const value = machine[name];
    if (value !== undefined && value !== '') environment[name] = value;
  }
  for (const [name, value] of Object.entries(given.env))
    environment[name] = value instanceof Secret ? value.reveal() : value;
  return environment;
}

/** The program's name as people know it, for sentences. */
export function programOf(program: string): string {
  return program.slice(program.lastIndexOf('/') + 1);
}
