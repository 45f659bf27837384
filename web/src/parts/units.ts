/** Numbers as people read them. */

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

export function bytes(value: number): string {
  const step = value < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(value) / 10));
  return `${Math.round((value / 1024 ** step) * 10) / 10} ${units[step]}`;
}

export function percent(value: number): string {
  return `${Math.round(value * 10) / 10} %`;
}
