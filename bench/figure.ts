/** One promised figure: what was measured, what it stands beside, what was promised. */
export interface Figure {
  name: string;
  measured: string;
  baseline: string;
  budget: string;
  isKept: boolean;
  /** Ratios hold on any machine; absolute figures are judged on a quiet one. */
  kind: 'ratio' | 'absolute';
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? NaN;
  return Number.isInteger(middle) ? (upper + (sorted[middle - 1] ?? NaN)) / 2 : upper;
}

/** Three digits that matter, with the unit. */
export function amount(value: number, unit: string): string {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  const text = value.toLocaleString('en', {
    maximumFractionDigits: digits,
    minimumFractionDigits: value >= 1000 ? 0 : digits,
  });
  return `${text} ${unit}`;
}
