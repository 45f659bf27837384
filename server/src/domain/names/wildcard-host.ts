/** Which wildcard hosts one organization may hold: those below a name that somebody can register. */
import { badField } from '../errors.ts';

/** Below it everybody's generated hosts stand (`generatedHost` in names.ts). */
const generatedZone = 'sslip.io';

/**
 * Refuses a wildcard that would take in what others own: every name below a public suffix
 * (https://publicsuffix.org, its private part too: `*.github.io`), or below the zone of generated hosts.
 * `asciiHost` as `parseHost` gives it; hosts without a wildcard, and those below `localhost`, pass. Throws
 * BAD_REQUEST naming `field`.
 */
export async function checkWildcardHost(asciiHost: string, field = 'host'): Promise<void> {
  if (!asciiHost.startsWith('*.')) return;
  const name = asciiHost.slice(2);
  if (isBelow(name, 'localhost')) return;
  if (isBelow(name, generatedZone))
    throw badField(
      field,
      `cannot be ${asciiHost}: everybody's generated hosts are below ${generatedZone}. Name one host, ` +
        'or use a wildcard below a domain of your own, such as *.apps.example.com',
    );
  if ((await publicSuffixOf(name)) === name)
    throw badField(
      field,
      `cannot be ${asciiHost}: anybody can have a name below ${name}, which is a public suffix. Use a ` +
        'wildcard below a domain of your own, such as *.apps.example.com',
    );
}

/** Loaded when the first wildcard is judged: the list takes 10 MB of memory. */
async function publicSuffixOf(name: string): Promise<string | null> {
  const { getPublicSuffix } = await import('tldts');
  return getPublicSuffix(name, {
    allowPrivateDomains: true,
    extractHostname: false,
    validateHostname: false,
  });
}

function isBelow(name: string, zone: string): boolean {
  return name === zone || name.endsWith(`.${zone}`);
}
