/** The packet filter of Berth's own machine: iptables, which the engine uses as well, else nftables. */
import { existsSync } from 'node:fs';
import {
  iptablesRules,
  nftablesScript,
  wallChain,
  wallTable,
  type WalledPorts,
} from '../../../domain/network/port-wall.ts';
import { outwardChain, outwardJump, passedRules } from '../../../domain/network/outward-wall.ts';
import { AppError, sentenceOf } from '../../../domain/errors.ts';
import type { PortWall } from '../../../ports/host/port-wall.ts';
import { programOf } from '../../../shell/command.ts';
import { outputOf } from './program-output.ts';

/** Runs a program of the packet filter with its input; returns its output, undefined when it refuses. */
export type RunFilter = (argv: readonly [string, ...string[]], input?: string) => Promise<string | undefined>;

export interface PortWallOptions {
  run?: RunFilter;
  /** Whether there is a program at the path. */
  hasProgram?(path: string): boolean | Promise<boolean>;
  hasIpv6?: boolean | undefined;
}

const programs = ['/usr/sbin/iptables', '/usr/sbin/ip6tables', '/usr/sbin/nft'] as const;

export function createPortWall({
  run = outputOf,
  hasProgram = existsSync,
  hasIpv6 = existsSync('/proc/net/if_inet6'),
}: PortWallOptions = {}): PortWall {
  const [iptables, ip6tables, nft] = programs;
  /** By program: for which rules, and what the filter showed when they had been put there. */
  const known = new Map<string, { rules: string; shown: string }>();

  /** Gives whether anything differed from what it should be. */
  async function follow(filter: Filter, wanted: WalledPorts): Promise<boolean> {
    const rules = JSON.stringify(wanted);
    const last = known.get(filter.program);
    const present = await filter.shown(wanted);
    if (present !== undefined && last?.rules === rules && last.shown === present) return false;
    await filter.put(wanted);
    const shown = await must(filter.shown(wanted), filter.program);
    known.set(filter.program, { rules, shown });
    return present !== shown;
  }
  return {
    async ensure(wanted) {
      try {
        if (await hasProgram(iptables)) {
          const changed = await follow(iptablesAt(iptables, run), wanted);
          const also =
            hasIpv6 && (await hasProgram(ip6tables)) && (await follow(iptablesAt(ip6tables, run), wanted));
          return { changed: changed || also, problem: undefined };
        }
        if (await hasProgram(nft))
          return { changed: await follow(nftablesAt(nft, run), wanted), problem: undefined };
        return { changed: false, problem: 'there is neither iptables nor nft on this machine' };
      } catch (error) {
        return { changed: false, problem: sentenceOf(error) };
      }
    },
  };
}

interface Filter {
  program: string;
  /** What stands there of ours; undefined when something of it is missing. */
  shown(wanted: WalledPorts): Promise<string | undefined>;
  put(wanted: WalledPorts): Promise<void>;
}

function iptablesAt(program: string, run: RunFilter): Filter {
  const filter = (...args: string[]): Promise<string | undefined> => run([program, '-w', '5', ...args]);
  const family = program.includes('ip6') ? 6 : 4;
  /** Docker's manual, "Packet filtering and firewalls": its own rules come after this chain. */
  const passing = async (): Promise<string> =>
    (await filter('-S', 'DOCKER-USER')) === undefined ? 'FORWARD' : 'DOCKER-USER';

  /** What a chain of ours holds; undefined when something before the jump lets a connection through. */
  async function chainBelow(
    parent: string,
    jump: readonly string[],
    chain: string,
  ): Promise<string | undefined> {
    const [rules, above] = [await filter('-S', chain), await filter('-S', parent)];
    const [before = '', ...after] = (above ?? '').split(`-A ${parent} ${jump.join(' ')}\n`);
    const isOpen = before
      .split('\n')
      .some((line) => / -j (?:ACCEPT|RETURN)\b/.test(line) && !/ESTABLISHED/.test(line));
    return after.length > 0 && !isOpen ? rules : undefined;
  }
  async function putFirst(parent: string, jump: readonly string[]): Promise<void> {
    await filter('-D', parent, ...jump);
    await must(filter('-I', parent, ...jump), program);
  }
  return {
    program,
    async shown({ outward }) {
      const ports = await chainBelow('INPUT', portsJump, wallChain);
      if (ports === undefined || outward === undefined) return ports;
      const passed = await chainBelow(await passing(), outwardJump, outwardChain);
      return passed === undefined ? undefined : `${ports}${passed}`;
    },
    async put(wanted) {
      const chains: [string, string[][]][] = [[wallChain, iptablesRules(wanted, family)]];
      if (wanted.outward) chains.push([outwardChain, passedRules(wanted.outward, family)]);
      // All at once: between two programs a chain would be empty, and everything open.
      const restore = run([`${program}-restore`, '-w', '5', '--noflush'], restoreText(chains));
      await must(restore, program);
      await putFirst('INPUT', portsJump);
      if (wanted.outward) await putFirst(await passing(), outwardJump);
    },
  };
}

const portsJump = ['-j', wallChain] as const;

/** What iptables-restore reads: chains made or emptied, then their rules. */
function restoreText(chains: readonly [string, string[][]][]): string {
  const word = (text: string): string => (text.includes(' ') ? `"${text}"` : text);
  return [
    '*filter',
    ...chains.map(([chain]) => `:${chain} - [0:0]`),
    ...chains.flatMap(([chain, rules]) => rules.map((rule) => `-A ${chain} ${rule.map(word).join(' ')}`)),
    'COMMIT',
    '',
  ].join('\n');
}

function nftablesAt(program: string, run: RunFilter): Filter {
  return {
    program,
    shown: () => run([program, '-s', 'list', 'table', 'inet', wallTable]),
    put: async (wanted) => void (await must(run([program, nftablesScript(wanted)]), program)),
  };
}

async function must(done: Promise<string | undefined>, program: string): Promise<string> {
  const said = await done;
  if (said === undefined)
    throw new AppError(
      'PRECONDITION_FAILED',
      `${programOf(program)} refuses rules; it needs the capability NET_ADMIN and the kernel's packet filter`,
    );
  return said;
}
