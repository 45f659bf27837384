import { createServer } from 'node:net';

/**
 * Whether nothing on this machine listens on the TCP port, whatever program it is; the engine's published
 * ports count, since its proxy listens on them.
 */
export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const trial = createServer();
    trial.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false);
      else reject(error);
    });
    trial.listen({ port, host: '0.0.0.0', exclusive: true }, () => trial.close(() => resolve(true)));
  });
}
