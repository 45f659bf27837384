/** A deployment from its beginning to its end: the log by stages with times, then what became of it. */
import { BerthError } from '../../../client/berth-error.ts';
import type { Client } from '../../../client/client.ts';
import { exitCodes } from '../../exit-codes.ts';
import { duration, statusWord } from '../../look.ts';
import { printableLine } from '../../output/printable.ts';
import { UsageError } from '../../usage-error.ts';
import type { Context } from './context.ts';
import { isDatabase, nameOf, type Service } from './services.ts';

/** How the log of a deployment begins a stage (deploy/attempt.ts), and what stands before each line. */
const stageMark = /^── /;
const timeOfLine = /^\d{4}-\d\d-\d\dT[\d:.]+Z /;

/**
 * Shows the log on the error output as it comes, then the address on the other; gives the exit code: 0 when
 * it was deployed. With `--no-wait` it ends at once. An interruption here leaves the deployment alone.
 */
export function followDeployment(
  context: Context,
  service: Service,
  deploymentId: string | undefined,
  commit?: string,
): Promise<number> {
  return follow(context, followedOf(service), { deploymentId, commit });
}

/** What is deployed, as the answer names it. */
export interface Followed {
  name: string;
  /** Where it answers. */
  url(client: Client): Promise<string | undefined>;
  /** What to do where it has no address; undefined where it needs none. */
  without?: string;
}

const followedOf = (service: Service): Followed => ({
  name: nameOf(service),
  url: (client) => addressOf(client, service),
  ...(isDatabase(service) ? {} : { without: '`berth domains add HOST` gives it one.' }),
});

export async function follow(
  context: Context,
  { name, url: urlNow, without }: Followed,
  { deploymentId, commit }: { deploymentId: string | undefined; commit?: string | undefined },
): Promise<number> {
  const { client } = await context.berth();
  if (deploymentId === undefined) throw new UsageError(`${name} has no deployment yet.`);
  if (context.is('no-wait')) {
    const queued = { service: name, deploymentId, status: 'queued' };
    context.answer(queued, () => `Queued: ${deploymentId}.\n`);
    return exitCodes.done;
  }
  const began = context.terminal.now();
  const lastLine = await showLog(context, client, deploymentId);
  const deployment = await client.deployment.one({ deploymentId });
  const url = await urlNow(client);
  const isAsked = commit === undefined || isSameCommit(deployment.commit, commit);
  const answer = {
    service: name,
    deploymentId,
    status: deployment.status,
    commit: deployment.commit,
    image: deployment.image,
    errorMessage: deployment.errorMessage,
    url: url ?? null,
  };
  const isGood = deployment.status === 'done' && isAsked;
  const took = duration(context.terminal.now() - began);
  if (isGood) {
    if (deployment.errorMessage !== null) context.say(deployment.errorMessage, 'red');
    context.say(`Deployed ${name} in ${took}.`, 'green');
  } else if (!isAsked)
    context.say(
      `The commit ${commit ?? ''} was asked for, but ${deployment.commit ?? 'none'} was deployed: the ` +
        'branch has moved on. Run it again for that commit.',
    );
  // The log ends with the reason; it is told again only where the log could not be read, or says less.
  else if (
    deployment.errorMessage === null ||
    !lastLine.includes(printableLine(deployment.errorMessage, false))
  )
    context.say(`${statusWord(deployment.status)}: ${deployment.errorMessage ?? 'the log above says why.'}`);
  context.answer(answer, () => (isGood && url !== undefined ? `${url}\n` : ''));
  if (isGood && url === undefined && !context.isJson && without !== undefined)
    context.say(`It has no address yet: ${without}`);
  return isGood ? exitCodes.done : exitCodes.refused;
}

/** Sources that are uploaded, and images, have no commit; nothing is said against those. */
function isSameCommit(deployed: string | null, asked: string): boolean {
  return deployed === null || deployed.startsWith(asked) || asked.startsWith(deployed);
}

/** Gives the last line that it showed. */
async function showLog(context: Context, client: Client, deploymentId: string): Promise<string> {
  const { terminal, look } = context;
  let last = '';
  try {
    for await (const { data } of client.deployment.logs({ deploymentId }, { signal: terminal.signal })) {
      if (data.type !== 'line') continue;
      const line = printableLine(data.text, false).replace(timeOfLine, '');
      last = line;
      terminal.say(stageMark.test(line) ? `${look('bold', line)}\n` : `${look('dim', line)}\n`);
    }
  } catch (error) {
    if (terminal.signal.aborted) terminal.say('The deployment continues; `berth status` shows it.\n');
    if (!(error instanceof BerthError) || error.code === 'UNREACHABLE') throw error;
    // Whoever may deploy need not be allowed to read; how it ended is asked for all the same.
    context.say(error.message);
  }
  return last;
}

/** Where a service answers: its first domain; undefined without one, and for databases. */
export async function addressOf(client: Client, service: Service): Promise<string | undefined> {
  if (isDatabase(service)) return undefined;
  const { domains } =
    service.kind === 'compose'
      ? await client.compose.one({ composeId: service.id })
      : await client.application.one({ applicationId: service.id });
  const first = domains.at(-1);
  return first && urlOf(first);
}

export function urlOf({ https, host, path }: { https: boolean; host: string; path: string }): string {
  return `${https ? 'https' : 'http'}://${host}${path === '/' ? '' : path}`;
}
