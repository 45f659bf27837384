/**
 * Berth composed without limits on what anybody takes of its memory and disk, and with logs that are read
 * whole, as they once were; only a test starts it.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { walls } from '../../../server/src/composition/hosts/walls.ts';
import { start } from '../../../server/src/start.ts';

const unlimited = { streamLimit: Number.MAX_SAFE_INTEGER, runOutputLimit: 1024 ** 3 };

await start({
  walls: {
    ...walls,
    settings(...parts) {
      const real = walls.settings(...parts);
      return { ...real, get: async () => ({ ...(await real.get()), ...unlimited }) };
    },
    adapters(config, parts) {
      const real = walls.adapters(config, parts);
      return {
        ...real,
        uploads: { ...real.uploads, settle: async () => undefined },
        logs: {
          ...real.logs,
          async readEnd(deploymentId, { tail = Infinity } = {}) {
            const log = await readFile(join(config.data, 'logs', `${deploymentId}.log`), 'utf8');
            const lines = log.split('\n').filter((line) => line !== '');
            return lines.slice(-tail).map((text) => ({ position: 0, text }));
          },
        },
      };
    },
  },
});
