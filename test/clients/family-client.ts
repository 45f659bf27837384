/** The command line that another server of the family publishes, unmodified, against the mount of ours. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const program = join(import.meta.dirname, '../../node_modules/@dokploy/cli/dist/index.js');
const run = promisify(execFile);

/** Gives what it printed as JSON; throws with what it said when it ends with a fault. */
export type FamilyClient = (
  command: string,
  options: Readonly<Record<string, string | true>>,
) => Promise<unknown>;

/** `url`: of Berth; `folder`: where it is started, since it reads a `.env` there. */
export function familyClient(url: string, apiKey: string, folder: string): FamilyClient {
  return async (command, options) => {
    const given = Object.entries(options).flatMap(([name, value]) =>
      value === true ? [`--${name}`] : [`--${name}`, value],
    );
    const { stdout } = await run(process.execPath, [program, ...command.split(' '), ...given, '--json'], {
      cwd: folder,
      env: { PATH: process.env['PATH'], DOKPLOY_URL: `${url}/compat`, DOKPLOY_API_KEY: apiKey },
      timeout: 60_000,
    });
    return JSON.parse(stdout);
  };
}
