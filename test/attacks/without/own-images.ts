/** Berth composed so that it pulls images under the names of its own set-up; only a test starts it. */
import { walls } from '../../../server/src/composition/hosts/walls.ts';
import { start } from '../../../server/src/start.ts';

await start({ walls: { ...walls, isOwnImage: () => false } });
