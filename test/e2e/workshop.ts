/** Applications on a running Berth as a person would make, deploy and look at them. */
import { expect } from 'vitest';
import type { BedHost } from '../bed/host.ts';
import { growingPause } from '../bed/pauses.ts';
import type { ApplicationView, BerthHost, DeploymentView } from './berth-host.ts';
import { createRepository, repositoriesFolder, type Files, type Repository } from './repository.ts';

export const docker = '/usr/bin/docker';

/** Finds out about a listener a second after it is there, and gives up after a few. */
export const quickCheck = { interval: 1, timeout: 2, retries: 2, startPeriod: 3 };

export interface Workshop {
  readonly berth: BerthHost;
  readonly environmentId: string;
  /** An application with the domain `<name>.localhost`. */
  application(name: string, options?: ApplicationOptions): Promise<App>;
  /** An application that is built from a new repository with these files. */
  fromFiles(
    name: string,
    files: Files,
    options?: ApplicationOptions,
  ): Promise<App & { repository: Repository }>;
  /** One that runs an image of the server. */
  fromImage(name: string, command: string, options?: ApplicationOptions): Promise<App>;
}

export interface ApplicationOptions {
  /** Port of the container that the domain leads to. */
  port?: number;
  settings?: Record<string, unknown>;
}

export interface App {
  readonly id: string;
  readonly appName: string;
  readonly host: string;
  /** Calls a procedure with the application's id. */
  do<T = Record<string, unknown>>(procedure: string, input?: Record<string, unknown>): Promise<T>;
  view(): Promise<ApplicationView>;
  /** Begins a deployment and gives its id. */
  begin(procedure?: 'deploy' | 'redeploy', title?: string): Promise<string>;
  /** Deploys and waits for the end, which must be `done`. */
  deploy(procedure?: 'deploy' | 'redeploy'): Promise<DeploymentView>;
  /** Waits for the end of a deployment, whatever it is. */
  ended(deploymentId: string, limitMs?: number): Promise<DeploymentView>;
  /** The deployment's log as one text. */
  log(deploymentId: string): Promise<string>;
  /** What its address answers. */
  answer(path?: string): Promise<{ status: number; body: string }>;
  /** The answer of `nodeServer`. */
  state(): Promise<{ version: string; host: string; env: Record<string, string> }>;
}

const ends = new Set(['done', 'error', 'cancelled']);

/** Makes the project and lets Berth take repositories from the host's folder. */
export async function openWorkshop(
  berth: BerthHost,
  settings: Record<string, unknown> = {},
): Promise<Workshop> {
  await berth.call('settings.update', { localRepositoryPaths: [repositoriesFolder], ...settings });
  const { environment } = await berth.call<{ environment: { environmentId: string } }>('project.create', {
    name: 'Shop',
  });
  const { environmentId } = environment;

  async function application(
    name: string,
    { port = 3000, settings: own = {} }: ApplicationOptions = {},
  ): Promise<App> {
    const { applicationId, appName } = await berth.call<{ applicationId: string; appName: string }>(
      'application.create',
      { name, environmentId, appName: name },
    );
    await berth.call('application.update', { applicationId, healthCheck: quickCheck, ...own });
    await berth.call('domain.create', { applicationId, host: `${name}.localhost`, port });
    return appOf(berth, { id: applicationId, appName, host: `${name}.localhost` });
  }
  return {
    berth,
    environmentId,
    application,
    async fromFiles(name, files, options) {
      const [app, repository] = await Promise.all([
        application(name, options),
        createRepository(berth.host, name, files),
      ]);
      await app.do('application.saveGitProvider', { customGitUrl: repository.url, customGitBranch: 'main' });
      await app.do('application.saveBuildType', { buildType: 'dockerfile' });
      return Object.assign(app, { repository });
    },
    async fromImage(name, command, options) {
      const app = await application(name, options);
      await app.do('application.saveContainerProvider', { containerImage: 'berth/node:24' });
      await app.do('application.update', { command });
      return app;
    },
  };
}

