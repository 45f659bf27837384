/** True when two IPv4 networks in CIDR form have an address in common; anything else than such a network overlaps with nothing. */
export function subnetsOverlap(a: string, b: string): boolean {
  const [first, second] = [range(a), range(b)];
  return first !== undefined && second !== undefined && first.start <= second.end && second.start <= first.end;
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
