/** Whether a proxy is safe to be reached by everybody. */
import { tryCommand } from '../process/run-command.ts';

export interface ProxyVersion {
  caddy: string;
  go: string;
}

/**
 * Before these, one client can take a machine's memory over HTTP/2 (CVE-2023-44487, CVE-2023-39325); measured
 * with Caddy 2.6.2: 10 GB by 8 seconds of requests that were taken back.
 */
export const leastProxy: ProxyVersion = { caddy: '2.7.5', go: '1.20.10' };

/** What the image's program says of itself; undefined when it is no Caddy that runs here. */
export async function proxyVersion(
  image: string,
  { dockerCli, socket, signal }: { dockerCli: string; socket: string; signal: AbortSignal },
): Promise<ProxyVersion | undefined> {
  const ask = async (word: string): Promise<string> =>
    (
      await tryCommand(
        [
          dockerCli,
          '--host',
          `unix://${socket}`,
          'run',
          '--rm',
          '--network=none',
          '--memory=256m',
          '--pids-limit=64',
          '--entrypoint=caddy',
          image,
          word,
        ],
        { signal, limitMs: 60_000 },
      )
    ).stdout;
  return readVersion(await ask('version'), await ask('build-info'));
}

/** Of `caddy version` ("v2.8.4 h1:…", "2.6.2") and `caddy build-info` (a line "go", tab, "go1.22.3"). */
export function readVersion(version: string, buildInfo: string): ProxyVersion | undefined {
  const caddy = /^v?(\d+\.\d+\.\d+)/.exec(version.trim())?.[1];
  const go = /^go\s+go(\d+\.\d+(?:\.\d+)?)/m.exec(buildInfo)?.[1];
  return caddy === undefined || go === undefined ? undefined : { caddy, go };
}

/** A sentence when it is older than it may be. */
export function faultOfProxy({ caddy, go }: ProxyVersion): string | undefined {
  if (!isOlder(caddy, leastProxy.caddy) && !isOlder(go, leastProxy.go)) return undefined;
  return (
    `it is Caddy ${caddy} made with Go ${go}, and before Caddy ${leastProxy.caddy} and Go ${leastProxy.go} ` +
    "one client can take all of the machine's memory over HTTP/2 (CVE-2023-44487)"
  );
}

function isOlder(version: string, least: string): boolean {
  const [one, other] = [version, least].map((text) => text.split('.').map(Number));
  for (const [index, number] of (other ?? []).entries()) {
    const own = one?.[index] ?? 0;
    if (own !== number) return own < number;
  }
  return false;
}