function appOf(berth: BerthHost, identity: { id: string; appName: string; host: string }): App {
  const { id, host } = identity;
  const app: App = {
    ...identity,
    do: (procedure, input = {}) => berth.call(procedure, { applicationId: id, ...input }),
    view: () => berth.call<ApplicationView>('application.one', { applicationId: id }),
    async begin(procedure = 'deploy', title) {
      await app.do(`application.${procedure}`, title === undefined ? {} : { title });
      return (await berth.call<DeploymentView>('deployment.latest', { applicationId: id })).deploymentId;
    },
    async deploy(procedure) {
      const deployment = await app.ended(await app.begin(procedure));
      if (deployment.status !== 'done')
        throw new Error(
          `${identity.appName}: ` +
            `${deployment.errorMessage ?? deployment.status}\n${await app.log(deployment.deploymentId)}`,
        );
      return deployment;
    },
    ended: (deploymentId, limitMs) => deploymentEnded(berth, identity.appName, deploymentId, limitMs),
    log: async (deploymentId) => (await berth.log(deploymentId)).join('\n'),
    answer: (path) => berth.proxied(host, path),
    async state() {
      const { status, body } = await app.answer();
      if (status !== 200) throw new Error(`${host} answered ${status}: ${body}`);
      return JSON.parse(body);
    },
  };
  return app;
}

/** Waits for the end of a deployment of whatever service, whatever end it is. */
export async function deploymentEnded(
  berth: BerthHost,
  name: string,
  deploymentId: string,
  limitMs = 120_000,
): Promise<DeploymentView> {
  const end = Date.now() + limitMs;
  const pause = growingPause();
  for (;;) {
    const deployment = await berth.call<DeploymentView & Record<string, unknown>>('deployment.one', {
      deploymentId,
    });
    if (ends.has(deployment.status)) return deployment;
    if (Date.now() > end)
      throw new Error(
        `${name} is still in the stage ${deployment.stage}\n${(await berth.log(deploymentId)).join('\n')}`,
      );
    await pause();
  }
}

export function newest(view: ApplicationView): DeploymentView {
  const [deployment] = view.deployments;
  if (deployment === undefined) throw new Error('There is no deployment.');
  return deployment;
}

/** Waits until the look gives something true, with pauses of at most `longestPauseMs` (of `growingPause`). */
export async function until<T>(
  what: string,
  look: () => Promise<T>,
  limitMs = 30_000,
  longestPauseMs?: number,
): Promise<T> {
  const end = Date.now() + limitMs;
  const pause = growingPause(longestPauseMs);
  for (;;) {
    const seen = await look();
    if (seen) return seen;
    if (Date.now() > end) throw new Error(`Waited ${limitMs / 1000} s in vain until ${what}.`);
    await pause();
  }
}

/**
 * Berth met nothing that it did not expect; `sentences` of the reconciler, where nobody changed anything by
 * hand, must not stand in its log either.
 */
export async function expectCalmLog(
  { host }: BerthHost,
  sentences: readonly string[] = ['put it back', 'was gone', 'could not be put right'],
): Promise<void> {
  const log = await output(host, 'sh', '-c', 'cat /run/bed/berth-*.log');
  const unexpected = log
    .split('\n')
    .filter(
      (line) =>
        line.includes('Something went wrong') || sentences.some((sentence) => line.includes(sentence)),
    );
  expect(unexpected).toEqual([]);
}

/** Output of a program on the host, which must end well. */
export async function output(host: BedHost, ...argv: [string, ...string[]]): Promise<string> {
  const { code, stdout, stderr } = await host.exec(argv);
  if (code !== 0) throw new Error(`${argv.join(' ')} ended with ${code}: ${stderr}`);
  return stdout.trim();
}
