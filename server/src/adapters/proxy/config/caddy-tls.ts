/**
 * Where certificates come from: the proxy's own authority, whose root is not put into any trust store, ACME
 * authorities, uploads.
 */
import { createHash } from 'node:crypto';
import { coversHost } from '../../../domain/certificates/certificate.ts';
import type { AcmeCertificate, Route, RouteCertificate, UploadedCertificate } from '../../../ports/proxy.ts';
import { askingPermission } from '../caddy-ask.ts';
import { accountFolder, storeFolder } from '../caddy-store.ts';

export interface TlsConfiguration {
  /** Caddy's apps `tls` and `pki`; none without https. */
  apps: Record<string, unknown>;
  /** How the server on 443 chooses a certificate; the first policy that matches decides. */
  policies: ConnectionPolicy[];
  /**
   * Files that the document names: what the https of ACME directories is checked with. Caddy 2.6 takes them
   * as files only.
   */
  files: ProxyFile[];
}

/** What the names of such files begin with. */
export const proxyFilePrefix = 'acme-roots-';

export interface ProxyFile {
  name: string;
  content: string;
}

interface ConnectionPolicy {
  match?: { sni: string[] };
  certificate_selection?: { any_tag: string[] };
}

type Hosts = readonly (readonly [string, RouteCertificate])[];

/** `folder` is where the proxy finds the files. */
export function tlsConfiguration(secured: readonly Route[], folder: string): TlsConfiguration {
  const hosts: Hosts = [
    ...new Map(
      secured.map(({ host, certificate }) => [host, certificate ?? { source: 'internal' as const }]),
    ),
  ].toSorted(([left], [right]) => (left < right ? -1 : 1));
  const admits = secured.find((route) => route.admits)?.admits;
  // Without a policy the port would speak plain HTTP.
  if (hosts.length === 0) return { apps: {}, policies: [{}], files: [] };
  const uploads = new Map(
    hosts.flatMap(([, certificate]) =>
      certificate.source === 'uploaded' ? [[certificate.certificateId, certificate] as const] : [],
    ),
  );
  // Whatever is named here and has no certificate is asked for, with every change of the configuration anew.
  const managed = hosts.filter(
    ([, certificate]) =>
      certificate.source === 'internal' || (certificate.source === 'acme' && !certificate.isWithheld),
  );
  const files = [...hosts.map(([, certificate]) => certificate), ...(admits ? [admits] : [])].flatMap(
    (certificate) =>
      certificate.source === 'acme' && certificate.rootCertificates !== null
        ? [rootsFile(certificate.rootCertificates)]
        : [],
  );
  const certificates = {
    ...(uploads.size === 0 ? {} : { load_pem: [...uploads.values()].map(loaded) }),
    ...(managed.length === 0 ? {} : { automate: managed.map(([host]) => host) }),
  };
  return {
    apps: {
      tls: { certificates, ...automationOf(managed, admits, folder) },
      pki: { certificate_authorities: { local: { install_trust: false } } },
    },
    policies: connectionPolicies(hosts),
    files: [...new Map(files.map((file) => [file.name, file])).values()],
  };
}

/** The key leaves for the proxy's memory here; Caddy is told to keep no configuration (`persist: false`). */
function loaded({ certificateId, chain, privateKey }: UploadedCertificate) {
  return { certificate: chain, key: privateKey.reveal(), tags: [certificateId] };
}

/** The policy for hosts that no other one names is the last: the first that matches decides. */
function automationOf(managed: Hosts, admits: AcmeCertificate | undefined, folder: string) {
  const policies = automationPolicies(managed, folder);
  if (admits)
    return {
      automation: {
        policies: [...policies, { on_demand: true, ...policyOf(admits, folder) }],
        on_demand: askingPermission,
      },
    };
  return policies.length === 0 ? {} : { automation: { policies } };
}

/** One policy for each issuer and account; the proxy's own authority last. */
function automationPolicies(managed: Hosts, folder: string) {
  const policies = Map.groupBy(
    managed.map(([host, certificate]) => ({ host, policy: policyOf(certificate, folder) })),
    ({ policy }) => JSON.stringify(policy),
  );
  return [...policies]
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([, alike]) => ({ subjects: alike.map(({ host }) => host), ...alike[0]?.policy }));
}

const policyOf = (certificate: RouteCertificate, folder: string): object =>
  certificate.source === 'acme'
    ? { issuers: [acmeIssuer(certificate, folder)], ...accountStorage(certificate, folder) }
    : { issuers: [{ module: 'internal' }] };

/**
 * Caddy tells accounts apart by authority and e-mail only, so each has a store of its own, with its
 * certificates in it.
 */
function accountStorage({ account }: AcmeCertificate, folder: string) {
  return account === null
    ? {}
    : { storage: { module: 'file_system', root: `${folder}/${storeFolder}/${accountFolder(account)}` } };
}

function acmeIssuer({ directoryUrl, email, rootCertificates, eab }: AcmeCertificate, folder: string) {
  return {
    module: 'acme',
    ...(directoryUrl === null ? {} : { ca: directoryUrl }),
    ...(email === null ? {} : { email }),
    // Caddy wants base64url without its padding.
    ...(eab === null
      ? {}
      : { external_account: { key_id: eab.keyId, mac_key: eab.hmacKey.reveal().replace(/=+$/, '') } }),
    ...(rootCertificates === null
      ? {}
      : { trusted_roots_pem_files: [`${folder}/${rootsFile(rootCertificates).name}`] }),
  };
}

function rootsFile(content: string): ProxyFile {
  return {
    name: `${proxyFilePrefix}${createHash('sha256').update(content).digest('hex').slice(0, 16)}.pem`,
    content,
  };
}

/**
 * An upload serves its own hosts and no others. A host of another source below a wildcard host that an upload
 * serves needs a policy before that one; everything else, and whoever names no host, gets what Caddy has by
 * that name.
 */
function connectionPolicies(hosts: Hosts): ConnectionPolicy[] {
  const [exact, wild] = [hosts.filter(([host]) => !isWild(host)), hosts.filter(([host]) => isWild(host))];
  const uploadedWild = wild.filter(([, { source }]) => source === 'uploaded').map(([host]) => host);
  const others = exact
    .filter(([host, { source }]) => source !== 'uploaded' && coversHost(uploadedWild, host))
    .map(([host]) => host);
  return [
    ...uploadPolicies(exact),
    ...(others.length === 0 ? [] : [{ match: { sni: others } }]),
    ...uploadPolicies(wild),
    {},
  ];
}

function uploadPolicies(hosts: Hosts): ConnectionPolicy[] {
  const uploaded = hosts.flatMap(([host, certificate]) =>
    certificate.source === 'uploaded' ? [{ host, id: certificate.certificateId }] : [],
  );
  return [...Map.groupBy(uploaded, ({ id }) => id)].map(([id, own]) => ({
    match: { sni: own.map(({ host }) => host) },
    certificate_selection: { any_tag: [id] },
  }));
}

function isWild(host: string): boolean {
  return host.startsWith('*.');
}
