/** From the call to the end of the deployment, of services that do next to nothing; on a real engine. */
import { berthHost, type BerthHost } from '../../test/e2e/fixtures/berth-host.ts';
import { openBed } from '../../test/bed/bed.ts';
import { installHostPackages } from '../../test/bed/host/host-packages.ts';
import { mustRun } from '../../images/command.ts';
import { amount, median, type Figure } from '../figure.ts';
import { setTimeout as sleep } from 'node:timers/promises';

const image = 'berth/node:24';
const rounds = 3;
const budgetMs = 8000;
const program = 'require("node:http").createServer((request, response) => response.end("ok")).listen(3000)';
const command = ['node', '-e', program];

/** Opens a bed of its own and closes it again. Needs root. */
export async function trivialServiceFigures(root: string, say: (text: string) => void): Promise<Figure[]> {
  await mustRun(['bash', '-c', 'root=$1; . "$root/bin/lib/machine.sh"; ensure_build', 'build', root], {
    cwd: root,
    limitMs: 300_000,
  });
  await installHostPackages(say, new AbortController().signal);
  const bed = await openBed({ name: `bench-${process.pid}`, log: say });
  try {
    const berth = await berthHost(bed, 'm1', 1);
    const { environment } = await berth.call<{ environment: { environmentId: string } }>('project.create', {
      name: 'trivial',
    });
    const figures = [];
    for (const kind of kinds) figures.push(await figureOf(berth, environment.environmentId, kind, say));
    await berth.stop();
    return figures;
  } finally {
    await bed.close();
  }
}

/** A service of its kind for each first deployment; resolves to the procedure that deploys it and its id. */
interface Kind {
  name: string;
  prepare(berth: BerthHost, environmentId: string, name: string): Promise<Subject>;
}

interface Subject {
  deploy: 'application.deploy' | 'compose.deploy';
  subject: Record<string, string>;
}

const kinds: readonly Kind[] = [
  { name: 'an application from an image, with a domain', prepare: (...on) => application(true, ...on) },
  { name: 'an application from an image, without a domain', prepare: (...on) => application(false, ...on) },
  { name: 'a compose service with a domain', prepare: (...on) => compose(true, ...on) },
  { name: 'a compose service without ports', prepare: (...on) => compose(false, ...on) },
];

async function application(
  hasDomain: boolean,
  berth: BerthHost,
  environmentId: string,
  name: string,
): Promise<Subject> {
  const { applicationId } = await berth.call<{ applicationId: string }>('application.create', {
    name,
    environmentId,
  });
  const subject = { applicationId };
  const source = { sourceType: 'container', containerImage: image, command: 'node', args: command.slice(1) };
  await berth.call('application.update', { ...subject, ...source });
  if (hasDomain) await routed(berth, { ...subject, host: `${name}.localhost`, port: 3000 });
  return { deploy: 'application.deploy', subject };
}

async function compose(
  hasDomain: boolean,
  berth: BerthHost,
  environmentId: string,
  name: string,
): Promise<Subject> {
  const { composeId } = await berth.call<{ composeId: string }>('compose.create', { name, environmentId });
  const subject = { composeId };
  const composeFile = `services:\n  web:\n    image: ${image}\n    command: ${JSON.stringify(command)}\n`;
  await berth.call('compose.update', { ...subject, sourceType: 'raw', composeFile });
  const route = { domainType: 'compose', serviceName: 'web', host: `${name}.localhost`, port: 3000 };
  if (hasDomain) await routed(berth, { ...subject, ...route });
  return { deploy: 'compose.deploy', subject };
}

/** Berth starts the proxy after it answers itself. */
async function routed(berth: BerthHost, input: Record<string, unknown>): Promise<void> {
  for (let left = 60; ; left -= 1) {
    const { status, body } = await berth.ask('domain.create', input);
    if (status === 200) return;
    if (left === 0) throw new Error(`The domain could not be made: ${JSON.stringify(body)}`);
    await sleep(500);
  }
}

async function figureOf(
  berth: BerthHost,
  environmentId: string,
  { name, prepare }: Kind,
  say: (text: string) => void,
): Promise<Figure> {
  const first: number[] = [];
  const again: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const subject = await prepare(berth, environmentId, `t${kindCount()}`);
    first.push(await timed(berth, subject, say));
    again.push(await timed(berth, subject, say));
  }
  const ms = median(first);
  return {
    name: `from deploy to done: ${name}`,
    kind: 'absolute',
    measured: `${amount(ms / 1000, 's')}; again ${amount(median(again) / 1000, 's')}`,
    baseline: '–',
    budget: `≤ ${budgetMs / 1000} s`,
    isKept: ms <= budgetMs,
  };
}

let made = 0;
const kindCount = (): number => (made += 1);

async function timed(berth: BerthHost, { deploy, subject }: Subject, say: (text: string) => void) {
  const began = Date.now();
  await berth.call(deploy, subject);
  for (;;) {
    const { deploymentId, status, errorMessage, finishedAt } = await berth.call<DeploymentView>(
      'deployment.latest',
      subject,
    );
    if (status === 'done' && finishedAt !== null) {
      say((await berth.log(deploymentId)).filter((line) => line.includes(' took ')).join(''));
      return Date.parse(finishedAt) - began;
    }
    if (status !== 'queued' && status !== 'running')
      throw new Error(`${errorMessage ?? ''}\n${(await berth.log(deploymentId)).join('\n')}`);
    await sleep(100);
  }
}

interface DeploymentView {
  deploymentId: string;
  status: string;
  errorMessage: string | null;
  finishedAt: string | null;
}
