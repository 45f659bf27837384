/** Names and hosts of previews, of pull requests and made by hand (decisions 11). */
import { badField } from '../errors.ts';
import { hostLabel, parseHost } from './names.ts';

const nameRoom = 63;

/**
 * Of a preview made by hand. It begins with a letter, so that it is never the number of a pull request, and
 * leaves room for the service's own name beside the longest wildcard.
 */
export const previewNamePattern = /^[a-z](?:[a-z0-9-]{0,23}[a-z0-9])?$/;

/** What tells the previews of a service apart: the number of the pull request, or the name. */
export function previewTag({ number, name }: { number: number | null; name: string | null }): string {
  return name ?? String(number ?? 0);
}

/**
 * `preview-<appName>-<tag>`, the appName cut so that the engine takes the name; `extra` makes it another one.
 */
export function previewAppName(appName: string, tag: string, extra = ''): string {
  const tail = `-${tag}${extra === '' ? '' : `-${extra}`}`;
  const name = appName.slice(0, nameRoom - 'preview-'.length - tail.length);
  return `preview-${name.replace(/[-_]+$/, '')}${tail}`;
}

/**
 * The wildcard with `*` replaced by `preview-<appName>-<tag>`; the appName is cut so that the label stays
 * within 63.
 */
export function previewHost(wildcard: string, appName: string, tag: string): string {
  const [label = ''] = wildcard.split('.', 1);
  const tail = `-${tag}`;
  const room = nameRoom - (label.length - 1) - 'preview-'.length - tail.length;
  return wildcard.replace('*', `preview-${hostLabel(appName, room)}${tail}`);
}

/**
 * Where an application names no wildcard: below the installation's base domain, else below a domain of
 * sslip.io that resolves to the server's own address.
 */
export function defaultWildcard(serverIp: string | null, baseDomain: string | null): string {
  if (baseDomain !== null) return `*.${baseDomain}`;
  return `*.${(serverIp ?? '127.0.0.1').replace(/[.:]/g, '-')}.sslip.io`;
}

/**
 * A host with one `*` in its first label, such as *.preview.example.com or *-pr.example.com. Throws
 * BAD_REQUEST naming `field`.
 */
export function parsePreviewWildcard(text: string, field = 'previewWildcard'): string {
  const [label = '', ...others] = text.split('.');
  if (label.split('*').length !== 2 || others.some((part) => part.includes('*')))
    throw badField(field, 'must have one "*", in its first label, such as *.preview.example.com');
  if (label.length > 25)
    throw badField(
      field,
      'has a first label that leaves too little room for the name of a preview; it may have 25 characters',
    );
  parseHost(text.replace('*', 'x'), field);
  return text;
}
