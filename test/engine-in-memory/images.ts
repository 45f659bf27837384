/** Images of the node, and registries to fetch them from. */
import { createHash } from 'node:crypto';
import { parseImageReference } from '../../server/src/adapters/engine/client/image-reference.ts';
import type { ImageContent } from './programs/program.ts';
import { Refusal } from './routes/refusal.ts';
import { changed, hexId, type Image, type Registry, type State } from './state.ts';

export function addImage(state: State, tag: string, content: ImageContent): Image {
  const image: Image = {
    id: `sha256:${hexId()}`,
    content,
    tags: new Set(),
    digests: new Set(),
    createdAt: Date.now(),
  };
  state.images.set(image.id, image);
  tagImage(state, image, tag);
  return image;
}

const withTag = (reference: string): string => {
  const { repository, tag } = parseImageReference(reference);
  return `${familiar(repository)}:${tag}`;
};
const familiar = (repository: string): string =>
  repository.replace(/^(?:docker\.io|index\.docker\.io)\//, '').replace(/^library\//, '');

/** By id, tag or digest. */
export function findImage(state: State, reference: string): Image | undefined {
  const id = state.images.get(reference);
  if (id !== undefined) return id;
  const { repository, tag } = parseImageReference(reference);
  return [...state.images.values()].find((image) =>
    reference.includes('@')
      ? image.digests.has(`${familiar(repository)}@${tag}`)
      : image.tags.has(withTag(reference)),
  );
}

export function requireImage(state: State, reference: string): Image {
  const image = findImage(state, reference);
  if (image === undefined) throw new Refusal(404, `No such image: ${reference}`);
  return image;
}

/** A tag is one image's: who had it loses it. */
export function tagImage(state: State, image: Image, tag: string): void {
  const whole = withTag(tag);
  for (const other of state.images.values()) other.tags.delete(whole);
  image.tags.add(whole);
}

/** Takes the tag away, and the image with its last one; one that runs stays, without a name. */
export function removeImage(state: State, reference: string): void {
  const image = requireImage(state, reference);
  if (reference.startsWith('sha256:')) image.tags.clear();
  else image.tags.delete(withTag(reference));
  if (image.tags.size > 0) return;
  const { repository } = parseImageReference(reference);
  const isUsed = [...state.containers.values()].some(
    (container) => container.image === image && container.state === 'running',
  );
  if (isUsed) {
    throw new Refusal(
      409,
      `conflict: unable to delete ${familiar(repository)} (cannot be forced) - ` +
        'image is being used by running container',
    );
  }
  state.images.delete(image.id);
}

const hostOf = (reference: string): string => {
  const [first = '', ...rest] = reference.split('/');
  return rest.length > 0 && /[.:]|^localhost$/.test(first) ? first : 'docker.io';
};

export interface Account {
  username: string;
  password: string;
}

/** The registry behind a host; throws what the network says when nobody answers there. */
export function registryAt(state: State, host: string): Registry {
  const registry = state.registries.get(host);
  if (registry === undefined)
    throw new Refusal(500, `Get "https://${host}/v2/": dial tcp: connect: connection refused`);
  return registry;
}

export function isAdmitted({ account }: Registry, given: Account | undefined): boolean {
  return (
    account === undefined || (account.username === given?.username && account.password === given.password)
  );
}

function requireAdmission(registry: Registry, given: Account | undefined): void {
  if (isAdmitted(registry, given)) return;
  const isAnonymous = given === undefined || given.username === '';
  throw new Refusal(500, isAnonymous ? 'no basic auth credentials' : 'unauthorized: authentication required');
}

/** Where a name without a host is looked for nobody answers: this machine has no way out. */
function registryOf(state: State, reference: string, missing: string): Registry {
  const host = hostOf(reference);
  if (host === 'docker.io' && !state.registries.has(host)) throw new Refusal(404, missing);
  return registryAt(state, host);
}

/** What the registry has under the reference, for whoever may have it. */
function offered(state: State, reference: string, account: Account | undefined): Image {
  const registry = registryOf(
    state,
    reference,
    `pull access denied for ${reference}, repository does not exist or may require 'docker login'`,
  );
  requireAdmission(registry, account);
  const { repository, tag } = parseImageReference(reference);
  const kept = registry.images.get(reference.includes('@') ? `${repository}@${tag}` : `${repository}:${tag}`);
  if (kept === undefined)
    throw new Refusal(404, `manifest for ${reference} not found: manifest unknown: manifest unknown`);
  return kept;
}

export function digestAt(state: State, reference: string, account: Account | undefined): string {
  return digestOf(offered(state, reference, account));
}

export function pull(state: State, reference: string, account: Account | undefined): Image {
  const kept = offered(state, reference, account);
  const { repository } = parseImageReference(reference);
  const image = state.images.get(kept.id) ?? {
    ...kept,
    tags: new Set<string>(),
    digests: new Set<string>(),
  };
  state.images.set(image.id, image);
  image.digests.add(`${familiar(repository)}@${digestOf(image)}`);
  if (!reference.includes('@')) tagImage(state, image, reference);
  changed(state);
  return image;
}

export function push(state: State, reference: string, account: Account | undefined): string {
  const image = requireImage(state, reference);
  const registry = registryOf(state, reference, `denied: requested access to ${reference} is denied`);
  requireAdmission(registry, account);
  const { repository, tag } = parseImageReference(reference);
  const digest = digestOf(image);
  registry.images.set(`${repository}:${tag}`, image);
  registry.images.set(`${repository}@${digest}`, image);
  image.digests.add(`${familiar(repository)}@${digest}`);
  return digest;
}

/** Of its manifest, which is another thing than its id. */
function digestOf({ id }: Image): string {
  return `sha256:${createHash('sha256').update(id).digest('hex')}`;
}
