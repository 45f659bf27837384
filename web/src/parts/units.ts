/** Numbers as people read them. */

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

export function bytes(value: number): string {
  const step = value < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(value) / 10));
  return `${Math.round((value / 1024 ** step) * 10) / 10} ${units[step]}`;
}

/** `512 MiB`, `2 GB`, `900` as a number of bytes; throws a sentence for anything else. */
export function bytesOf(text: string): number {
  const [, number = '', unit = ''] = /^\s*([\d.,]+)\s*([a-z]*)\s*$/i.exec(text) ?? [];
  const step = ['', 'k', 'm', 'g', 't'].indexOf(unit.toLowerCase().replace(/i?b$/, ''));
  const value = Number(number.replaceAll(',', ''));
  if (number === '' || step < 0 || Number.isNaN(value)) throw new Error('Give a size, such as 512 MiB.');
  return Math.round(value * 1024 ** step);
}

export function percent(value: number): string {
  return `${Math.round(value * 10) / 10} %`;
}
