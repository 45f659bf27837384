/** Berth as it ships, except that the machine's packet filter is left alone. */
import { walls } from '../../server/src/composition/hosts/walls.ts';
import { start } from '../../server/src/start.ts';
import { noPortGuard } from '../../test/attacks/without/no-port-guard.ts';

await start({ walls: { ...walls, portGuard: noPortGuard } });
