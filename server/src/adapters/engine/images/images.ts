import { AppError } from '../../../domain/errors.ts';
import { isBuiltHere } from '../../../domain/builds/built-image.ts';
import { builtPrefix } from '../../../domain/names/image-reference.ts';
import type { ImageState } from '../../../ports/engine/engine-image.ts';
import type { RegistryAuth } from '../../../ports/engine/registry-auth.ts';
import { imageAnswer, imagesAnswer } from '../services/answers.ts';
import type { ImageAnswer } from '../services/answers.ts';
import type { EngineClient } from '../client/engine-client.ts';
import { EngineRefusal, isAbsent } from '../client/engine-error.ts';
import { imagePath, parseImageReference } from '../client/image-reference.ts';
import { calmerCheck } from './calmer-check.ts';

const registryLimitMs = 60_000;

/** The image of this node; undefined when it is not here. */
export async function findImage(client: EngineClient, reference: string): Promise<ImageState | undefined> {
  try {
    return imageState(
      await client.call(
        { method: 'GET', path: `${imagePath(reference)}/json`, doing: `reading the image ${reference}` },
        imageAnswer,
      ),
    );
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** This node's images that bear the label, newest first. */
export async function listImages(client: EngineClient, label: string): Promise<ImageState[]> {
  const images: ImageState[] = [];
  for (const id of await imageIds(client, label)) {
    const image = await findImage(client, id);
    if (image !== undefined) images.push(image);
  }
  return images.sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
}

/**
 * Images that Berth built of those that bear the label, newest first, with the names that Berth gave them
 * alone. Images that somebody made from them inherit the label, and names that somebody gave them stay.
 */
export async function builtImages(client: EngineClient, label: string): Promise<ImageState[]> {
  return (await listImages(client, label)).flatMap((image) => {
    const tags = image.tags.filter((tag) => tag.startsWith(builtPrefix));
    const isNamedByOthers = tags.length === 0 && image.tags.length > 0;
    return !isNamedByOthers && isBuiltHere({ ...image, tags }) ? [{ ...image, tags }] : [];
  });
}

/** Ids of this node's images that bear the label, newest first, by the second. */
export async function imageIds(client: EngineClient, label: string): Promise<string[]> {
  const listed = await client.call(
    { method: 'GET', path: '/images/json', query: { filters: { label: [label] } }, doing: 'listing images' },
    imagesAnswer,
  );
  return listed.sort((a, b) => b.Created - a.Created).map(({ Id: id }) => id);
}

export async function tagImage(client: EngineClient, source: string, target: string): Promise<void> {
  const { repository, tag } = parseImageReference(target);
  await client.send({
    method: 'POST',
    path: `${imagePath(source)}/tag`,
    query: { repo: repository, tag },
    doing: `tagging the image ${source} as ${target}`,
  });
}

/**
 * Removes one tag, and the layers nothing else needs; absent or in use by what runs is no error. Ended
 * containers, of which Swarm keeps some for each service, hold nothing back.
 */
export async function removeImage(client: EngineClient, reference: string): Promise<void> {
  try {
    await client.send({
      method: 'DELETE',
      path: imagePath(reference),
      query: { force: true },
      doing: `removing the image ${reference}`,
    });
  } catch (error) {
    const isInUse = error instanceof EngineRefusal && error.status === 409;
    if (!isInUse && !isAbsent(error)) throw error;
  }
}

/** Signs in at a registry as the engine would; throws BAD_REQUEST with the registry's words. */
export async function checkRegistry(client: EngineClient, auth: RegistryAuth): Promise<void> {
  const body = {
    username: auth.username,
    password: auth.password.reveal(),
    serveraddress: auth.serverAddress,
  };
  try {
    await client.send({
      method: 'POST',
      path: '/auth',
      body,
      doing: `signing in at ${auth.serverAddress || 'the default registry'}`,
      limitMs: registryLimitMs,
    });
  } catch (error) {
    if (!(error instanceof EngineRefusal)) throw error;
    throw new AppError(
      'BAD_REQUEST',
      `The registry ${auth.serverAddress || '(default)'} refused the sign-in of ${auth.username}: ` +
        `${error.words}`,
      { cause: error },
    );
  }
}

function imageState(image: ImageAnswer): ImageState {
  const check = image.Config?.Healthcheck?.Test ?? [];
  return {
    id: image.Id,
    tags: image.RepoTags ?? [],
    digests: image.RepoDigests ?? [],
    labels: image.Config?.Labels ?? {},
    createdAt: image.Created,
    sizeBytes: image.Size,
    hasHealthCheck: check.length > 0 && check[0] !== 'NONE',
    calmerHealthCheck: calmerCheck(image.Config?.Healthcheck),
    volumes: Object.keys(image.Config?.Volumes ?? {}),
    entrypoint: image.Config?.Entrypoint ?? [],
    exposedPorts: Object.keys(image.Config?.ExposedPorts ?? {})
      .flatMap(tcpPort)
      .sort((a, b) => a - b),
    env: Object.fromEntries(
      (image.Config?.Env ?? []).map((entry) => [
        entry.slice(0, Math.max(0, entry.indexOf('='))),
        entry.slice(entry.indexOf('=') + 1),
      ]),
    ),
  };
}

/** `3000/tcp` → 3000; other protocols have no place behind the proxy. */
function tcpPort(exposed: string): number[] {
  const [port, protocol = 'tcp'] = exposed.split('/');
  return protocol === 'tcp' && Number.isInteger(Number(port)) ? [Number(port)] : [];
}
