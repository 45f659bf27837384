/** Tries a busybox on what health checks do with it (server/src/deploy/release/health-check.ts). */
import { createServer } from 'node:http';
import { once } from 'node:events';
import { tryCommand } from '../process/run-command.ts';

/** Each program of it that a health check runs, with the options it is run with. */
const script = `B=$1
[ "$($B cat /proc/self/stat | $B cut -d' ' -f1 | $B cut -c1-3)" ] || exit 90
$B sleep 0 || exit 91
read -r up rest </proc/uptime || exit 92
$B timeout 5 $B wget -S -q -O /dev/null -- "$2" 2>&1`;

/**
 * Undefined when it does all of it; else what it did. A request is sent to this process, once answered with
 * 200 and once with 503.
 */
export async function faultOfProbe(
  probe: string,
  options: { signal: AbortSignal },
): Promise<string | undefined> {
  const server = createServer((request, response) =>
    response.writeHead(request.url === '/well' ? 200 : 503).end(),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    for (const [path, isWell] of [
      ['well', true],
      ['ill', false],
    ] as const) {
      const { code, stdout } = await tryCommand(
        [probe, 'sh', '-c', script, 'trial', probe, `http://127.0.0.1:${port}/${path}`],
        { ...options, limitMs: 15_000 },
      );
      const hasStatus = stdout.includes(isWell ? ' 200 ' : ' 503 ');
      if ((code === 0) !== isWell || !hasStatus)
        return `asked for a page that answers ${isWell ? 200 : 503} it ended with exit code ${code}`;
    }
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    server.close();
  }
}
