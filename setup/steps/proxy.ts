import { platformNetwork, proxyServiceName } from '../../server/src/domain/names/names.ts';
import { managedLabel } from '../../server/src/domain/names/labels.ts';
import { request } from 'node:http';
import { AppError } from '../../server/src/domain/errors.ts';
import type { SetupContext, Step } from '../context.ts';
import type { NetworkFacts } from '../engine/client.ts';
import { proxyAddress } from '../settings/settings.ts';
import { waitUntil } from '../process/wait-until.ts';

const limitMs = 90_000;

/** The server makes network and proxy itself (and mends them later); here it is awaited and shown. */
export const proxyStep: Step = {
  title: 'Network and proxy',
  async run(context) {
    const { settings, signal } = context;
    await requireOurs(context);
    const answers = await waitUntil(
      async () => ((await askProxy(settings.httpPort, undefined, 2000)) === undefined ? undefined : true),
      { limitMs, everyMs: 250, signal },
    );
    const network = await requireOurs(context);
    if (network === undefined || answers === undefined)
      throw await proxyFault(context, network !== undefined);
    return `network ${platformNetwork}; the proxy answers at ${proxyAddress(settings, '127.0.0.1')}`;
  },
};

/**
 * While a network is being made, the engine shows it for a moment without its labels; one that stays without
 * them is another's.
 */
const makingLimitMs = 10_000;

/** The platform's network; undefined when it is not there yet. */
async function requireOurs({ engine, signal }: SetupContext): Promise<NetworkFacts | undefined> {
  const look = async (): Promise<{ network: NetworkFacts | undefined } | undefined> => {
    const network = await engine.network(platformNetwork);
    return network === undefined || isOurs(network) ? { network } : undefined;
  };
  const found = await waitUntil(look, { limitMs: makingLimitMs, everyMs: 250, signal });
  if (found) return found.network;
  throw new AppError(
    'PRECONDITION_FAILED',
    `the engine has a network named "${platformNetwork}" that is not Berth's. Berth does not touch it; ` +
      'rename or remove it and run the command again.',
  );
}

function isOurs(network: NetworkFacts): boolean {
  return network.Labels?.[managedLabel] === 'true' && network.Driver === 'overlay' && network.Attachable;
}

async function proxyFault(context: SetupContext, hasNetwork: boolean): Promise<AppError> {
  const made =
    `network ${hasNetwork ? 'there' : 'missing'}, service ` +
    `${(await context.engine.hasService(proxyServiceName)) ? 'there' : 'missing'}`;
  const lines = await context.starter.lastLines(context, 10);
  return new AppError(
    'SERVICE_UNAVAILABLE',
    `the proxy does not answer on port ${context.settings.httpPort} after ${limitMs / 1000} s ` +
      `(${made}). See "docker service ps ${proxyServiceName} --no-trunc". Berth's last lines:\n${lines}`,
  );
}

/**
 * A real request through the proxy for this host name; undefined when nothing answers. By way of `node:http`,
 * since Node's fetch neither resolves *.localhost nor lets the Host header be chosen.
 */
export function askProxy(
  port: number,
  host: string | undefined,
  timeoutMs: number,
): Promise<{ status: number; body: string } | undefined> {
  return new Promise((resolve) => {
    const call = request(
      {
        host: '127.0.0.1',
        port,
        path: '/',
        agent: false,
        timeout: timeoutMs,
        headers: host === undefined ? {} : { host },
      },
      (answer) => {
        let body = '';
        answer.setEncoding('utf8');
        answer.on('data', (part: string) => (body += part));
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body }));
        answer.on('error', () => resolve(undefined));
      },
    );
    call.on('timeout', () => call.destroy());
    call.on('error', () => resolve(undefined));
    call.end();
  });
}
