/** Berth composed so that it follows whatever links a checkout has; only a test starts it. */
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { walls } from '../../../server/src/composition/hosts/walls.ts';
import { start } from '../../../server/src/start.ts';

await start({
  walls: {
    ...walls,
    files: () => ({
      ...walls.files(),
      readInside: (root, path) => readFile(join(root, path), 'utf8').catch(() => undefined),
      async copyInside(root, path, target) {
        await cp(join(root, path), target, { recursive: true, dereference: true });
        return true;
      },
      async writeInside(root, path, content) {
        await writeFile(join(root, path), content);
        return true;
      },
    }),
  },
});
