/** Asks the monitoring agent of a server, through the connection to it. */
import { request as startRequest } from 'node:http';
import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import type { Secret } from '../../domain/secrets/secret.ts';
import { thresholdKinds } from '../../domain/resources/metrics.ts';
import type { MetricsRange, MonitoringAgent } from '../../ports/metrics.ts';
import { textOf } from '../engine/client/engine-http.ts';

export interface AgentAddress {
  /** Unix socket of this machine. */
  socketPath: string;
  /** As sentences have it: "the server frankfurt". */
  serverName: string;
  token: Secret;
}

const limitMs = 20_000;
const mostBytes = 16 * 1024 * 1024;

const amount = z.number().min(0);
const machineSample = z.object({
  at: amount,
  cpu: amount,
  memoryUsed: amount,
  memoryTotal: amount,
  diskUsed: amount,
  diskTotal: amount,
  networkIn: amount,
  networkOut: amount,
  load: amount,
});
const serviceSample = z.object({
  at: amount,
  containers: amount,
  cpu: amount,
  memoryUsed: amount,
  memoryLimit: amount,
  networkIn: amount,
  networkOut: amount,
  diskRead: amount,
  diskWritten: amount,
});
const measuredService = z.object({ newest: serviceSample, points: z.array(serviceSample) });
const state = z.object({
  digest: z.string().max(200),
  passings: z
    .array(
      z.object({
        passing: amount,
        at: amount.max(8.64e15),
        kind: z.enum(thresholdKinds),
        value: amount,
        threshold: amount,
      }),
    )
    .max(1000),
});

export function createMonitoringAgent(address: AgentAddress): MonitoringAgent {
  const read = async <T>(schema: z.ZodType<T>, path: string, query: object = {}): Promise<T> => {
    const parsed = schema.safeParse(await ask(address, 'GET', path, query));
    if (!parsed.success)
      throw new AppError(
        'SERVICE_UNAVAILABLE',
        `The monitoring agent of ${address.serverName} sent an unexpected answer. Set it up again with ` +
          'server.setupMonitoring.',
        { cause: parsed.error },
      );
    return parsed.data;
  };
  return {
    newest: (points) => read(z.array(machineSample), '/newest', { points }),
    machine: (range: MetricsRange) => read(z.array(machineSample), '/machine', range),
    service: (key, range) => read(z.array(serviceSample), '/service', { ...range, key }),
    services: async (range) =>
      new Map(Object.entries(await read(z.record(z.string(), measuredService), '/services', range))),
    digest: async () => (await read(state, '/state')).digest,
    passings: async () => (await read(state, '/state')).passings,
    async told(passing) {
      await ask(address, 'POST', '/told', { passing });
    },
  };
}

async function ask(
  { socketPath, serverName, token }: AgentAddress,
  method: string,
  path: string,
  query: object,
): Promise<unknown> {
  const words = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  );
  const { status, text } = await answerTo({
    socketPath,
    method,
    path: `${path}?${words.toString()}`,
    headers: { host: 'agent', authorization: `Bearer ${token.reveal()}` },
  }).catch((cause: unknown) => {
    throw new AppError(
      'SERVICE_UNAVAILABLE',
      `The monitoring agent of ${serverName} does not answer. It may still be starting; otherwise set it ` +
        'up again with server.setupMonitoring.',
      { cause },
    );
  });
  if (status === 401)
    throw new AppError(
      'PRECONDITION_FAILED',
      `The monitoring of ${serverName} was set up with another token. Use that one, or set another with ` +
        'server.setupMonitoring.',
    );
  if (status !== 200)
    throw new AppError(
      'SERVICE_UNAVAILABLE',
      `The monitoring agent of ${serverName} answered with status ${status}.`,
    );
  return JSON.parse(text);
}

function answerTo(options: {
  socketPath: string;
  method: string;
  path: string;
  headers: Record<string, string>;
}): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const request = startRequest({ ...options, agent: false, signal: AbortSignal.timeout(limitMs) });
    request.once('error', reject);
    request.once('response', (answer) => {
      textOf(answer, mostBytes).then((text) => resolve({ status: answer.statusCode ?? 0, text }), reject);
    });
    request.end();
  });
}
