/**
 * Berth composed with a git that fetches from folders of the machine whoever names them; only a test starts
 * it.
 */
import { walls } from '../../../server/src/composition/hosts/walls.ts';
import { start } from '../../../server/src/start.ts';

/** The test has put it there. */
const gitPath = '/usr/local/bin/git-of-all-folders';

await start({
  walls: { ...walls, adapters: (config, parts) => walls.adapters({ ...config, gitPath }, parts) },
});
