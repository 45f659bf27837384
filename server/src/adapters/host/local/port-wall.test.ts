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
  /** As `iptables-restore --noflush`: chains that it names are emptied. */
  const restore = (program: string, text: string): string => {
    asked.push(`${program} restores`);
    for (const line of text.split('\n')) {
      const [, made] = /^:(\S+)/.exec(line) ?? [];
      const [, chain = ''] = /^-A (\S+)/.exec(line) ?? [];
      if (made !== undefined) chains.set(made, []);
      chains.get(chain)?.push(line);
    }
    return '';
  };
  return {
    run: async (argv, input) => (argv[0].endsWith('-restore') ? restore(argv[0], input ?? '') : answer(argv)),
    chains,
    asked,
  };
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

it('puts the outward rules before those of the engine, and again when they were taken away', async () => {
  const outward = {
    open: ['172.18.0.5'],
    never: ['169.254.0.0/16'],
    named: [],
    closed: ['10.0.0.0/8'],
    webPorts: [80],
  };
  const walled = walledPorts(['docker0'], 3000, { outward });
  const { run, chains, asked } = filterOf();
  chains.set('DOCKER-USER', ['-A DOCKER-USER -j RETURN']);
  const wall = wallOn(run);
  expect((await wall.ensure(walled)).changed).toBe(true);
  const jump = '-A DOCKER-USER -i docker_gwbridge ! -o docker_gwbridge -j BERTH-FORWARD';
  expect(chains.get('DOCKER-USER')).toEqual([jump, '-A DOCKER-USER -j RETURN']);
  expect(chains.get('BERTH-FORWARD')?.at(-1)).toContain('-d 10.0.0.0/8');
  asked.length = 0;
  expect((await wall.ensure(walled)).changed).toBe(false);
  expect(asked.every((line) => line.includes(' -S '))).toBe(true);
  for (const harm of [
    () => chains.set('DOCKER-USER', []),
    () => chains.get('DOCKER-USER')?.unshift('-A DOCKER-USER -j RETURN'),
    () => chains.get('BERTH-FORWARD')?.pop(),
    () => chains.delete('BERTH-FORWARD'),
  ]) {
    harm();
    expect((await wall.ensure(walled)).changed).toBe(true);
    expect((await wall.ensure(walled)).changed).toBe(false);
  }
  const closed = walledPorts(['docker0'], 3000, { outward: { ...outward, open: [] } });
  expect((await wall.ensure(closed)).changed).toBe(true);
  expect(chains.get('BERTH-FORWARD')?.some((line) => line.includes('172.18.0.5'))).toBe(false);
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
