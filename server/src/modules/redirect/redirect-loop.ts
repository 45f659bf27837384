/** Finds redirects that bring a browser back to where it was. */
import { runInNewContext } from 'node:vm';
import { badField } from '../../domain/errors.ts';
import { parseReplacement } from '../../domain/routing/redirect.ts';
import { encodedPath } from '../../domain/routing/route-path.ts';

/** A rule as the proxy tries it. */
export interface RedirectRule {
  regex: string;
  replacement: string;
}

/** Where the application answers. */
export interface RedirectOrigin {
  host: string;
  path: string;
  https: boolean;
}

/** Reads where an application answers. */
export const originsOf =
  (domains: {
    list(where: { applicationId: string }): Promise<(RedirectOrigin & { asciiHost: string })[]>;
  }) =>
  async (applicationId: string): Promise<RedirectOrigin[]> =>
    (await domains.list({ applicationId })).map(({ asciiHost, path, https }) => ({
      host: asciiHost,
      path,
      https,
    }));

/** As many redirects as browsers follow (https://fetch.spec.whatwg.org, 4.4). */
const mostSteps = 20;

/**
 * Throws BAD_REQUEST naming `field` when a request for one of the origins would be redirected in a
 * circle by these rules, the first of which that matches answers.
 */
export function refuseLoops(
  rules: readonly RedirectRule[],
  origins: readonly RedirectOrigin[],
  field: 'regex' | 'replacement' = 'replacement',
): void {
  const usable = rules.flatMap((rule) => compiled(rule) ?? []);
  for (const origin of origins.slice(0, 50))
    for (const page of ['', 'page']) {
      const scheme = origin.https ? 'https' : 'http';
      const start = `${scheme}://${origin.host.replace('*', 'www')}${below(origin, page)}`;
      const circle = circleFrom(start, usable, origins);
      if (circle !== undefined)
        throw badField(
          field,
          `leads in a circle: ${circle.join(' → ')}. Make regex narrower, so that it does not match ` +
            'where the redirect leads',
        );
    }
}

const below = ({ path }: RedirectOrigin, page: string): string =>
  `${encodedPath(path).replace(/\/$/, '')}/${page}`;

function circleFrom(
  start: string,
  rules: readonly Compiled[],
  origins: readonly RedirectOrigin[],
): string[] | undefined {
  const seen = [start];
  for (let step = 0; step < mostSteps; step += 1) {
    const next = redirected(seen.at(-1) ?? start, rules, origins);
    if (next === undefined) return undefined;
    const at = seen.indexOf(next);
    if (at >= 0) return [...seen.slice(at), next];
    seen.push(next);
  }
  return seen;
}

/** Where the proxy sends a request for this address; undefined: to the service, or it is another's. */
function redirected(
  address: string,
  rules: readonly Compiled[],
  origins: readonly RedirectOrigin[],
): string | undefined {
  const [, scheme = '', host = '', rest = ''] = /^(https?):\/\/([^/?#]+)([^#]*)/.exec(address) ?? [];
  const own = origins.filter(({ host: name }) => name === host || name === host.replace(/^[^.]+/, '*'));
  if (own.length === 0) return undefined;
  if (scheme === 'http' && own.every(({ https }) => https)) return `https://${host}${rest}`;
  for (const rule of rules)
    for (const text of rule.isOfPath ? [address, rest] : [address]) {
      const result = replaced(rule, text);
      if (result !== undefined && result !== '')
        return result.startsWith('/') ? `${scheme}://${host}${result}` : result;
    }
  return undefined;
}

interface Compiled {
  source: string;
  flags: string;
  isOfPath: boolean;
  replacement: string;
}

/** In the words of this program; undefined for what only the proxy's engine knows. */
function compiled({ regex, replacement }: RedirectRule): Compiled | undefined {
  const flags = regex.startsWith('(?i)') ? 'iv' : 'v';
  const source = regex
    .replace(/^\(\?i\)/, '')
    .replaceAll('(?P<', '(?<')
    .replaceAll('\\A', '^')
    .replaceAll('\\z', '$');
  for (const mode of [flags, flags.replace('v', '')])
    try {
      void new RegExp(source, mode);
      return { source, flags: mode, isOfPath: /\^|\\A/.test(regex), replacement };
    } catch {
      continue;
    }
  return undefined;
}

/** Enough for every rule that a proxy needs; one that takes longer here is not looked into. */
const limitMs = 20;

function replaced({ source, flags, replacement }: Compiled, text: string): string | undefined {
  let found: RegExpExecArray | null;
  try {
    // Another context, since only there the time of a match can be limited.
    found = runInNewContext(
      'new RegExp(source, flags).exec(text)',
      { source, flags, text },
      { timeout: limitMs },
    );
  } catch {
    return undefined;
  }
  if (found === null) return undefined;
  const groups = found.groups ?? {};
  const middle = parseReplacement(replacement).map((part) =>
    typeof part === 'string'
      ? part
      : ((typeof part.group === 'number' ? found[part.group] : groups[part.group]) ?? ''),
  );
  return text.slice(0, found.index) + middle.join('') + text.slice(found.index + found[0].length);
}
