/** What is done to services: a row each. */
import { ago } from '../look.ts';
import { UsageError } from '../usage-error.ts';
import { followDeployment } from './parts/follow-deployment.ts';
import { databaseCalls, waiting } from './parts/database-calls.ts';
import { itemsOf } from './parts/context.ts';
import { actionWord } from './parts/rows.ts';
import { nameOf, serviceOf } from './parts/services.ts';
import { ownerOf } from './status.ts';
import { serverNamed } from './parts/servers.ts';
import type { Word } from './parts/word.ts';

const start = actionWord({
  name: 'start',
  summary: 'starts stopped services',
  calls: ['application.start', 'compose.start', 'postgres.start'],
  action: {
    application: (client, { id }) => client.application.start({ applicationId: id }, waiting),
    compose: (client, { id }) => client.compose.start({ composeId: id }, waiting),
    database: (client, service) => databaseCalls(client, service).start(),
  },
  done: 'Started',
});

const stop = actionWord({
  name: 'stop',
  summary: 'stops services; data and settings stay',
  calls: ['application.stop', 'compose.stop', 'postgres.stop'],
  action: {
    application: (client, { id }) => client.application.stop({ applicationId: id }, waiting),
    compose: (client, { id }) => client.compose.stop({ composeId: id }, waiting),
    database: (client, service) => databaseCalls(client, service).stop(),
  },
  done: 'Stopped',
});

const restart = actionWord({
  name: 'restart',
  summary: 'restarts services with their current settings',
  description:
    'Restarts with the current settings and variables, without a build: an application task by task.',
  calls: ['application.reload', 'postgres.reload'],
  action: {
    application: (client, { id, appName }) =>
      client.application.reload({ applicationId: id, appName }, waiting),
    database: (client, service) => databaseCalls(client, service).reload(service.appName),
  },
  done: 'Restarted',
  instead: '`berth redeploy` brings its services up again.',
});

const scale: Word = {
  name: 'scale',
  usage: '[service] NUMBER',
  summary: 'sets the number of replicas',
  most: 2,
  calls: ['project.all', 'application.scale'],
  async run(context) {
    const { client } = await context.berth();
    const [name, text] = context.args.length > 1 ? context.args : [undefined, context.args[0]];
    const replicas = Number(text);
    if (text === undefined || !Number.isInteger(replicas) || replicas < 0)
      throw new UsageError(
        text === undefined
          ? 'How many replicas? Usage: berth scale [service] NUMBER'
          : `"${text}" is not a number of replicas; give 0 or more. Usage: berth scale [service] NUMBER`,
      );
    const service = await serviceOf(context, name);
    if (service.kind !== 'application')
      throw new UsageError(`${nameOf(service)} is a ${service.kind} service; only applications are scaled.`);
    await client.application.scale({ applicationId: service.id, replicas }, waiting);
    context.answer(
      { service: nameOf(service), replicas },
      () => `${nameOf(service)} has ${replicas} ${replicas === 1 ? 'replica' : 'replicas'}.\n`,
    );
  },
};

/** A day: what a one-off command may take at most here. */
const runLimitMs = 24 * 3_600_000;

const run: Word = {
  name: 'run',
  usage: '[service] -- COMMAND [argument …]',
  summary: 'runs a one-off command in a new container of the current release',
  description:
    'Runs the command in a new task of the current release, prints its output when it has ended, and ends ' +
    'with its exit code.',
  most: 1,
  calls: ['project.all', 'application.run'],
  async run(context) {
    if (context.rest === undefined || context.rest.length === 0)
      throw new UsageError('Which command? Usage: berth run [service] -- COMMAND [argument …]');
    const { client } = await context.berth();
    const service = await serviceOf(context, context.args[0]);
    if (service.kind !== 'application')
      throw new UsageError(`${nameOf(service)} is a ${service.kind} service; commands run in applications.`);
    const { exitCode, error, log } = await client.application.run(
      { applicationId: service.id, command: [...context.rest] },
      { limitMs: runLimitMs, signal: context.terminal.signal },
    );
    if (context.isJson && context.is('json')) context.answer({ exitCode, error, log }, () => '');
    else
      for (const { stream, text } of log)
        (stream === 'stdout' ? context.terminal.out : context.terminal.say)(`${text}\n`);
    if (exitCode === null) context.say(error === '' ? 'The command did not start.' : error);
    return exitCode ?? 1;
  },
};

