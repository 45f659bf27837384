/** A container that stands on one machine beside all services, made anew when what it is made of changes. */
import { managedLabel, specLabel } from '../../../domain/names/labels.ts';
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Standing, StandingContainer } from '../../../ports/engine/standing.ts';
import { clientAt, segment, type EngineAddress, type EngineClient } from '../client/engine-client.ts';
import { isAbsent } from '../client/engine-error.ts';
import { removeContainer } from '../containers.ts';
import { createdContainerAnswer } from '../services/answers.ts';
import { managed, overridingAll } from '../services/labels.ts';

const stopSeconds = 10;
const runLimitMs = 60_000;

const answer = z.looseObject({
  Id: z.string(),
  Image: z.string(),
  Config: z.looseObject({ Labels: z.record(z.string(), z.string()).nullish() }),
  State: z.looseObject({ Running: z.boolean() }),
  NetworkSettings: z.looseObject({ Networks: z.record(z.string(), z.unknown()).nullish() }),
});
const imageAnswer = z.looseObject({ Id: z.string() });

export function createStanding(address: EngineAddress): Standing {
  const client = clientAt(address);
  return {
    ensure: (container) => ensure(client, container),
    attach: (name, networks) => attach(client, name, networks),
    remove: (name) => remove(client, name),
  };
}

async function ensure(client: EngineClient, wanted: StandingContainer): Promise<boolean> {
  const present = await find(client, wanted.name);
  const { Id: image } = await client.call(
    { method: 'GET', path: `/images/${segment(wanted.image)}/json`, doing: `reading ${wanted.image}` },
    imageAnswer,
  );
  const digest = createHash('sha256')
    .update(JSON.stringify([wanted, image]))
    .digest('hex')
    .slice(0, 32);
  if (present?.Config.Labels?.[specLabel] === digest) {
    if (present.State.Running) return false;
    await start(client, present.Id, wanted.name);
    return true;
  }
  if (present) await end(client, present.Id);
  const { Id: id } = await client.call(
    {
      method: 'POST',
      path: '/containers/create',
      query: { name: wanted.name },
      body: bodyOf(wanted, digest),
      doing: `making the container ${wanted.name}`,
    },
    createdContainerAnswer,
  );
  await start(client, id, wanted.name);
  return true;
}

/** None while it does not run. */
async function attach(client: EngineClient, name: string, networks: readonly string[]): Promise<number> {
  const present = await find(client, name);
  if (!present?.State.Running) return 0;
  const missing = networks.filter((network) => !(network in (present.NetworkSettings.Networks ?? {})));
  for (const network of missing)
    await client.send({
      method: 'POST',
      // By its name: a worker knows a network of its swarm only once something there uses it.
      path: `/networks/${segment(network)}/connect`,
      body: { Container: present.Id },
      doing: `attaching ${name} to the network ${network}`,
      limitMs: runLimitMs,
    });
  return missing.length;
}

/** With its grace period; one of others stays. */
async function remove(client: EngineClient, name: string): Promise<void> {
  const present = await find(client, name);
  if (present && present.Config.Labels?.[managedLabel] === 'true') await end(client, present.Id);
}

function bodyOf(wanted: StandingContainer, digest: string): Record<string, unknown> {
  const portKey = ({ target, protocol }: StandingContainer['ports'][number]): string =>
    `${target}/${protocol}`;
  return {
    Image: wanted.image,
    Entrypoint: wanted.command,
    Cmd: [],
    Env: wanted.env,
    Labels: overridingAll(managed({ ...wanted.labels, [specLabel]: digest })),
    Healthcheck: { Test: ['NONE'] },
    ExposedPorts: Object.fromEntries(wanted.ports.map((port) => [portKey(port), {}])),
    HostConfig: {
      NetworkMode: wanted.network ?? 'bridge',
      ...(wanted.limits?.memoryBytes === undefined ? {} : { Memory: wanted.limits.memoryBytes }),
      ...(wanted.limits?.pids === undefined ? {} : { PidsLimit: wanted.limits.pids }),
      Mounts: wanted.mounts.map(({ type, source, target, readOnly = false }) => ({
        Type: type,
        Source: source,
        Target: target,
        ReadOnly: readOnly,
      })),
      PortBindings: Object.fromEntries(
        wanted.ports.map((port) => [portKey(port), [{ HostPort: String(port.published) }]]),
      ),
      // The machine's next start brings it back, with or without Berth.
      RestartPolicy: { Name: 'always' },
      LogConfig: { Type: 'json-file', Config: { 'max-size': '10m', 'max-file': '3' } },
      ...(wanted.sysctls === undefined ? {} : { Sysctls: wanted.sysctls }),
    },
  };
}

const start = (client: EngineClient, id: string, name: string): Promise<void> =>
  client.send({
    method: 'POST',
    path: `/containers/${segment(id)}/start`,
    doing: `starting ${name}`,
    limitMs: runLimitMs,
  });

async function end(client: EngineClient, id: string): Promise<void> {
  try {
    await client.send({
      method: 'POST',
      path: `/containers/${segment(id)}/stop`,
      query: { t: stopSeconds },
      doing: 'stopping a container',
      limitMs: runLimitMs,
    });
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
  await removeContainer(client, id);
}

async function find(client: EngineClient, name: string): Promise<z.infer<typeof answer> | undefined> {
  try {
    const path = `/containers/${segment(name)}/json`;
    return await client.call({ method: 'GET', path, doing: `reading the container ${name}` }, answer);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}
