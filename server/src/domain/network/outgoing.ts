/**
 * Which addresses Berth connects to for somebody who named one: a bucket, a repository, a registry, a
 * callback. Pure: whoever connects resolves the name first, and connects to what was judged.
 */
import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { domainToASCII } from 'node:url';

export type AddressKind =
  | 'public'
  | 'private'
  | 'loopback'
  | 'link-local'
  | 'metadata'
  | 'unspecified'
  | 'multicast'
  | 'reserved';

export interface OutgoingPolicy {
  /** Private networks are open, as to the installation's own organization. */
  reachesPrivate: boolean;
  /** Private and loopback networks that the installation's settings name, as CIDR. */
  allowed: readonly string[];
  /** The platform's own networks, as CIDR: never reached. */
  platform: readonly string[];
  /**
   * This machine, whose public addresses lead past its firewall from here: who does not reach private
   * networks reaches the ports of its proxy there, as from anywhere, and no others.
   */
  machine?: { addresses: readonly string[]; webPorts: readonly number[] } | undefined;
}

export interface Judgement {
  kind: AddressKind;
  /** Whether the address lies in a network that the settings name. */
  isNamed: boolean;
  /** Why nothing connects there; undefined when it may. */
  refusal: string | undefined;
}

/** What a judge says of one address, as a resolver gives it; without a port any port may be meant. */
export function judgeAddress(address: string, policy: OutgoingPolicy, port?: number): Judgement {
  const real = embeddedIPv4(address) ?? address;
  const kind = kindOf(address, real);
  const isNamed = inAny(real, policy.allowed) || inAny(address, policy.allowed);
  const isPlatform = inAny(real, policy.platform);
  const isMachine = [real, address].some((one) => policy.machine?.addresses.includes(one));
  const isWeb = port !== undefined && policy.machine?.webPorts.includes(port) === true;
  return {
    kind,
    isNamed,
    refusal: refusalOf(kind, { isNamed, isPlatform, isOther: isMachine && !isWeb, policy }),
  };
}

function refusalOf(
  kind: AddressKind,
  {
    isNamed,
    isPlatform,
    isOther,
    policy,
  }: {
    isNamed: boolean;
    isPlatform: boolean;
    /** A port of this machine that is not its proxy's. */
    isOther: boolean;
    policy: OutgoingPolicy;
  },
): string | undefined {
  if (isPlatform) return "is in Berth's own networks";
  if (isOther && !isNamed && !policy.reachesPrivate) return 'is this machine itself';
  const rule = rules[kind];
  if (rule.open === 'always' || (rule.open !== 'never' && isNamed)) return undefined;
  return rule.open === 'private' && policy.reachesPrivate ? undefined : rule.refusal;
}

/** `named`: where the settings name its network; `private`: also for who reaches private networks at all. */
const rules: Record<AddressKind, { open: 'always' | 'private' | 'named' | 'never'; refusal: string }> = {
  public: { open: 'always', refusal: '' },
  private: { open: 'private', refusal: 'is in a private network' },
  loopback: { open: 'named', refusal: "is this machine's own loopback" },
  'link-local': { open: 'never', refusal: 'is link-local' },
  metadata: { open: 'never', refusal: 'is where clouds keep their metadata' },
  unspecified: { open: 'never', refusal: 'is the unspecified address' },
  multicast: { open: 'never', refusal: 'is multicast' },
  reserved: { open: 'never', refusal: 'is reserved' },
};

/** In this order: the first that holds the address is its kind (IANA's special-purpose registries). */
const networks: readonly (readonly [AddressKind, readonly string[]])[] = [
  [
    'metadata',
    // Amazon and most others; Alibaba; Oracle; Azure's host; Amazon and Google by IPv6.
    [
      '169.254.169.254/32',
      '169.254.170.0/24',
      '100.100.100.200/32',
      '192.0.0.192/32',
      '168.63.129.16/32',
      'fd00:ec2::/32',
      'fd20:ce::254/128',
    ],
  ],
  ['unspecified', ['0.0.0.0/8', '::/128']],
  ['loopback', ['127.0.0.0/8', '::1/128']],
  ['link-local', ['169.254.0.0/16', 'fe80::/10']],
  ['multicast', ['224.0.0.0/4', 'ff00::/8']],
  ['reserved', ['240.0.0.0/4', '192.0.0.0/24', '192.88.99.0/24', '100::/64', '2001::/23', '5f00::/16']],
  [
    'private',
    [
      // RFC 1918, CGNAT (RFC 6598), benchmarks, and documentation, which nobody routes.
      '10.0.0.0/8',
      '172.16.0.0/12',
      '192.168.0.0/16',
      '100.64.0.0/10',
      '198.18.0.0/15',
      '192.0.2.0/24',
      '198.51.100.0/24',
      '203.0.113.0/24',
      '2001:db8::/32',
      '3fff::/20',
      // Unique local, and site-local before it; the local NAT64 (RFC 8215).
      'fc00::/7',
      'fec0::/10',
      '64:ff9b:1::/48',
    ],
  ],
];