const redeploy: Word = {
  name: 'redeploy',
  usage: '[service]',
  summary: 'builds and releases the deployed source again',
  options: { 'no-wait': { description: 'does not wait for the end' } },
  most: 1,
  calls: [
    'project.all',
    'application.redeploy',
    'compose.redeploy',
    'postgres.deploy',
    'deployment.latest',
    'deployment.logs',
  ],
  async run(context) {
    const { client } = await context.berth();
    const service = await serviceOf(context, context.args[0]);
    if (service.kind === 'application') await client.application.redeploy({ applicationId: service.id });
    else if (service.kind === 'compose') await client.compose.redeploy({ composeId: service.id });
    else await databaseCalls(client, service).deploy();
    const latest = await client.deployment.latest(ownerOf(service));
    return followDeployment(context, service, latest?.deploymentId);
  },
};

const rollback: Word = {
  name: 'rollback',
  usage: '[service] [deployment]',
  summary: 'releases an earlier deployment again',
  description:
    'Releases the image of an earlier deployment with the settings it had: the last successful one before ' +
    'the current one, or one that `berth history` lists, by its id or the beginning of it.',
  options: {
    to: { value: 'DEPLOYMENT', description: 'id of the deployment, or its beginning' },
    'no-wait': { description: 'does not wait for the end' },
  },
  most: 2,
  calls: ['project.all', 'deployment.all', 'deployment.rollback', 'deployment.logs'],
  async run(context) {
    const { client } = await context.berth();
    const service = await serviceOf(context, context.args[0]);
    const to = context.text('to') ?? context.args[1];
    const deployments = itemsOf(await client.deployment.all({ ...ownerOf(service), limit: 500 }));
    const good = deployments.filter(({ status }) => status === 'done');
    const target =
      to === undefined ? good[1] : deployments.find(({ deploymentId }) => deploymentId.startsWith(to));
    if (!target)
      throw new UsageError(
        to === undefined
          ? `${nameOf(service)} has no earlier successful deployment.`
          : `${nameOf(service)} has no deployment ${to}. \`berth history ${nameOf(service)}\` lists them.`,
      );
    const when = ago(target.createdAt, context.terminal.now());
    context.say(`Going back to ${target.deploymentId}, created ${when}: ${target.title}.`);
    const { deploymentId } = await client.deployment.rollback({ deploymentId: target.deploymentId });
    return followDeployment(context, service, deploymentId);
  },
};

const move: Word = {
  name: 'move',
  usage: '[service] --to SERVER',
  summary: 'moves a service to another server',
  description:
    'Starts the running version of an application or a compose service there, points its domains to it ' +
    'once it is healthy, and removes it from its former server. A database is closed while its data is ' +
    "copied and compared; its former volume stays. SERVER is a server's name or id, or `own` for Berth's " +
    'own machine.',
  options: {
    to: { value: 'SERVER', description: 'name or id of the server, or own' },
    'no-wait': { description: 'does not wait for the end' },
  },
  most: 1,
  calls: [
    'project.all',
    'server.all',
    'application.moveToServer',
    'compose.moveToServer',
    'postgres.moveToServer',
    'deployment.logs',
  ],
  async run(context) {
    const to = context.text('to');
    if (to === undefined) throw new UsageError('Name the server: `berth move shop/web --to SERVER`.');
    const { client } = await context.berth();
    const service = await serviceOf(context, context.args[0]);
    const serverId = to === 'own' ? null : await serverNamed(client, to);
    const { id, kind } = service;
    const { deploymentId } =
      kind === 'application'
        ? await client.application.moveToServer({ applicationId: id, serverId })
        : kind === 'compose'
          ? await client.compose.moveToServer({ composeId: id, serverId })
          : await databaseCalls(client, service).moveToServer(serverId);
    if (deploymentId !== null) return followDeployment(context, service, deploymentId);
    context.say(`${nameOf(service)} has no release yet; its first one will run there.`);
    return 0;
  },
};

export const serviceWords: readonly Word[] = [redeploy, rollback, restart, stop, start, scale, run, move];
