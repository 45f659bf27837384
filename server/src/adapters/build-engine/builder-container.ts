/** One builder on a host's engine: its container is made, asked whether it answers, limited, removed. */
import { builderLabel, builderSpecLabel, installationLabel } from '../../domain/names/labels.ts';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import { oneLine } from '../../domain/text/words.ts';
import type { BuildLimits } from '../../ports/engine/builder.ts';
import { createdContainerAnswer } from '../engine/services/answers.ts';
import { listContainers, removeContainer } from '../engine/containers.ts';
import { segment, type EngineClient } from '../engine/client/engine-client.ts';
import { EngineRefusal, isAbsent } from '../engine/client/engine-error.ts';
import { findImage } from '../engine/images/images.ts';
import { isOwn, requireOwn } from '../engine/services/ownership.ts';
import { listVolumes } from '../engine/volumes.ts';
import {
  containerLimits,
  containerSpec,
  formerNameOf,
  nameOf,
  type BuilderContainer,
} from './container-spec.ts';
import { limitedBytes } from '../../domain/text/limited-bytes.ts';

const startLimitMs = 90_000;
const pauseMs = 25;

const inspected = z.looseObject({
  Id: z.string(),
  Image: z.string(),
  State: z.looseObject({ Running: z.boolean() }),
  Config: z.looseObject({ Labels: z.record(z.string(), z.string()).nullish() }),
  HostConfig: z.record(z.string(), z.unknown()),
});

/** A builder's container that runs, and the limits it was seen with. */
export interface RunningBuilder {
  id: string;
  limits: Readonly<Record<string, unknown>>;
}

/**
 * Name of the organization's builder on this engine. One whose cache has the name from before names had the
 * installation's id keeps it, unless another installation has a builder of that name now.
 */
export async function builderName(client: EngineClient, organizationId: string): Promise<string> {
  const [name, former] = [nameOf(client, organizationId), formerNameOf(organizationId)];
  const [present, before, caches] = await Promise.all([
    inspect(client, name),
    inspect(client, former),
    listVolumes(client, `${builderLabel}=${organizationId}`),
  ]);
  const isFree = before === undefined || isOwn(client, before.Config.Labels);
  return present === undefined && isFree && caches.includes(former) ? former : name;
}

/**
 * The container of this specification, which runs when this is done; one of another specification goes first,
 * unless it `isInUse`. Throws PRECONDITION_FAILED with the reason when it does not start.
 */
export async function ensureBuilder(
  client: EngineClient,
  container: BuilderContainer,
  { isInUse, limits, signal }: { isInUse: boolean; limits: Iterable<BuildLimits>; signal: AbortSignal },
  answers: () => Promise<boolean>,
): Promise<RunningBuilder> {
  const spec = containerSpec(client, container);
  const labels = z.record(z.string(), z.string()).parse(spec['Labels']);
  const [present, wanted] = await Promise.all([
    inspect(client, container.name),
    imageId(client, container.image),
  ]);
  if (present !== undefined) {
    requireOwn(client, present.Config.Labels, 'container', container.name);
    const isSame =
      isInUse ||
      (present.Config.Labels?.[builderSpecLabel] === labels[builderSpecLabel] && present.Image === wanted);
    if (isSame && present.State.Running && (await answers()))
      return { id: present.Id, limits: present.HostConfig };
    await removeContainer(client, present.Id);
  }
  const given = containerLimits(limits);
  const id = await create(client, container, {
    ...spec,
    HostConfig: { ...Object(spec['HostConfig']), ...given },
  });
  await client.send({
    method: 'POST',
    path: `/containers/${segment(id)}/start`,
    doing: 'starting the builder',
    signal,
  });
  await untilItAnswers(client, id, answers, signal);
  return { id, limits: { ...given } };
}

/**
 * What all its builds may have together. Memory below what is in use, and on control groups of version 1
 * processor time below what its steps had last, are refused: it stays then, and the steps' own limit holds.
 */
export async function limitBuilder(
  client: EngineClient,
  { id, limits: present }: RunningBuilder,
  limits: Iterable<BuildLimits>,
): Promise<void> {
  const { CpuPeriod, CpuQuota, ...memory } = containerLimits(limits);
  for (const body of [memory, { CpuPeriod, CpuQuota }]) {
    // A change takes the engine as long as a small step of a build, and most builds have the same limits.
    if (Object.entries(body).every(([name, value]) => present[name] === value)) continue;
    const path = `/containers/${segment(id)}/update`;
    try {
      await client.send({ method: 'POST', path, body, doing: 'limiting the builder' });
    } catch (error) {
      if (!(error instanceof EngineRefusal)) throw error;
    }
  }
}

