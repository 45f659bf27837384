/** Names of container images: [registry[:port]/]path[:tag][@digest] (Docker image reference grammar, github.com/distribution/reference). */
import { badField } from './errors.ts';

const registry = '(?:[a-zA-Z0-9](?:[a-zA-Z0-9.-]{0,251}[a-zA-Z0-9])?)(?::[0-9]{1,5})?';
const component = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*';
const pattern = new RegExp(`^((?:${registry}/)?${component}(?:/${component})*)(?::[\\w][\\w.-]{0,127})?(?:@sha256:[0-9a-f]{64})?$`);
/** Characters that the name before tag and digest may have (NameTotalLengthMax of the same grammar). */
const longestName = 255;

/** The reference itself; throws BAD_REQUEST naming `field` for anything the engine would not take. */
export function parseImageReference(text: string, field = 'containerImage'): string {
  const [, name] = text.length <= 500 ? pattern.exec(text) ?? [] : [];
  if (name !== undefined && name.length <= longestName) return text;
  throw badField(field, 'is no image name; write it like nginx:1.29 or registry.example.com/team/app:v1');
}

/** Host and port of the registry an image comes from; empty for the default registry. */
export function registryOf(reference: string): string {
  const [first = '', ...rest] = reference.split('/');
  return rest.length > 0 && (first.includes('.') || first.includes(':') || first === 'localhost') ? first : '';
}
