/** The kinds of DNS providers, one file each. */
import { cloudflare } from './cloudflare.ts';
import { desec } from './desec.ts';
import { digitalocean } from './digitalocean.ts';
import { gandi } from './gandi.ts';
import { hetzner } from './hetzner.ts';
import { lego } from './lego.ts';
import { ovh } from './ovh.ts';
import { porkbun } from './porkbun.ts';
import { powerdns } from './powerdns.ts';
import { rfc2136 } from './rfc2136.ts';
import { route53 } from './route53.ts';

export const dnsKinds = {
  rfc2136,
  powerdns,
  cloudflare,
  hetzner,
  digitalocean,
  desec,
  route53,
  ovh,
  gandi,
  porkbun,
  lego,
};

export type DnsKind = keyof typeof dnsKinds;
export const dnsKindNames = Object.keys(dnsKinds).filter((name): name is DnsKind => name in dnsKinds);