/** IPv6 by which IPv4 can be reached: NAT64 (RFC 6052) and 6to4 (RFC 3056). */
const translated = ['64:ff9b::/96', '2002::/16'];

/** The same rules as networks, for whoever connects by itself, such as a builder; the first fit counts. */
export function outgoingNetworks({ reachesPrivate, allowed, platform }: OutgoingPolicy): {
  never: string[];
  open: string[];
  closed: string[];
} {
  const of = (kinds: readonly AddressKind[]): string[] =>
    networks.flatMap(([kind, cidrs]) => (kinds.includes(kind) ? cidrs : []));
  return {
    never: [
      ...platform,
      ...of(['metadata', 'unspecified', 'loopback', 'link-local', 'multicast', 'reserved']),
      ...translated,
    ],
    open: [...allowed],
    closed: reachesPrivate ? [] : of(['private']),
  };
}

interface Lists {
  ofKinds: { kind: AddressKind; list: BlockList }[];
  /** What is routed at all of IPv6 (RFC 4291, 2.4). */
  globalUnicast: BlockList;
}

let made: Lists | undefined;

/** Made when the first address is judged, and not in every start. */
const lists = (): Lists =>
  (made ??= {
    ofKinds: networks.map(([kind, cidrs]) => ({ kind, list: listOf(cidrs) })),
    globalUnicast: listOf(['2000::/3']),
  });

function kindOf(address: string, real: string): AddressKind {
  const { ofKinds, globalUnicast } = lists();
  const found = ofKinds.find(({ list }) => holds(list, real));
  if (found) return found.kind;
  if (isIPv4(real)) return 'public';
  return isIPv6(address) && holds(globalUnicast, address) ? 'public' : 'reserved';
}

/**
 * IPv6 addresses that are an IPv4 address in other clothes: mapped (RFC 4291), compatible, translated
 * (RFC 2765), NAT64 (RFC 6052) and 6to4 (RFC 3056).
 */
function embeddedIPv4(address: string): string | undefined {
  const groups = groupsOf(address);
  if (groups === undefined) return undefined;
  const head = groups.slice(0, 6).map((group) => group.toString(16));
  if (head[0] === '2002') return dotted(groups[1] ?? 0, groups[2] ?? 0);
  const isZero = head.every((group) => group === '0');
  const [high = 0, low = 0] = groups.slice(6);
  // Not :: and ::1.
  if (isZero && high === 0 && low <= 1) return undefined;
  return carriers.has(head.join(':')) ? dotted(high, low) : undefined;
}

const carriers = new Set(['0:0:0:0:0:ffff', '0:0:0:0:0:0', '0:0:0:0:ffff:0', '64:ff9b:0:0:0:0']);

function dotted(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** The eight groups; undefined for what is no IPv6 address. */
function groupsOf(address: string): number[] | undefined {
  if (!isIPv6(address)) return undefined;
  const [bare = ''] = address.split('%');
  const plain = bare.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_all, a, b, c, d) =>
    [Number(a) * 256 + Number(b), Number(c) * 256 + Number(d)].map((group) => group.toString(16)).join(':'),
  );
  const [before = '', after] = plain.split('::');
  const numbers = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
  const [left, right] = [numbers(before), numbers(after ?? '')];
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => 0);
  return [...left, ...zeros, ...right];
}

export type OutgoingHost = { kind: 'address' | 'name'; host: string };

/**
 * The host as a resolver would take it: an address in its usual form, whatever form it came in (`[::1]`,
 * `127.1`, `0x7f000001`, `017700000001`, full-width digits, a dot at its end), or a name in lower-case ASCII;
 * undefined for what is neither.
 */
