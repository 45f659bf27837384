/** Which route a request took, by its host and address as the proxy looks at them. Pure. */

export interface Routed {
  /** ASCII, lower case, perhaps `*.` and the rest. */
  host: string;
  path: string;
}

/**
 * Gives the route with the longest path of an exact host, else of the wildcard above it; undefined when none
 * takes it.
 */
export function routeMatcher<T extends Routed>(
  routes: readonly T[],
): (host: string, address: string) => T | undefined {
  const ofHost = Map.groupBy(
    routes.map((route) => ({ route, prefix: route.path.replace(/\/+$/, '').toLowerCase() })),
    ({ route }) => route.host,
  );
  for (const group of ofHost.values()) group.sort((left, right) => right.prefix.length - left.prefix.length);
  return (host, address) => {
    const name = host.replace(/:[0-9]*$/, '').toLowerCase();
    const path = seenPath(address);
    for (const candidate of [name, name.replace(/^[^.]+/, '*')]) {
      const found = ofHost
        .get(candidate)
        ?.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`));
      if (found) return found.route;
    }
    return undefined;
  };
}

/**
 * Decoded once, in lower case, without repeated slashes and dots as parts.
 */
function seenPath(address: string): string {
  const raw = address.replace(/^https?:\/\/[^/?]*/i, '').replace(/[?#].*$/s, '');
  const parts: string[] = [];
  for (const part of decoded(raw).toLowerCase().split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
