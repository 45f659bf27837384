/** Keeps services' containers from ports of their machine, by its packet filter. */
import type { WalledPorts } from '../../domain/network/port-wall.ts';

export interface PortWall {
  /**
   * Puts the rules in place where they are missing or differ. Gives whether it had to, and why there are
   * none where the machine has no packet filter that may be used; never throws for that.
   */
  ensure(wanted: WalledPorts): Promise<{ changed: boolean; problem: string | undefined }>;
}
