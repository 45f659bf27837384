/** Takes the rules away by which Berth keeps containers from ports of the machine (domain/port-wall.ts). */
import { existsSync } from 'node:fs';
import { outwardChain, outwardJump } from '../../server/src/domain/network/outward-wall.ts';
import { wallChain, wallTable } from '../../server/src/domain/network/port-wall.ts';
import type { Step } from '../context.ts';
import { tryCommand } from '../process/run-command.ts';

const limitMs = 15_000;

/** Chains of Berth's own, with the rules of others that lead there. */
const chains: readonly { chain: string; jumps: readonly (readonly string[])[] }[] = [
  { chain: wallChain, jumps: [['INPUT', '-j', wallChain]] },
  { chain: outwardChain, jumps: ['DOCKER-USER', 'FORWARD'].map((parent) => [parent, ...outwardJump]) },
];

export const openPortsStep: Step = {
  title: 'Packet filter',
  async run({ signal }) {
    const removed: string[] = [];
    const says = async (argv: [string, ...string[]]): Promise<boolean> =>
      existsSync(argv[0]) && (await tryCommand(argv, { limitMs, signal })).code === 0;
    for (const program of ['/usr/sbin/iptables', '/usr/sbin/ip6tables']) {
      let isOurs = false;
      for (const { chain, jumps } of chains) {
        if (!(await says([program, '-w', '5', '-S', chain]))) continue;
        for (const jump of jumps) while (await says([program, '-w', '5', '-D', ...jump]));
        await says([program, '-w', '5', '-F', chain]);
        isOurs = (await says([program, '-w', '5', '-X', chain])) || isOurs;
      }
      if (isOurs) removed.push(program);
    }
    if (await says(['/usr/sbin/nft', 'delete', 'table', 'inet', wallTable])) removed.push('/usr/sbin/nft');
    return removed.length === 0 ? 'has no rules of Berth' : 'its rules of Berth are removed';
  },
};