/** The same for one that was last looked at a while ago. */
export async function limitAgain(
  client: EngineClient,
  id: string,
  limits: Iterable<BuildLimits>,
): Promise<void> {
  const present = await inspect(client, id);
  if (present) await limitBuilder(client, { id, limits: present.HostConfig }, limits);
}

/** Stops it in good order and removes it; its cache stays. */
export async function stopBuilder(client: EngineClient, organizationId: string): Promise<void> {
  for (const id of await ownBuilders(client, organizationId)) {
    const path = `/containers/${segment(id)}/stop`;
    await client.send({
      method: 'POST',
      path,
      query: { t: 10 },
      doing: 'stopping the builder',
      limitMs: 40_000,
    });
    await removeContainer(client, id);
  }
}

/** Removes it, whatever it does; its cache stays. */
export async function removeBuilder(client: EngineClient, organizationId: string): Promise<void> {
  for (const id of await ownBuilders(client, organizationId)) await removeContainer(client, id);
}

/** Ids of the containers that are the organization's builder here, by their present and their former name. */
async function ownBuilders(client: EngineClient, organizationId: string): Promise<string[]> {
  const names = [nameOf(client, organizationId), formerNameOf(organizationId)];
  const found = await Promise.all(names.map((name) => inspect(client, name)));
  return found.flatMap((one) => (one && isOwn(client, one.Config.Labels) ? [one.Id] : []));
}

/** Organizations that have a builder's container here, and whether it bears the id of this installation. */
export async function buildersOf(
  client: EngineClient,
): Promise<{ organizationId: string; isLabelled: boolean }[]> {
  const containers = await listContainers(client, builderLabel);
  return containers.flatMap(({ labels }) => {
    const organizationId = labels[builderLabel];
    return organizationId === undefined ? [] : [{ organizationId, isLabelled: !!labels[installationLabel] }];
  });
}

async function create(client: EngineClient, container: BuilderContainer, body: object): Promise<string> {
  try {
    const created = await client.call(
      {
        method: 'POST',
        path: '/containers/create',
        query: { name: container.name },
        body: { ...body },
        doing: 'creating the builder',
      },
      createdContainerAnswer,
    );
    return created.Id;
  } catch (error) {
    if (!isAbsent(error)) throw error;
    throw new AppError(
      'PRECONDITION_FAILED',
      `The image ${container.image}, which builds run in, is not on this server: run bin/up there to ` +
        'build it.',
      { cause: error },
    );
  }
}

async function untilItAnswers(
  client: EngineClient,
  id: string,
  answers: () => Promise<boolean>,
  signal: AbortSignal,
): Promise<void> {
  for (const end = performance.now() + startLimitMs; performance.now() < end; ) {
    if (await answers()) return;
    signal.throwIfAborted();
    if ((await inspect(client, id))?.State.Running !== true) break;
    await wait(pauseMs, undefined, { signal });
  }
  const said = await lastWords(client, id);
  await removeContainer(client, id);
  throw new AppError(
    'PRECONDITION_FAILED',
    `The builder of this organization did not start${said === '' ? '' : `: ${said}`}.`,
  );
}

async function lastWords(client: EngineClient, id: string): Promise<string> {
  const stream = await client.open({
    method: 'GET',
    path: `/containers/${segment(id)}/logs`,
    query: { stdout: true, stderr: true, tail: 3 },
    doing: "reading the builder's log",
  });
  // Each piece has a head of eight bytes (engine API, "Attach to a container", Stream format).
  const text = (await limitedBytes(stream, 1024 * 1024, "The builder's log"))
    .toString('utf8')
    .replaceAll(/[^\x20-\x7e\n]+./g, '');
  return oneLine(text.trim(), 300);
}

async function inspect(client: EngineClient, name: string): Promise<z.infer<typeof inspected> | undefined> {
  try {
    return await client.call(
      { method: 'GET', path: `/containers/${segment(name)}/json`, doing: 'looking for the builder' },
      inspected,
    );
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

async function imageId(client: EngineClient, reference: string): Promise<string | undefined> {
  return (await findImage(client, reference))?.id;
}
