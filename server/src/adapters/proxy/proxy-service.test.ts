import { expect, test } from 'vitest';
import { initialDocument } from './config/caddy-config.ts';
import { proxyServiceSpec } from './proxy-service.ts';

test('the proxy is this service', () => {
  const healthCheck = {
    test: ['CMD', '/.berth/busybox', 'true'],
    intervalMs: 1000,
    timeoutMs: 1000,
    retries: 3,
    startPeriodMs: 1000,
  };
  const spec = proxyServiceSpec({
    image: 'caddy:2',
    nodeId: 'n1',
    network: 'berth',
    adminFolder: '/var/lib/berth/proxy',
    httpPort: 80,
    httpsPort: 443,
    labels: { 'berth.platform': 'true' },
    probe: { busybox: '/usr/bin/busybox', healthCheck },
    migratesRequests: true,
  });
  expect(spec).toMatchObject({
    name: 'berth-proxy',
    command: ['caddy', 'run', '--config', '/etc/berth-proxy/initial.json'],
    networks: ['berth'],
    limits: { memoryBytes: 1024 ** 3, pids: 1024 },
    mounts: [
      { type: 'bind', source: '/var/lib/berth/proxy', target: '/run/berth-proxy' },
      { type: 'bind', source: '/usr/bin/busybox', target: '/.berth/busybox', readOnly: true },
    ],
    files: [
      {
        path: '/etc/berth-proxy/initial.json',
        content: JSON.stringify(initialDocument({ adminSocket: '/run/berth-proxy/admin.sock' })),
      },
    ],
    ports: [
      { published: 80, target: 80, protocol: 'tcp', mode: 'host' },
      { published: 443, target: 443, protocol: 'tcp', mode: 'host' },
      { published: 443, target: 443, protocol: 'udp', mode: 'host' },
    ],
    healthCheck,
    updateOrder: 'stop-first',
    constraints: ['node.id==n1'],
    sysctls: { 'net.ipv4.tcp_migrate_req': '1' },
  });
});

test('an older kernel gets no setting it does not know', () => {
  const options = {
    image: 'i',
    nodeId: 'n',
    network: 'b',
    adminFolder: '/f',
    httpPort: 80,
    httpsPort: 443,
    labels: {},
    migratesRequests: false,
  };
  expect(proxyServiceSpec(options)).not.toHaveProperty('sysctls');
  expect(proxyServiceSpec(options)).not.toHaveProperty('healthCheck');
});
