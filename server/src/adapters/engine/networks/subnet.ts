/**
 * The lower half of an IPv4 network: what Swarm gives to tasks; undefined for one too small to halve usefully
 * (beyond /28) or of another form.
 */
export function taskRange(cidr: string): string | undefined {
  const whole = range(cidr);
  if (whole === undefined || whole.end - whole.start < 15) return undefined;
  const bits = 32 - Math.log2(whole.end - whole.start + 1);
  return `${dotted(whole.start)}/${bits + 1}`;
}

/**
 * Addresses of the upper half for containers that are attached by hand, best first; the very last address of
 * a network is its broadcast address.
 */
export function attachmentAddresses(cidr: string, count: number): string[] {
  const whole = range(cidr);
  if (whole === undefined || taskRange(cidr) === undefined) return [];
  const half = (whole.end - whole.start + 1) / 2;
  return Array.from({ length: Math.min(count, half - 1) }, (_, index) => dotted(whole.end - 1 - index));
}

function dotted(address: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.');
}

function range(cidr: string): { start: number; end: number } | undefined {
  const match = /^(\d+)\.(\d+)\.(\d+)\.(\d+)\/(\d+)$/.exec(cidr);
  if (match === null) return undefined;
  const [a = 0, b = 0, c = 0, d = 0, bits = 32] = match.slice(1).map(Number);
  const size = 2 ** (32 - bits);
  const address = ((a * 256 + b) * 256 + c) * 256 + d;
  const start = Math.floor(address / size) * size;
  return { start, end: start + size - 1 };
}
