/** Who issues the certificate of a domain: an authority by itself, nobody, a resolver or an upload. */
export const certificateTypes = ['acme', 'none', 'custom'] as const;
export type CertificateType = (typeof certificateTypes)[number];
