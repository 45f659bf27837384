/** Takes the rules away by which Berth keeps containers from ports of the machine (domain/port-wall.ts). */
import { existsSync } from 'node:fs';
import { wallChain, wallTable } from '../../server/src/domain/network/port-wall.ts';
import type { Step } from '../context.ts';
import { tryCommand } from '../process/run-command.ts';

const limitMs = 15_000;

export const openPortsStep: Step = {
  title: 'Packet filter',
  async run({ signal }) {
    const removed: string[] = [];
    const says = async (argv: [string, ...string[]]): Promise<boolean> =>
      existsSync(argv[0]) && (await tryCommand(argv, { limitMs, signal })).code === 0;
    for (const program of ['/usr/sbin/iptables', '/usr/sbin/ip6tables']) {
      if (!(await says([program, '-w', '5', '-S', wallChain]))) continue;
      while (await says([program, '-w', '5', '-D', 'INPUT', '-j', wallChain]));
      await says([program, '-w', '5', '-F', wallChain]);
      if (await says([program, '-w', '5', '-X', wallChain])) removed.push(program);
    }
    if (await says(['/usr/sbin/nft', 'delete', 'table', 'inet', wallTable])) removed.push('/usr/sbin/nft');
    return removed.length === 0 ? 'has no rules of Berth' : 'its rules of Berth are removed';
  },
};
