/** The packet filter of Berth's own machine: iptables, which the engine uses as well, else nftables. */
import { existsSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import {
  iptablesRules,
  nftablesScript,
  wallChain,
  wallTable,
  type WalledPorts,
} from '../../../domain/network/port-wall.ts';
import { AppError, sentenceOf } from '../../../domain/errors.ts';
import type { PortWall } from '../../../ports/host/port-wall.ts';
import { command, programOf } from '../../../shell/command.ts';
import { startPiped } from '../../../shell/piped.ts';

/** Runs a program of the packet filter; gives its output, undefined when it says no. */
export type RunFilter = (argv: readonly [string, ...string[]]) => Promise<string | undefined>;

export interface PortWallOptions {
  run?: RunFilter;
  /** Whether there is a program at the path. */
  hasProgram?(path: string): boolean | Promise<boolean>;
  hasIpv6?: boolean | undefined;
}

const limitMs = 10_000;
const programs = ['/usr/sbin/iptables', '/usr/sbin/ip6tables', '/usr/sbin/nft'] as const;

export function createPortWall({
  run = runFilter,
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
    const present = await filter.shown();
    if (present !== undefined && last?.rules === rules && last.shown === present) return false;
    await filter.put(wanted);
    const shown = await must(filter.shown(), filter.program);
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
  shown(): Promise<string | undefined>;
  put(wanted: WalledPorts): Promise<void>;
}

function iptablesAt(program: string, run: RunFilter): Filter {
  const filter = (...args: string[]): Promise<string | undefined> => run([program, '-w', '5', ...args]);
  const jump = ['INPUT', '-j', wallChain] as const;
  return {
    program,
    async shown() {
      const [rules, input] = [await filter('-S', wallChain), await filter('-S', 'INPUT')];
      const [before = '', ...after] = (input ?? '').split(`-A ${jump.join(' ')}\n`);
      // Nothing before it may let a new connection through.
      const isOpen = before
        .split('\n')
        .some((line) => / -j ACCEPT\b/.test(line) && !/ESTABLISHED/.test(line));
      return after.length > 0 && !isOpen ? rules : undefined;
    },
    async put(wanted) {
      if ((await filter('-S', wallChain)) === undefined) await must(filter('-N', wallChain), program);
      await must(filter('-F', wallChain), program);
      for (const rule of iptablesRules(wanted, program.includes('ip6') ? 6 : 4))
        await must(filter('-A', wallChain, ...rule), program);
      await filter('-D', ...jump);
      await must(filter('-I', ...jump), program);
    },
  };
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

async function runFilter(argv: readonly [string, ...string[]]): Promise<string | undefined> {
  const child = startPiped(command(argv, { cwd: '/' }));
  const limit = setTimeout(child.kill, limitMs);
  child.stdin.end();
  try {
    const [said, { exitCode }] = await Promise.all([text(child.stdout), child.ended]);
    return exitCode === 0 ? said : undefined;
  } finally {
    clearTimeout(limit);
  }
}
