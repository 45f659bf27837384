import { parseReplacement } from '../../../domain/routing/redirect.ts';
import { parseRegex } from '../../../domain/routing/regex.ts';
import type { Route, RouteRedirect } from '../../../ports/proxy.ts';

/** Of whoever asks, without path: constant but for the host, which the route has matched already. */
export interface Origin {
  scheme: 'http' | 'https';
  /** As browsers see it. */
  port: number;
}

/**
 * Handlers of a route's redirects, in their order. A regular expression is looked for in the whole address
 * and, where it can begin with a path (`^/old`), in path and query; what stands round the match stays. `map`
 * is used since it alone reads neither the address nor its own output again for placeholders: the matcher
 * `vars_regexp` of Caddy 2.6 does, and would give `{env.…}` to whoever puts it into a query (measured).
 */
export function redirectHandlers({ redirects }: Pick<Route, 'redirects'>, origin: Origin) {
  const host = originText(origin);
  return redirects.flatMap((redirect, index) => [
    ...attempt(redirect, { name: `berth.redirect.${index}`, text: `${host}{http.request.uri}`, host }),
    ...(/\^|\\A/.test(redirect.regex)
      ? attempt(redirect, {
          name: `berth.redirect.${index}.path`,
          text: '{http.request.uri}',
          host,
          isPath: true,
        })
      : []),
  ]);
}

function originText({ scheme, port }: Origin): string {
  return `${scheme}://{http.request.host}${port === (scheme === 'https' ? 443 : 80) ? '' : `:${port}`}`;
}

interface Attempt {
  /** Of the variable that holds the result. */
  name: string;
  /** What the regular expression is looked for in. */
  text: string;
  host: string;
  isPath?: boolean;
}

function attempt(
  { regex, replacement, permanent }: RouteRedirect,
  { name, text, host, isPath = false }: Attempt,
) {
  const result = `{${name}}`;
  const home = `{${name}.home}`;
  // 308 and 307 keep method and body (RFC 9110, 15.4.8 and 15.4.9).
  const respond = {
    handler: 'static_response',
    status_code: permanent ? 308 : 307,
    headers: { Location: [`${home}${result}`] },
  };
  return [
    mapping(text, result, `^(${isPath ? '' : '.*?'})(${regex})(.*)$`, output(regex, replacement)),
    // A result that begins with "/" stays on this host: by itself "//evil.test" would lead elsewhere.
    mapping(`${host} ${result}`, home, '^([^ ]+) /', '${1}'),
    {
      handler: 'subroute',
      routes: [{ match: [{ not: [{ vars: { [result]: [''] } }] }], handle: [respond], terminal: true }],
    },
  ];
}

function mapping(source: string, destination: string, pattern: string, replacement: string) {
  return {
    handler: 'map',
    source,
    destinations: [destination],
    mappings: [{ input_regexp: pattern, outputs: [replacement] }],
    defaults: [''],
  };
}

/**
 * In the words of Go's `Regexp.Expand`: before the person's own groups stand what precedes the match and the
 * match itself, after them what follows it.
 */
function output(regex: string, replacement: string): string {
  const parts = parseReplacement(replacement).map((part) =>
    typeof part === 'string'
      ? part.replaceAll('$', '$$$$')
      : `\${${typeof part.group === 'number' ? part.group + 2 : part.group}}`,
  );
  return `\${1}${parts.join('')}\${${parseRegex(regex).groups + 3}}`;
}
