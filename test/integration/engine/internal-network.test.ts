/**
 * A task on an internal network alone: nothing leads out of it, and its neighbours reach it. The tunnel takes
 * 50 bytes of the largest packet that its network is made with.
 */
import { expect, test } from 'vitest';
import { stepService, uniqueName, until, untilRunning } from '../../engine-suite/fixture.ts';
import { bedEngine, nodeService } from './engine-fixture.ts';

const routes = `
const { readFileSync } = require('node:fs');
const lines = (file) => readFileSync(file, 'utf8').split('\\n').filter(Boolean);
const v4 = lines('/proc/net/route').slice(1).filter((line) => line.split('\\t')[1] === '00000000');
let v6 = [];
try { v6 = lines('/proc/net/ipv6_route'); } catch {}
v6 = v6.filter((line) => /^0{32} 00 /.test(line) && !line.trim().endsWith(' lo'));
const mtu = readFileSync('/sys/class/net/eth0/mtu', 'utf8').trim();
console.log('routes out: ' + v4.length + ' ' + v6.length + ', mtu ' + mtu);
setInterval(() => undefined, 1000);
`;

test('a task on an internal network has no way out, and one that is on two reaches it', async () => {
  const { engine } = bedEngine();
  const [outer, inner] = [uniqueName('outer'), uniqueName('inner')];
  await engine.ensureNetwork({ name: outer, subnet: '10.214.1.0/24', labels: {} });
  await engine.ensureNetwork({ name: inner, subnet: '10.214.2.0/24', labels: {}, internal: true, mtu: 1400 });
  const sealed = nodeService(uniqueName('sealed'), routes, { networks: [inner] });
  const open = nodeService(uniqueName('open'), routes, { networks: [outer] });
  const server = stepService(uniqueName('server'), [{ do: 'listen', port: 3000 }], { networks: [inner] });
  const client = stepService(
    uniqueName('client'),
    [{ do: 'ask', host: `tasks.${server.name}`, port: 3000 }],
    {
      networks: [outer, inner],
    },
  );
  const all = [sealed, open, server, client];
  await Promise.all(all.map((spec) => engine.applyService(spec)));
  await Promise.all(all.map((spec) => untilRunning(engine, spec.name)));
  const said = (name: string, prefix: string): Promise<string> =>
    until(`${name} says ${prefix}`, async () => {
      for await (const { text } of engine.serviceLogs(name, { tail: 1 }))
        if (text.startsWith(prefix)) return text;
      return undefined;
    });
  expect(await said(sealed.name, 'routes out')).toBe('routes out: 0 0, mtu 1350');
  expect(await said(open.name, 'routes out')).toBe('routes out: 1 0, mtu 1450');
  await said(client.name, 'got 1');
  for (const { name } of all) await engine.removeService(name);
  for (const name of [outer, inner]) await engine.removeNetwork(name);
}, 120_000);
