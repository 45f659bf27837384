/**
 * What tests ask a host's engine, over its socket: a start of the docker client in the host is ten times the
 * work of the question.
 */
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import { createEngineClient, segment } from '../../server/src/adapters/engine/client/engine-client.ts';
import type { BedHost } from './host/host.ts';

export interface Docker {
  /**
   * "<name> <running>/<wanted>" of each service with the label ("key" or "key=value"), or of all; by name.
   */
  services(label?: string): Promise<string[]>;
  /** Replicas that the service is to have. */
  replicas(service: string): Promise<number>;
  /** Ids of the running containers with the label. */
  containers(label: string): Promise<string[]>;
  /** Ids of the running containers of a service. */
  containersOf(service: string): Promise<string[]>;
  inspect(container: string): Promise<InspectedContainer>;
  /** Whether a container of this id, which may be shortened, runs. */
  isRunning(container: string): Promise<boolean>;
  /** Names of the volumes with the label, sorted. */
  volumes(label: string): Promise<string[]>;
  /** Whether there is a network with this in its name. */
  hasNetwork(name: string): Promise<boolean>;
  /**
   * Runs a program in a container to its end and gives its output; an Error with what it wrote when it fails.
   */
  exec(container: string, argv: readonly string[], env?: Record<string, string>): Promise<string>;
}

export function dockerOf({ engineSocket }: Pick<BedHost, 'engineSocket'>): Docker {
  const client = createEngineClient(engineSocket);
  const doing = 'the test asked';
  const list = <T>(what: string, filters: Record<string, string[]>, schema: z.ZodType<T>): Promise<T> =>
    client.call({ method: 'GET', path: `/${what}`, query: { filters, status: true }, doing }, schema);
  const docker: Docker = {
    async services(label) {
      const found = await list('services', label === undefined ? {} : { label: [label] }, serviceList);
      return found
        .map(
          ({ Spec, ServiceStatus }) =>
            `${Spec.Name} ${ServiceStatus.RunningTasks}/${ServiceStatus.DesiredTasks}`,
        )
        .toSorted();
    },
    replicas: async (service) =>
      (await client.call({ method: 'GET', path: `/services/${segment(service)}`, doing }, replicated)).Spec
        .Mode.Replicated.Replicas,
    containers: async (label) =>
      (await list('containers/json', { label: [label] }, idList)).map(({ Id }) => Id),
    containersOf: (service) => docker.containers(`com.docker.swarm.service.name=${service}`),
    inspect: (container) =>
      client.call({ method: 'GET', path: `/containers/${segment(container)}/json`, doing }, inspected),
    isRunning: async (container) => (await list('containers/json', { id: [container] }, idList)).length > 0,
    volumes: async (label) =>
      ((await list('volumes', { label: [label] }, volumeList)).Volumes ?? [])
        .map(({ Name }) => Name)
        .toSorted(),
    hasNetwork: async (name) => (await list('networks', { name: [name] }, z.array(named))).length > 0,
    async exec(container, argv, env = {}) {
      const body = {
        Cmd: argv,
        Env: Object.entries(env).map(([key, value]) => `${key}=${value}`),
        AttachStdout: true,
        AttachStderr: true,
      };
      const { Id } = await client.call(
        { method: 'POST', path: `/containers/${segment(container)}/exec`, body, doing },
        identified,
      );
      const { out, err } = streamsOf(
        await buffer(
          await client.open({
            method: 'POST',
            path: `/exec/${Id}/start`,
            body: { Detach: false, Tty: false },
            doing,
          }),
        ),
      );
      const { ExitCode } = await client.call({ method: 'GET', path: `/exec/${Id}/json`, doing }, ended);
      if (ExitCode !== 0)
        throw new Error(`${argv.join(' ').slice(0, 300)} ended with ${ExitCode}: ${err}${out}`);
      return out.trim();
    },
  };
  return docker;
}

/**
 * The two streams of an attached program: each piece has its stream in the first of eight bytes, and its
 * length in the last four.
 */
function streamsOf(bytes: Buffer): { out: string; err: string } {
  const pieces: { 1: Buffer[]; 2: Buffer[] } = { 1: [], 2: [] };
  for (let at = 0; at + 8 <= bytes.length; ) {
    const end = at + 8 + bytes.readUInt32BE(at + 4);
    pieces[bytes[at] === 2 ? 2 : 1].push(bytes.subarray(at + 8, end));
    at = end;
  }
  return { out: Buffer.concat(pieces[1]).toString(), err: Buffer.concat(pieces[2]).toString() };
}

const identified = z.looseObject({ Id: z.string() });
const idList = z.array(identified);
const named = z.looseObject({ Name: z.string() });
const volumeList = z.looseObject({ Volumes: z.array(named).nullable() });
const serviceList = z.array(
  z.looseObject({
    Spec: named,
    ServiceStatus: z.looseObject({ RunningTasks: z.number(), DesiredTasks: z.number() }),
  }),
);
const replicated = z.looseObject({
  Spec: z.looseObject({ Mode: z.looseObject({ Replicated: z.looseObject({ Replicas: z.number() }) }) }),
});
const ended = z.looseObject({ ExitCode: z.number().nullable() });
const inspected = z.looseObject({
  Id: z.string(),
  Name: z.string(),
  Args: z.array(z.string()),
  State: z.looseObject({ Pid: z.number() }),
  Mounts: z.array(z.looseObject({ Name: z.string().optional(), Destination: z.string() })),
  Config: z.looseObject({ Hostname: z.string(), Env: z.array(z.string()) }),
  HostConfig: z.looseObject({ Memory: z.number(), NanoCpus: z.number() }),
});
export type InspectedContainer = z.infer<typeof inspected>;
