/**
 * Where certificates come from. All https hosts have them from Caddy's own authority for now, whose root is not put into any trust store; a host with another
 * source becomes another policy here and nowhere else.
 */
export function tlsApps(hosts: readonly string[]): Record<string, unknown> {
  const subjects = [...new Set(hosts)].sort();
  if (subjects.length === 0) return {};
  return {
    tls: { certificates: { automate: subjects }, automation: { policies: [{ subjects, issuers: [{ module: 'internal' }] }] } },
    pki: { certificate_authorities: { local: { install_trust: false } } },
  };
}
