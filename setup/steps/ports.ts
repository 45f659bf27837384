import { proxyServiceName } from '../../server/src/domain/names/names.ts';
import { createServer } from 'node:net';
import { AppError } from '../../server/src/domain/errors.ts';
import type { SetupContext, Step } from '../context.ts';

/**
 * Ports that Berth and its proxy will listen on: another program there is named now, not as a failed start
 * later.
 */
export const portsStep: Step = {
  title: 'Ports',
  async run(context) {
    const { settings, starter, engine } = context;
    const wanted = [
      ...((await starter.running(context)) === undefined
        ? [{ port: settings.port, host: settings.host, setting: 'BERTH_PORT' }]
        : []),
      ...((await engine.hasService(proxyServiceName))
        ? []
        : [
            { port: settings.httpPort, host: '0.0.0.0', setting: 'BERTH_HTTP_PORT' },
            { port: settings.httpsPort, host: '0.0.0.0', setting: 'BERTH_HTTPS_PORT' },
          ]),
    ];
    for (const one of wanted) await requireFree(one, context);
    return wanted.length === 0
      ? 'already in use by Berth'
      : `${wanted.map(({ port }) => port).join(', ')} free`;
  },
};

async function requireFree(
  { port, host, setting }: { port: number; host: string; setting: string },
  { signal }: SetupContext,
): Promise<void> {
  signal.throwIfAborted();
  const fault = await new Promise<string | undefined>((resolve) => {
    const server = createServer();
    server.once('error', (error) => resolve('code' in error ? String(error.code) : error.message));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
  if (fault === undefined) return;
  const reason = fault === 'EADDRINUSE' ? 'is in use by another program' : `cannot be listened on (${fault})`;
  throw new AppError(
    'PRECONDITION_FAILED',
    `port ${port} ${reason}. End that program ("ss -ltnp" names it), or choose another port: ` +
      `${setting}=<port> ./bin/up`,
  );
}
