/** The view from inside services' containers: what they are called, where they stand, what they reach. */
import { z } from 'zod';
import { dockerOf } from '../bed/docker.ts';
import type { BedHost } from '../bed/host.ts';
import type { Argv } from '../../images/command.ts';

export interface Target {
  host: string;
  port: number;
  path?: string;
  hostHeader?: string;
}

export interface Reached extends Target {
  /** HTTP status, or the error's code. */
  outcome: string;
  /** Null when nothing answered. */
  body: string | null;
}

export interface Insides {
  /** Asks each target over HTTP from inside the service's container; 2.5 s each, all at once. */
  ask(service: string, targets: readonly Target[]): Promise<Reached[]>;
  /** Sends each target a datagram. */
  tell(service: string, targets: readonly Target[], text: string): Promise<void>;
  /** The datagrams that came to a service which notes them. */
  seenBy(service: string): Promise<string[]>;
  /** Every IPv4 address that its container has, whatever the network. */
  addresses(service: string): Promise<string[]>;
  addressesOnOverlays(service: string): Promise<string[]>;
  /** Addresses of the second on networks that the first is in as well. */
  commonWith(service: string, other: string): Promise<string[]>;
  /** Names of its container on networks. */
  containerNames(service: string): Promise<string[]>;
  /** Runs the work while the service's container sends packets for `destination` to `gateway`. */
  withRoute(service: string, destination: string, gateway: string, work: () => Promise<void>): Promise<void>;
}

const pool = '10.192.';

export function createInsides(host: BedHost): Insides {
  const docker = dockerOf(host);
  async function must(argv: Argv, limitMs = 30_000): Promise<string> {
    const { code, stdout, stderr } = await host.exec(argv, { limitMs });
    if (code !== 0) throw new Error(`${argv.join(' ').slice(0, 300)} ended with ${code}: ${stderr}`);
    return stdout.trim();
  }
  async function containerOf(service: string): Promise<string> {
    const found = await docker.containersOf(service);
    if (found.length !== 1 || found[0] === undefined)
      throw new Error(`The service ${service} has ${found.length} containers.`);
    return found[0];
  }
  async function inNetworkOf(service: string, argv: Argv): Promise<string> {
    return must([
      'nsenter',
      `--target=${(await docker.inspect(await containerOf(service))).State.Pid}`,
      '--net',
      '--',
      ...argv,
    ]);
  }
  async function run(service: string, program: string, ...args: string[]): Promise<string> {
    return docker.exec(await containerOf(service), ['node', '--eval', program, '--', ...args]);
  }
  async function addresses(service: string): Promise<string[]> {
    const lines = (
      await inNetworkOf(service, ['ip', '-4', '-oneline', 'addr', 'show', 'scope', 'global'])
    ).split('\n');
    return lines.flatMap((line) => /inet ([0-9.]+)\//.exec(line)?.[1] ?? []);
  }
  const overlays = async (service: string): Promise<string[]> =>
    (await addresses(service)).filter((address) => address.startsWith(pool));

  return {
    addresses,
    addressesOnOverlays: overlays,
    ask: async (service, targets) =>
      reachedList.parse(JSON.parse(await run(service, askingProgram, JSON.stringify(targets)))),
    tell: async (service, targets, text) =>
      void (await run(service, tellingProgram, JSON.stringify(targets), text)),
    async seenBy(service) {
      return seenList.parse(
        JSON.parse(
          await run(
            service,
            `require('http').get('http://127.0.0.1:3000/seen', (response) => response.pipe(process.stdout))`,
          ),
        ),
      );
    },
    async commonWith(service, other) {
      const ofService = (await overlays(service)).map(networkOf);
      return (await overlays(other)).filter((address) => ofService.includes(networkOf(address)));
    },
    async containerNames(service) {
      const { Name, Config } = await docker.inspect(await containerOf(service));
      return [Name.replace(/^\//, ''), Config.Hostname];
    },
    async withRoute(service, destination, gateway, work) {
      await inNetworkOf(service, ['ip', 'route', 'add', destination, 'via', gateway]);
      try {
        await work();
      } finally {
        await inNetworkOf(service, ['ip', 'route', 'del', destination]);
      }
    },
  };
}

/** Environments' networks are cut from the pool as /24. */
function networkOf(address: string): string {
  return address.split('.').slice(0, 3).join('.');
}

const reachedList = z.array(
  z.object({
    host: z.string(),
    port: z.number(),
    path: z.string().optional(),
    hostHeader: z.string().optional(),
    outcome: z.string(),
    body: z.string().nullable(),
  }),
);
const seenList = z.array(z.string());

/**
 * The engine's own resolver knows its answer at once; whatever it asks outside is waited for two seconds
 * only.
 */
const resolving = `
const resolver = new (require('dns').promises.Resolver)({ timeout: 2000, tries: 1 });
const addressOf = async (host) => (require('net').isIP(host) ? host : (await resolver.resolve4(host))[0]);`;

const askingProgram = `${resolving}
const ask = (target, host) => new Promise((resolve) => {
  const done = (outcome, body = null) => resolve({ ...target, outcome, body });
  const headers = { host: target.hostHeader ?? target.host };
  const options = { host, port: target.port, path: target.path ?? '/', headers, agent: false };
  const request = require('http').get(options, (response) => {
    let body = '';
    response.on('data', (part) => (body += part));
    response.on('end', () => done(String(response.statusCode), body));
    response.on('error', (error) => done(error.code));
  });
  request.on('error', (error) => done(error.code ?? error.message));
  setTimeout(() => { request.destroy(); done('no answer'); }, 2500);
});
const asked = JSON.parse(process.argv[1]).map((target) =>
  addressOf(target.host).then(
    (host) => ask(target, host),
    (error) => ({ ...target, outcome: error.code, body: null }),
  ),
);
Promise.all(asked).then((answers) => process.stdout.write(JSON.stringify(answers), () => process.exit(0)));`;

const tellingProgram = `${resolving}
const socket = require('dgram').createSocket('udp4').on('error', () => undefined);
const tell = (port, host) => new Promise((resolve) => {
  socket.send(process.argv[2], port, host, resolve);
  setTimeout(resolve, 2000);
});
const told = JSON.parse(process.argv[1]).map(({ host, port }) =>
  addressOf(host).then((address) => tell(port, address), () => undefined),
);
Promise.all(told).then(() => process.exit(0));`;
