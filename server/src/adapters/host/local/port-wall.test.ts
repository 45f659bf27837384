import { expect, it } from 'vitest';
import { walledPorts } from '../../../domain/network/port-wall.ts';
import { createPortWall, type RunFilter } from './port-wall.ts';

const wanted = walledPorts(['docker0'], 3000);

/** A filter that does as it is told, as far as it is asked here; `input` are the rules of INPUT. */
function filterOf(input: string[] = []): { run: RunFilter; chains: Map<string, string[]>; asked: string[] } {
  const chains = new Map([['INPUT', input]]);
  const asked: string[] = [];
  const answer = ([program, , , what, chain = '', ...rest]: readonly string[]): string | undefined => {
    asked.push(`${program ?? ''} ${what ?? ''} ${chain}`);
    const rules = chains.get(chain);
    const rule = `-A ${chain} ${rest.join(' ')}`;
    if (what === '-N') chains.set(chain, []);
    else if (rules === undefined) return undefined;
    else if (what === '-S') return [`-N ${chain}`, ...rules, ''].join('\n');
    else if (what === '-F') rules.length = 0;
    else if (what === '-A') rules.push(rule);
    else if (what === '-I') rules.unshift(rule);
    else if (what === '-D') {
      if (!rules.includes(rule)) return undefined;
      rules.splice(rules.indexOf(rule), 1);
    }
    return '';
  };
  return { run: async (argv) => answer(argv), chains, asked };
}

const wallOn = (run: RunFilter, has: readonly string[] = ['/usr/sbin/iptables']) =>
  createPortWall({ run, hasProgram: (path) => has.includes(path), hasIpv6: true });

it('puts its chain before all others, once, and again when it was taken away or let through', async () => {
  const { run, chains, asked } = filterOf(['-A INPUT -j ACCEPT']);
  const wall = wallOn(run);
  expect(await wall.ensure(wanted)).toEqual({ changed: true, problem: undefined });
  expect(chains.get('INPUT')).toEqual(['-A INPUT -j BERTH-INPUT', '-A INPUT -j ACCEPT']);
  expect(chains.get('BERTH-INPUT')).toHaveLength(2);
  asked.length = 0;
  expect(await wall.ensure(wanted)).toEqual({ changed: false, problem: undefined });
  expect(asked.every((line) => line.includes(' -S '))).toBe(true);
  const harms = [
    () => chains.set('INPUT', []),
    () => chains.delete('BERTH-INPUT'),
    () => chains.get('BERTH-INPUT')?.pop(),
    () => chains.get('INPUT')?.unshift('-A INPUT -p tcp -j ACCEPT'),
  ];
  for (const harm of harms) {
    harm();
    expect((await wall.ensure(wanted)).changed).toBe(true);
    expect((await wall.ensure(wanted)).changed).toBe(false);
  }
  // What stands before it and lets in what is open already changes nothing.
  chains.get('INPUT')?.unshift('-A INPUT -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT');
  expect((await wall.ensure(wanted)).changed).toBe(false);
  expect((await wall.ensure(walledPorts(['docker0', 'br-1'], 3000))).changed).toBe(true);
  expect(chains.get('BERTH-INPUT')).toHaveLength(4);
});

it('leaves what is right from a former start without a word', async () => {
  const { run } = filterOf();
  await wallOn(run).ensure(wanted);
  expect(await wallOn(run).ensure(wanted)).toEqual({ changed: false, problem: undefined });
});

it('says why there are no rules, and never throws', async () => {
  const refused = await wallOn(async () => undefined).ensure(wanted);
  expect(refused).toMatchObject({
    changed: false,
    problem: expect.stringContaining('iptables refuses rules'),
  });
  expect(await wallOn(async () => '', []).ensure(wanted)).toMatchObject({
    problem: 'there is neither iptables nor nft on this machine',
  });
  const broken = wallOn(() => Promise.reject(new Error('broken')), ['/usr/sbin/nft']);
  expect(await broken.ensure(wanted)).toEqual({ changed: false, problem: 'broken' });
});
