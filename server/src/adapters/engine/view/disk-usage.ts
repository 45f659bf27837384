/** What lies on an engine's disk, by one question to it (engine API, "Get data usage information"). */
import { z } from 'zod';
import type { DiskUsage } from '../../../ports/engine/engine-disk.ts';
import { waitUntil } from '../../../ports/wait-until.ts';
import type { EngineClient } from '../client/engine-client.ts';
import { segment } from '../client/engine-client.ts';
import { EngineRefusal, isAbsent } from '../client/engine-error.ts';
import { provenLabels } from '../client/labels.ts';
import { isForeign, isOwn, requireOwn } from '../services/ownership.ts';

/** It walks through every volume. */
const usageLimitMs = 5 * 60_000;

const labels = z
  .record(z.string(), z.string())
  .nullish()
  .transform((found) => found ?? {});
const usageAnswer = z.looseObject({
  Images: z
    .array(
      z.looseObject({
        Id: z.string(),
        RepoTags: z.array(z.string()).nullish(),
        RepoDigests: z.array(z.string()).nullish(),
        Labels: labels,
        Size: z.number(),
        SharedSize: z.number().default(-1),
        Containers: z.number().default(-1),
        Created: z.number(),
      }),
    )
    .nullish(),
  Containers: z
    .array(
      z
        .looseObject({
          Id: z.string(),
          Names: z.array(z.string()).nullish(),
          Labels: labels,
          State: z.string(),
          Created: z.number(),
          SizeRw: z.number().nullish(),
          Mounts: z.array(z.looseObject({ Type: z.string(), Name: z.string().nullish() })).nullish(),
        })
        .transform((answer) => ({ ...answer, Labels: provenLabels(answer.Names ?? [], answer.Labels) })),
    )
    .nullish(),
  Volumes: z
    .array(
      z.looseObject({
        Name: z.string(),
        Labels: labels,
        UsageData: z.looseObject({ Size: z.number(), RefCount: z.number() }).nullish(),
      }),
    )
    .nullish(),
});

const endedAnswer = z.looseObject({
  Name: z.string().default(''),
  Config: z.looseObject({ Labels: labels }),
  State: z.looseObject({ Running: z.boolean() }),
});

const none = '<none>:<none>';
const iso = (seconds: number): string => new Date(seconds * 1000).toISOString();

/** Engines before 23 answer one question of this kind at a time, and refuse whoever asks meanwhile. */
const isAnsweringAnother = /a disk usage operation is already running/;
const askAgainMs = 300;

/** Images, and of containers and volumes those that Berth made. */
export async function diskUsage(client: EngineClient): Promise<DiskUsage> {
  const { Images, Containers, Volumes } = await usageOf(client);
  const unnamed = new Map(
    (Volumes ?? [])
      .filter((volume) => !isOwn(client, volume.Labels))
      .map(({ Name, UsageData }) => [Name, Math.max(0, UsageData?.Size ?? 0)]),
  );
  return {
    images: (Images ?? []).map((image) => ({
      id: image.Id,
      tags: (image.RepoTags ?? []).filter((tag) => tag !== none),
      isOfRegistry: (image.RepoDigests ?? []).some((digest) => !digest.startsWith('<none>')),
      isForeign: isForeign(client, image.Labels),
      labels: image.Labels,
      sizeBytes: image.Size - Math.max(0, image.SharedSize),
      wholeBytes: image.Size,
      createdAt: iso(image.Created),
      containers: Math.max(0, image.Containers),
    })),
    containers: (Containers ?? [])
      .filter((container) => isOwn(client, container.Labels))
      .map((container) => ({
        id: container.Id,
        name: (container.Names?.[0] ?? '').replace(/^\//, ''),
        labels: container.Labels,
        state: container.State,
        createdAt: iso(container.Created),
        sizeBytes: (container.SizeRw ?? 0) + bytesOfUnnamed(container.Mounts ?? [], unnamed),
      })),
    volumes: (Volumes ?? [])
      .filter((volume) => isOwn(client, volume.Labels))
      .map((volume) => ({
        name: volume.Name,
        labels: volume.Labels,
        sizeBytes: volume.UsageData && volume.UsageData.Size >= 0 ? volume.UsageData.Size : null,
      })),
  };
}

/** Volumes that an image declares bear nobody's labels: they are their container's, and go with it. */
function bytesOfUnnamed(
  mounts: readonly { Type: string; Name?: string | null | undefined }[],
  unnamed: ReadonlyMap<string, number>,
): number {
  const names = new Set(mounts.flatMap(({ Type, Name }) => (Type === 'volume' && Name ? [Name] : [])));
  return [...names].reduce((sum, name) => sum + (unnamed.get(name) ?? 0), 0);
}

async function usageOf(client: EngineClient): Promise<z.output<typeof usageAnswer>> {
  const request = {
    method: 'GET',
    path: '/system/df',
    doing: 'asking what takes disk',
    limitMs: usageLimitMs,
  } as const;
  let refusal: unknown;
  const answer = await waitUntil(
    () =>
      client.call(request, usageAnswer).catch((error: unknown) => {
        if (!(error instanceof EngineRefusal && isAnsweringAnother.test(error.words))) throw error;
        refusal = error;
        return undefined;
      }),
    { everyMs: askAgainMs, limitMs: usageLimitMs },
  );
  if (answer === undefined) throw refusal;
  return answer;
}

/** Removes an ended container of ours with its unnamed volumes; one that runs or is gone stays as it is. */
export async function removeEnded(client: EngineClient, id: string): Promise<void> {
  const path = `/containers/${segment(id)}`;
  try {
    const container = await client.call(
      { method: 'GET', path: `${path}/json`, doing: 'reading an ended container' },
      endedAnswer,
    );
    requireOwn(client, provenLabels([container.Name], container.Config.Labels), 'container', id);
    if (container.State.Running) return;
    await client.send({
      method: 'DELETE',
      path,
      query: { v: true },
      doing: 'removing an ended container',
    });
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
}
