/** Builds of attackers, and what they print. */
import { growingPause } from '../../bed/machine/pauses.ts';
import { valueOf } from '../../e2e/fixtures/caller.ts';
import { fieldOf } from '../../e2e/fixtures/one-of-everything.ts';
import { textOf } from '../../http/interface-client.ts';
import type { Outcome } from './rows.ts';
import { newName } from './deployments.ts';
import type { Party } from './fixture.ts';

export interface Built {
  log: string;
  image: string;
}

export interface BuildOptions {
  /** The application stays, and its image with it. */
  keeps?: boolean;
  buildArgs?: string;
  /** Berth's own machine when absent. */
  buildServerId?: string;
}

/** In a step's output, and nowhere in a Dockerfile as it is written here. */
export const loot = 'nobody-elses-affair';
export const base = 'FROM berth/node:24\n';
export const sleeping = 'CMD ["sleep", "600"]\n';

/** Builds an application of the party from this Dockerfile; gives its log, whatever came of it. */
export async function built(
  party: Party,
  dockerfile: string,
  { keeps = false, buildArgs = '', buildServerId }: BuildOptions = {},
): Promise<Built> {
  const name = newName();
  const { owner, environmentId } = party;
  const made = await valueOf(owner('application.create', { name, appName: name, environmentId }));
  const applicationId = textOf(made, 'applicationId');
  await valueOf(owner('application.saveBuildType', { applicationId, buildType: 'dockerfile' }));
  if (buildServerId !== undefined)
    await valueOf(owner('application.update', { applicationId, buildServerId }));
  if (buildArgs !== '')
    await valueOf(owner('application.saveEnvironment', { applicationId, env: '', buildArgs }));
  await valueOf(owner('application.dropDeployment', { applicationId }, 'b', { Dockerfile: dockerfile }));
  const pause = growingPause();
  for (const end = Date.now() + 240_000; Date.now() < end; await pause()) {
    const all = await valueOf(owner('deployment.all', { applicationId }));
    const newest: unknown = Array.isArray(all) ? all[0] : undefined;
    if (newest === undefined) continue;
    const image = fieldOf(newest, 'image');
    const hasEnded = !['queued', 'running'].includes(textOf(newest, 'status'));
    if (!hasEnded && typeof image !== 'string') continue;
    const deploymentId = textOf(newest, 'deploymentId');
    const lines = await valueOf(owner('deployment.readLogs', { deploymentId }));
    // The next build needs its place; deleting takes the images too.
    if (!keeps) await owner('application.delete', { applicationId });
    return {
      log: Array.isArray(lines) ? lines.join('\n') : '',
      image: typeof image === 'string' ? image : '',
    };
  }
  throw new Error(`The deployment of ${name} did not end.`);
}

/** Whether the build printed the loot. */
export async function looted(party: Party, dockerfile: string, options?: BuildOptions): Promise<Outcome> {
  const { log } = await built(party, `${dockerfile}${sleeping}`, options);
  const printed = log.split('\n').filter((line) => /#\d+ \d+\.\d+ /.test(line));
  const last = log.split('\n').findLast((line) => line.trim() !== '') ?? '';
  return printed.some((line) => line.includes(loot))
    ? { succeeded: true, said: loot }
    : { succeeded: false, said: last };
}

export const fetching = (url: string): string =>
  `${base}RUN node -e "fetch('${url}', { signal: AbortSignal.timeout(15000) }).then((a) => a.text())` +
  `.then(console.log)"\n`;

/**
 * A step that sends to a port by each of these addresses, whatever listens there, and prints
 * `has-knocked-2` at its end.
 */
export function knocking(hosts: readonly string[], protocol: 'tcp' | 'udp', port: number): string {
  const all = JSON.stringify(hosts);
  const send =
    protocol === 'tcp'
      ? `for (const h of ${all}) require('net').connect(${port}, h, function () ` +
        "{ this.end('berth') }).on('error', () => {}).unref()"
      : `const s = require('dgram').createSocket('udp4'); for (const h of ${all}) ` +
        `s.send('berth', ${port}, h, () => {})`;
  return (
    `RUN echo '${Buffer.from(send).toString('base64')}' | base64 -d > /knock.cjs && ` +
    'timeout 5 node /knock.cjs; sleep 1; echo has-knocked-$((1+1))\n'
  );
}
