/** A bed host that runs the compiled Berth beside an engine of its own, and the calls a person would make. */
import { sentenceOf } from '../../server/src/domain/errors.ts';
import { firstSignUpFile, firstSignUpHash } from '../../server/src/domain/first-sign-up.ts';
import { nodeFlags } from '../../server/src/domain/node-flags.ts';
import { request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { Bed } from '../bed/bed.ts';
import type { BedHost } from '../bed/host.ts';
import { compiled } from '../bed/layout.ts';
import { growingPause } from '../bed/pauses.ts';
import { processesOf } from '../bed/processes.ts';

/**
 * Where an overlay host sees the checkout under test, wherever that is on the machine (a host's /tmp, for
 * one, is its own).
 */
export const project = '/opt/project';
export const nodePath = `${project}/node_modules/.bin/node`;
const entry = `${project}/dist/server/src/main.js`;
export const data = '/var/lib/docker/berth-data';
const port = 3000;
/** A busy machine answers long before. */
const answerLimitMs = 120_000;

export interface Answer {
  status: number;
  body: unknown;
}

export interface BerthHost {
  readonly host: BedHost;
  readonly url: string;
  /**
   * Starts Berth and waits until it answers; with variables besides the usual ones, or as another program
   * composes it.
   */
  start(env?: Record<string, string>, otherProgram?: string): Promise<void>;
  /** Ends Berth as a crash would. */
  kill(): Promise<void>;
  /** Ends Berth in good order. */
  stop(): Promise<void>;
  /** Calls a procedure (form B) with the owner's key; throws on anything but 200. */
  call<T = Record<string, unknown>>(procedure: string, input?: Record<string, unknown>): Promise<T>;
  /** Headers of a call with the owner's key. */
  signed(): Record<string, string>;
  /** The same, giving status and body whatever they are. */
  ask(procedure: string, input?: Record<string, unknown>, headers?: Record<string, string>): Promise<Answer>;
  /** A request through the proxy. */
  proxied(
    hostName: string,
    path?: string,
  ): Promise<{ status: number; body: string; headers: Record<string, unknown> }>;
  /** Waits until the application has no deployment under way and gives it. */
  settled(applicationId: string, limitMs?: number): Promise<ApplicationView>;
  log(deploymentId: string): Promise<string[]>;
  ownLog(): Promise<string>;
}

export interface DeploymentView {
  deploymentId: string;
  status: string;
  stage: string;
  errorMessage: string | null;
  commit: string | null;
  image: string | null;
  startedAt: string | null;
  healthyAt: string | null;
  finishedAt: string | null;
  title: string;
}

export interface ApplicationView {
  applicationId: string;
  appName: string;
  applicationStatus: string;
  environmentId: string;
  pendingChanges: string[];
  live: object | null;
  deployments: DeploymentView[];
}

const queries =
  /\.(one|all|latest|members|validate|security|metrics|builders|get|by[A-Z]\w*|requests|accessLog|readLogs|logs|listFiles|runs\w*|runLogs|loadServices|get[A-Z]\w*|repositories|branches)$/;

/** Makes the host with its swarm and starts Berth in it. The owner is signed up and has a key. */
export async function berthHost(
  bed: Bed,
  name: string,
  index: number,
  env: Record<string, string> = {},
  { program = entry, sees = [] }: { program?: string; sees?: readonly string[] } = {},
): Promise<BerthHost> {
  const host = await bed.host(name, { index, engine: true, images: true, sshd: true, sees });
  const swarm = await host.exec(['/usr/bin/docker', 'swarm', 'init', '--advertise-addr', host.ip]);
  if (swarm.code !== 0) throw new Error(`The swarm could not be made: ${swarm.stderr}`);
  await host.exec(['mkdir', '-p', `${data}/probe`]);
  await host.exec(['cp', '/bin/busybox', `${data}/probe/busybox`]);
  const berth = client(host, program, env);
  await berth.start();
  return berth;
}

function client(host: BedHost, usual: string, baseEnv: Record<string, string>): BerthHost {
  let program = usual;
  const url = `http://${host.ip}:${port}`;
  let apiKey = '';
  let starts = 0;

  async function ask(
    procedure: string,
    input: Record<string, unknown> = {},
    headers: Record<string, string> = { 'x-api-key': apiKey },
  ): Promise<Answer> {
    const isQuery = queries.test(procedure);
    const query = isQuery ? `?input=${encodeURIComponent(JSON.stringify(input))}` : '';
    const response = await fetch(`${url}/api/${procedure}${query}`, {
      method: isQuery ? 'GET' : 'POST',
      headers: { ...headers, ...(isQuery ? {} : { 'content-type': 'application/json' }) },
      ...(isQuery ? {} : { body: JSON.stringify(input) }),
      signal: AbortSignal.timeout(answerLimitMs),
    }).catch((cause: unknown) => {
      // A call that hangs would be known by its time alone.
      throw new Error(`${procedure} had no answer (${sentenceOf(cause)}).`, { cause });
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? null : JSON.parse(text) };
  }
  async function call<T>(procedure: string, input?: Record<string, unknown>): Promise<T> {
    const { status, body } = await ask(procedure, input);
    if (status !== 200) throw new Error(`${procedure} answered ${status}: ${JSON.stringify(body)}`);
    return body as T;
  }
  async function healthy(): Promise<boolean> {
    try {
      return (await fetch(`${url}/api/health`, { signal: AbortSignal.timeout(1000) })).ok;
    } catch {
      return false;
    }
  }
  async function berthPid(): Promise<string> {
    return (await processesOf(host, RegExp(RegExp.escape(program)))).at(-1) ?? '';
  }
  async function end(signal: string): Promise<void> {
    const pid = await berthPid();
    if (pid !== '') await host.exec(['kill', `-${signal}`, pid]);
    // A Berth that is told to end does so within 15 s (server/src/start.ts).
    for (let left = 400; left > 0 && (await berthPid()) !== ''; left -= 1) await wait(100);
  }

  const berth: BerthHost = {
    host,
    url,
    ask,
    call,
    signed: () => ({ 'x-api-key': apiKey }),
    async start(env = {}, otherProgram = usual) {
      program = otherProgram;
      starts += 1;
      const variables = {
        NODE_COMPILE_CACHE: compiled.inside,
        BERTH_DATA: data,
        BERTH_PORT: String(port),
        BERTH_PROXY_IMAGE: 'berth/caddy:2',
        BERTH_URL: url,
        PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
        ...baseEnv,
        ...env,
      };
      await host.launch(`berth-${starts}`, [
        'env',
        ...Object.entries(variables).map(([name, value]) => `${name}=${value}`),
        nodePath,
        ...nodeFlags,
        program,
      ]);
      for (let left = 150; !(await healthy()); left -= 1) {
        if (left === 0) throw new Error(`Berth did not start: ${await berth.ownLog()}`);
        await wait(100);
      }
      if (apiKey === '') {
        // As set-up does it for whoever is elsewhere.
        await host.exec([
          'sh',
          '-c',
          'printf %s "$1" > "$2"',
          'sh',
          firstSignUpHash(token),
          `${data}/${firstSignUpFile}`,
        ]);
        apiKey = await signUp(url);
      }
    },
    kill: () => end('KILL'),
    stop: () => end('TERM'),
    proxied: (hostName, path = '/') => throughProxy(host.ip, hostName, path),
    async settled(applicationId, limitMs = 120_000) {
      const end = Date.now() + limitMs;
      const pause = growingPause();
      for (;;) {
        const application = await call<ApplicationView>('application.one', { applicationId });
        if (application.deployments.every(({ status }) => status !== 'queued' && status !== 'running'))
          return application;
        if (Date.now() > end) {
          const [newest] = application.deployments;
          const lines = [...(await berth.log(newest?.deploymentId ?? '')), await berth.ownLog()];
          throw new Error(`Still under way: ${JSON.stringify(newest)}\n${lines.join('\n')}`);
        }
        await pause();
      }
    },
    log: (deploymentId) => call<string[]>('deployment.readLogs', { deploymentId }),
    ownLog: async () => (await host.exec(['tail', '-c', '6000', `/run/bed/berth-${starts}.log`])).stdout,
  };
  return berth;
}

const token = 'printed by set-up';

async function signUp(url: string): Promise<string> {
  const headers = { 'content-type': 'application/json', origin: url };
  const signedUp = await fetch(`${url}/api/auth/sign-up/email`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ name: 'Ada', email: 'ada@example.com', password: 'correct horse battery', token }),
  });
  const cookie = signedUp.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const { organizationId } = (await signedUp.json()) as { organizationId: string };
  const created = await fetch(`${url}/api/user.createApiKey`, {
    method: 'POST',
    headers: { ...headers, cookie },
    body: JSON.stringify({ name: 'test', metadata: { organizationId } }),
  });
  return ((await created.json()) as { key: string }).key;
}

/** With the Host header of our choice; fetch would not let us set it. */
export function throughProxy(
  ip: string,
  hostName: string,
  path = '/',
): Promise<{ status: number; body: string; headers: Record<string, unknown> }> {
  return new Promise((resolve, reject) => {
    const call = request(
      { host: ip, port: 80, path, headers: { host: hostName }, agent: false, timeout: 20_000 },
      (response) => {
        let body = '';
        response
          .setEncoding('utf8')
          .on('data', (chunk: string) => (body += chunk))
          .once('end', () => resolve({ status: response.statusCode ?? 0, body, headers: response.headers }));
      },
    );
    call.once('timeout', () => call.destroy(new Error('The proxy did not answer in 20 s.')));
    call.once('error', reject);
    call.end();
  });
}