export function parseOutgoingHost(text: string): OutgoingHost | undefined {
  const bracketed = /^\[(.*)\]$/.exec(text)?.[1];
  const bare = bracketed ?? text;
  if (isIPv6(bare)) return { kind: 'address', host: bare.toLowerCase() };
  if (bracketed !== undefined) return undefined;
  const plain = /^[\x21-\x7e]+$/.test(bare) ? bare.toLowerCase() : domainToASCII(bare);
  const name = plain.replace(/\.+$/, '');
  if (isIPv4(name)) return { kind: 'address', host: name };
  const last = name.slice(name.lastIndexOf('.') + 1);
  // As the C library and the WHATWG's URL standard do: a name that ends in a number is an address or nothing.
  if (/^([0-9]+|0x[0-9a-f]*)$/.test(last)) {
    const address = numericAddress(name);
    return address === undefined ? undefined : { kind: 'address', host: address };
  }
  return isName(name) ? { kind: 'name', host: name } : undefined;
}

function isName(name: string): boolean {
  return name.length <= 253 && /^[a-z0-9_]([a-z0-9_-]{0,62})(\.[a-z0-9_]([a-z0-9_-]{0,62}))*$/.test(name);
}

/** inet_aton(3): one to four parts, each decimal, octal or hexadecimal; the last fills what is left. */
function numericAddress(text: string): string | undefined {
  const parts = text.split('.').map(numberOf);
  if (parts.length > 4 || parts.some((part) => part === undefined)) return undefined;
  const numbers = parts.map((part) => part ?? 0);
  const last = numbers.pop() ?? 0;
  if (numbers.some((part) => part > 255) || last >= 256 ** (4 - numbers.length)) return undefined;
  const value = numbers.reduce((sum, part, index) => sum + part * 256 ** (3 - index), last);
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');
}

function numberOf(text: string): number | undefined {
  if (/^0x[0-9a-f]{0,12}$/.test(text)) return text === '0x' ? 0 : Number.parseInt(text.slice(2), 16);
  if (/^0[0-7]{1,16}$/.test(text)) return Number.parseInt(text, 8);
  return /^(0|[1-9][0-9]{0,15})$/.test(text) ? Number(text) : undefined;
}

/** A network of private or loopback addresses as CIDR, without bits beyond its prefix. */
export function isAllowableNetwork(text: string): boolean {
  const [address = '', bits = '', ...rest] = text.split('/');
  const [isFour, isSix] = [isIPv4(address), isIPv6(address) && !address.includes('%')];
  if (rest.length > 0 || !(isFour || isSix) || !/^(0|[1-9][0-9]{0,2})$/.test(bits)) return false;
  const prefix = Number(bits);
  if (prefix > (isFour ? 32 : 128) || embeddedIPv4(address) !== undefined) return false;
  const kind = kindOf(address, address);
  if (kind !== 'private' && kind !== 'loopback') return false;
  // Whole: neither a bit beyond the prefix, nor a network wider than the one that it begins in.
  const own = listOf([text]);
  const outer = networks.find(([name]) => name === kind)?.[1] ?? [];
  return (
    firstOf(address, prefix) && outer.some((cidr) => isWithin(address, prefix, cidr)) && holds(own, address)
  );
}

function firstOf(address: string, prefix: number): boolean {
  const bits = bitsOf(address);
  return !bits.slice(prefix).includes('1');
}

function isWithin(address: string, prefix: number, cidr: string): boolean {
  const [, outer = '0'] = cidr.split('/');
  return prefix >= Number(outer) && holds(listOf([cidr]), address);
}

function bitsOf(address: string): string {
  const [parts, width] = isIPv4(address)
    ? [address.split('.').map(Number), 8]
    : [groupsOf(address) ?? [], 16];
  return parts.map((part) => part.toString(2).padStart(width, '0')).join('');
}

function inAny(address: string, cidrs: readonly string[]): boolean {
  return cidrs.length > 0 && holds(listOf(cidrs), address);
}

function listOf(cidrs: readonly string[]): BlockList {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [address = '', prefix = ''] = cidr.split('/');
    list.addSubnet(address, Number(prefix), isIPv6(address) ? 'ipv6' : 'ipv4');
  }
  return list;
}

function holds(list: BlockList, address: string): boolean {
  const [bare = ''] = address.split('%');
  return list.check(bare, isIPv6(bare) ? 'ipv6' : 'ipv4');
}
