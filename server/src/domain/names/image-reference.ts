/**
 * Names of container images: [registry[:port]/]path[:tag][@digest] (Docker image reference grammar,
 * github.com/distribution/reference).
 */
import { badField } from '../errors.ts';

const registry = '(?:[a-zA-Z0-9](?:[a-zA-Z0-9.-]{0,251}[a-zA-Z0-9])?)(?::[0-9]{1,5})?';
const component = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*';
const pattern = new RegExp(
  `^((?:${registry}/)?${component}(?:/${component})*)(?::[\\w][\\w.-]{0,127})?(?:@sha256:[0-9a-f]{64})?$`,
);
/** Characters that the name before tag and digest may have (NameTotalLengthMax of the same grammar). */
const longestName = 255;

/** Images of this prefix are on the server that built them and in no registry. */
export const builtPrefix = 'berth-build/';

/**
 * Repository of the images built for a service. Repository names are lower case (image reference grammar),
 * ids are not.
 */
export const builtRepository = (serviceId: string): string => `${builtPrefix}${serviceId.toLowerCase()}`;

/** Images of this prefix are made by set-up; whoever has the name at the default registry is a stranger. */
export const platformPrefix = 'berth/';

/** The default registry's own names; the engine leaves them out, so that they lead to local images too. */
const defaultRegistry = /^(?:(?:index\.)?docker\.io\/)?/i;
/** The engine takes such a name without a tag for the beginning of an image's id. */
const likeAnId = /^[0-9a-f]{1,64}$/;

/**
 * The reference itself; throws BAD_REQUEST naming `field` for anything the engine would not take, and for
 * what could lead to an image that Berth built: every organization's images lie in the one store of the
 * engine.
 */
export function parseImageReference(text: string, field = 'containerImage'): string {
  if (!isImageReference(text))
    throw badField(
      field,
      'is not an image name; write it like nginx:1.29 or registry.example.com/team/app:v1',
    );
  if (text.replace(defaultRegistry, '').startsWith(builtPrefix))
    throw badField(
      field,
      'names an image that Berth built; deploy its own service, or go back to one of its deployments',
    );
  if (likeAnId.test(text))
    throw badField(field, `could be the id of an image; write its tag too, like ${text}:latest`);
  // The engine looks for the image whose id begins like this, whosever it is.
  if (imageName(text) === 'sha256')
    throw badField(
      field,
      'is the id of an image, and an id does not show who may use it; write the name and the tag that ' +
        'it is pulled by',
    );
  return text;
}

/** Whether an engine would take it for a reference at all; what it may lead to is another question. */
export function isImageReference(text: string): boolean {
  const [, name] = text.length <= 500 ? (pattern.exec(text) ?? []) : [];
  return name !== undefined && name.length <= longestName;
}

/** Without tag and digest: a newer version of an image is the same one. */
export function imageName(reference: string): string {
  return reference.replace(/@.*$/, '').replace(/:[\w][\w.-]*$/, '');
}

/** Docker's short form of a name without tag and digest: the default registry's parts are left out. */
export function familiarName(name: string): string {
  return name.replace(/^(?:docker\.io|index\.docker\.io)\//, '').replace(/^library\//, '');
}

/** As an engine lists the image under its own tags or digests: `name:tag`, or `name@digest`. */
export function listedName(reference: string): string {
  const name = imageName(reference);
  const digest = reference.indexOf('@');
  if (digest >= 0) return `${familiarName(name)}${reference.slice(digest)}`;
  return `${familiarName(name)}${reference.slice(name.length) || ':latest'}`;
}

/** Whether the image bears this name itself; an engine finds images by parts of their ids too. */
export function isNamed(
  reference: string,
  { tags, digests }: { tags: readonly string[]; digests: readonly string[] },
): boolean {
  const wanted = listedName(reference);
  return [...tags, ...digests].some((name) => listedName(name) === wanted);
}

/** Whether set-up alone makes the image: it is pulled from nowhere. */
export const isPlatformImage = (reference: string): boolean =>
  familiarName(imageName(reference)).startsWith(platformPrefix);

/**
 * Host and port of the registry an image comes from; empty for the default registry. Upper case makes the
 * first part a host too (splitDockerDomain of the same grammar).
 */
export function registryOf(reference: string): string {
  const [first = '', ...rest] = reference.split('/');
  return rest.length > 0 && (/[.:\p{Lu}]/u.test(first) || first === 'localhost') ? first : '';
}
