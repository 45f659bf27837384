/** The service of the proxy on a host. */
import { platformNetwork } from '../../domain/names/names.ts';
import { managedLabel, roleLabel } from '../../domain/names/labels.ts';
import { proxyServiceSpec } from '../../adapters/proxy/proxy-service.ts';
import { listenerCheck } from '../../deploy/release/health-check.ts';
import { type ServiceSpec } from '../../ports/engine/engine.ts';
import type { Host } from '../../ports/host/host.ts';

export async function proxySpec(
  { engine, facts, folders, probePath, proxyPorts }: Host,
  image: string,
): Promise<ServiceSpec> {
  const [{ nodeId }, { hasProbe, kernel }] = await Promise.all([engine.info(), facts()]);
  return proxyServiceSpec({
    image,
    nodeId,
    network: platformNetwork,
    adminFolder: folders.proxy,
    httpPort: proxyPorts.http,
    httpsPort: proxyPorts.https,
    labels: { [managedLabel]: 'true', [roleLabel]: 'proxy' },
    probe: hasProbe ? { busybox: probePath, healthCheck: listenerCheck([80]) } : undefined,
    migratesRequests: kernelMigratesRequests(kernel),
  });
}

/** net.ipv4.tcp_migrate_req came with Linux 5.14. */
export function kernelMigratesRequests(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 5 || (major === 5 && minor >= 14);
}
