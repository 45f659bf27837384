/**
 * Labels by which Traefik and caddy-docker-proxy route, read to say which domain stands for them here. Pure.
 */

interface Route {
  host: string;
  port: string | undefined;
}

const traefikRule = /^traefik\.http\.routers\.[^.]{1,100}\.rule$/;
const traefikPort = /^traefik\.http\.services\.[^.]{1,100}\.loadbalancer\.server\.port$/;
/** Traefik's matcher in its versions 2 and 3, and the names in it. */
const hostMatcher = /\bHost\(([^)]{1,500})\)/g;
const quotedName = /[`"']([a-zA-Z0-9.*-]{1,253})[`"']/g;
const caddySite = /^caddy(?:_[0-9]{1,3})?$/;
const caddyPort = /\{\{ *upstreams +(?:https? +)?([0-9]{1,5}) *\}\}/;

/** A note for each host that such labels name; one without host where they only switch a proxy on. */
export function proxyLabelNotes(service: string, labels: Readonly<Record<string, string>>): string[] {
  const names = Object.keys(labels).filter((name) => /^(?:traefik\.|caddy(?:$|[._]))/.test(name));
  if (names.length === 0 || labels['traefik.enable'] === 'false') return [];
  const where = `services.${service}.labels`;
  const routes = [...traefikRoutes(labels), ...caddyRoutes(labels)];
  if (routes.length === 0)
    return [
      `${where}: labels of another proxy have no effect; give ${service} a domain to reach it from outside.`,
    ];
  return routes.map(
    ({ host, port }) =>
      `${where}: labels of another proxy have no effect; give ${service} the domain ${host}` +
      `${port === undefined ? '' : ` with port ${port}`} to reach it from outside.`,
  );
}

function traefikRoutes(labels: Readonly<Record<string, string>>): Route[] {
  const entries = Object.entries(labels);
  const port = entries.find(([name]) => traefikPort.test(name))?.[1];
  return entries
    .filter(([name]) => traefikRule.test(name))
    .flatMap(([, rule]) => [...rule.matchAll(hostMatcher)])
    .flatMap(([, names = '']) => [...names.matchAll(quotedName)])
    .map(([, host = '']) => ({ host, port }));
}

function caddyRoutes(labels: Readonly<Record<string, string>>): Route[] {
  const entries = Object.entries(labels);
  const upstream = entries.find(([name]) =>
    /^caddy(?:_[0-9]{1,3})?\.(?:\S+\.)?reverse_proxy$/.test(name),
  )?.[1];
  const port = caddyPort.exec(upstream ?? '')?.[1];
  return entries
    .filter(([name]) => caddySite.test(name))
    .flatMap(([, sites]) => sites.split(/[\s,]+/))
    .map((site) => site.replace(/^https?:\/\//, ''))
    .filter((host) => /^[a-zA-Z0-9.*-]{1,253}$/.test(host))
    .map((host) => ({ host, port }));
}
