/** A row of bars: how much, minute by minute. What it shows is also said. */
import type { ReactElement } from 'react';

export function Bars({ values, label }: { values: readonly number[]; label: string }): ReactElement {
  const top = Math.max(1, ...values);
  return (
    <svg
      role="img"
      aria-label={`${label}: at most ${Math.max(0, ...values)}`}
      viewBox={`0 0 ${values.length * 4} 40`}
      preserveAspectRatio="none"
      className="h-10 w-full text-accent"
      fill="currentColor"
    >
      {values.map((value, at) => {
        const height = value === 0 ? 1 : Math.max(2, (value / top) * 40);
        return (
          <rect
            key={at}
            x={at * 4}
            y={40 - height}
            width="3"
            height={height}
            opacity={value === 0 ? 0.25 : 1}
          />
        );
      })}
    </svg>
  );
}

/** A line of values in one colour, its last value beside it. */
export function Line({
  values,
  label,
  top,
  isSmall = false,
}: {
  values: readonly number[];
  label: string;
  top?: number | undefined;
  /** Within a row. */
  isSmall?: boolean;
}): ReactElement {
  // Within a row a line has room above it: what stays as it is is no full block.
  const most = Math.max(top ?? 0, ...values, 1e-9) * (isSmall ? 1.4 : 1);
  // One value is a line as well.
  const drawn = values.length === 1 ? [...values, ...values] : values;
  const points = drawn.map(
    (value, at) => `${(at / Math.max(1, drawn.length - 1)) * 200},${39 - (value / most) * 38}`,
  );
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox="0 0 200 40"
      preserveAspectRatio="none"
      className={`w-full text-accent ${isSmall ? 'h-4' : 'h-12'}`}
    >
      {!isSmall && <polygon points={`0,40 ${points.join(' ')} 200,40`} fill="currentColor" opacity="0.12" />}
      <polyline
        points={points.join(' ')}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}
