/** A container that stands on one machine beside all services, made anew when what it is made of changes. */
import { specLabel } from '../../../domain/names/labels.ts';
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Standing, StandingContainer, StandingState } from '../../../ports/engine/standing.ts';
import { clientAt, segment, type EngineAddress, type EngineClient } from '../client/engine-client.ts';
import { isAbsent } from '../client/engine-error.ts';
import { removeContainer } from '../containers.ts';
import { createdContainerAnswer } from '../services/answers.ts';
import { formerName, overridingAll } from '../client/labels.ts';
import { isOwn, ownedLabels, requireOwn } from '../services/ownership.ts';

const stopSeconds = 10;
const runLimitMs = 60_000;

const answer = z.looseObject({
  Id: z.string(),
  Image: z.string(),
  Config: z.looseObject({ Labels: z.record(z.string(), z.string()).nullish() }),
  State: z.looseObject({ Running: z.boolean() }),
  HostConfig: z.looseObject({ RestartPolicy: z.looseObject({ Name: z.string() }) }),
  NetworkSettings: z.looseObject({ Networks: z.record(z.string(), z.unknown()).nullish() }),
});
const imageAnswer = z.looseObject({ Id: z.string() });
type Found = z.infer<typeof answer>;

export function createStanding(address: EngineAddress): Standing {
  const client = clientAt(address);
  return {
    look: (container) => look(client, container),
    replace: (container) => replace(client, container),
    async settle(name) {
      const former = await findFormer(client, name);
      if (former) await end(client, former.Id);
    },
    putBack: (name) => putBack(client, name),
    isUnsettled: async (name) => (await findFormer(client, name)) !== undefined,
    attach: (name, networks) => attach(client, name, networks),
    remove: (name) => remove(client, name),
  };
}

async function look(client: EngineClient, wanted: StandingContainer): Promise<StandingState> {
  const [present, former] = [await find(client, wanted.name), await findFormer(client, wanted.name)];
  if (former) return 'renewing';
  if (!present) return 'absent';
  if (digestOf(present) !== (await wantedDigest(client, wanted))) return 'renewing';
  return present.State.Running ? 'running' : 'stopped';
}

/**
 * Every state between two steps is known by the former one's name, so that whoever comes after a crash sees
 * what was under way.
 */
async function replace(client: EngineClient, wanted: StandingContainer): Promise<boolean> {
  const digest = await wantedDigest(client, wanted);
  let [present, former] = [await find(client, wanted.name), await findFormer(client, wanted.name)];
  if (present) requireOwn(client, present.Config.Labels, 'container', wanted.name);
  if (former && digestOf(former) === digest) {
    await putBack(client, wanted.name);
    return true;
  }
  if (present && digestOf(present) !== digest) {
    // Where a former one is kept already, what came after it never worked.
    if (former) await end(client, present.Id);
    else {
      await rename(client, present.Id, formerName(wanted.name));
      former = present;
    }
    present = undefined;
  }
  if (former) await retire(client, former);
  if (present?.State.Running) return false;
  await start(client, present?.Id ?? (await create(client, wanted, digest)), wanted.name);
  return true;
}

async function create(client: EngineClient, wanted: StandingContainer, digest: string): Promise<string> {
  const request = {
    method: 'POST' as const,
    path: '/containers/create',
    query: { name: wanted.name },
    body: bodyOf(client, wanted, digest),
    doing: `making the container ${wanted.name}`,
  };
  return (await client.call(request, createdContainerAnswer)).Id;
}

/** It would come back with the engine, stopped or not, and take the ports of its successor. */
async function retire(client: EngineClient, former: Found): Promise<void> {
  await stop(client, former.Id);
  await setRestart(client, former, 'no');
}

/** The name comes last: until then the next call finds the same way to go. */
async function putBack(client: EngineClient, name: string): Promise<void> {
  const [present, former] = [await find(client, name), await findFormer(client, name)];
  if (!former) {
    if (present && !present.State.Running) await start(client, present.Id, name);
    return;
  }
  if (present) await end(client, present.Id);
  await setRestart(client, former, 'always');
  await start(client, former.Id, name);
  await rename(client, former.Id, name);
}

const findFormer = async (client: EngineClient, name: string): Promise<Found | undefined> => {
  const found = await find(client, formerName(name));
  return found && isOwn(client, found.Config.Labels) ? found : undefined;
};

const digestOf = ({ Config }: Found): string | undefined => Config.Labels?.[specLabel];

async function wantedDigest(client: EngineClient, wanted: StandingContainer): Promise<string> {
  const path = `/images/${segment(wanted.image)}/json`;
  const { Id: image } = await client.call(
    { method: 'GET', path, doing: `reading ${wanted.image}` },
    imageAnswer,
  );
  return createHash('sha256')
    .update(JSON.stringify([wanted, image]))
    .digest('hex')
    .slice(0, 32);
}

const rename = (client: EngineClient, id: string, name: string): Promise<void> =>
  client.send({
    method: 'POST',
    path: `/containers/${segment(id)}/rename`,
    query: { name },
    doing: `naming a container ${name}`,
  });

/** Of one that is stopped: crun writes all limits of a running one anew, which some kernels refuse. */
async function setRestart(
  client: EngineClient,
  { Id: id, HostConfig }: Found,
  policy: 'always' | 'no',
): Promise<void> {
  if (HostConfig.RestartPolicy.Name === policy) return;
  await client.send({
    method: 'POST',
    path: `/containers/${segment(id)}/update`,
    body: { RestartPolicy: { Name: policy } },
    doing: 'setting when a container is started again',
  });
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

/** With its grace period; one of others stays. The former one goes last: its successor cannot outlive it. */
async function remove(client: EngineClient, name: string): Promise<void> {
  for (const each of [name, formerName(name)]) {
    const present = await find(client, each);
    if (present && isOwn(client, present.Config.Labels)) await end(client, present.Id);
  }
}

function bodyOf(client: EngineClient, wanted: StandingContainer, digest: string): Record<string, unknown> {
  const portKey = ({ target, protocol }: StandingContainer['ports'][number]): string =>
    `${target}/${protocol}`;
  return {
    Image: wanted.image,
    Entrypoint: wanted.command,
    Cmd: [],
    Env: wanted.env,
    Labels: overridingAll(wanted.name, ownedLabels(client, { ...wanted.labels, [specLabel]: digest })),
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
  await stop(client, id);
  await removeContainer(client, id);
}

async function stop(client: EngineClient, id: string): Promise<void> {
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
}

async function find(client: EngineClient, name: string): Promise<Found | undefined> {
  try {
    const path = `/containers/${segment(name)}/json`;
    return await client.call({ method: 'GET', path, doing: `reading the container ${name}` }, answer);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}
