/** A text as a QR code, dark on light in either theme, since cameras read it so. */
import { encode } from 'uqr';
import type { ReactElement } from 'react';

export function QrCode({ text, label }: { text: string; label: string }): ReactElement {
  const { data, size } = encode(text, { border: 3 });
  const path = data
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('');
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="size-48 justify-self-center rounded-md"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
