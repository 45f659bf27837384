/** Own line icons on a 16 grid; each a path, so that none is loaded that is not drawn. */
import type { ReactElement } from 'react';

const paths = {
  home: 'M2.5 7 8 2.5 13.5 7v6.5h-4V9.5h-3v4h-4z',
  project: 'M2 4.5h4.5L8 6h6v7H2z',
  deployment: 'M8 13V3M4 7l4-4 4 4',
  server: 'M2.5 3h11v4h-11zM2.5 9h11v4h-11zM5 5h.01M5 11h.01',
  settings: 'M2 5h7M12 5h2M2 11h2M7 11h7M9 3.5v3M4.5 9.5v3',
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.5 10.5 14 14',
  plus: 'M8 3v10M3 8h10',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  copy: 'M5.5 5.5h8v8h-8zM3 10.5h-.5v-8h8V3',
  check: 'm3 8.5 3.5 3.5L13 4.5',
  close: 'm4 4 8 8M12 4l-8 8',
  chevron: 'm6 4 4 4-4 4',
  down: 'm4 6 4 4 4-4',
  external: 'M9.5 2.5h4v4M13.5 2.5l-6 6M11.5 9v4.5h-9v-9H7',
  download: 'M8 2.5v8M4.5 7.5 8 11l3.5-3.5M2.5 13.5h11',
  branch: 'M4.5 3v7.5M4.5 12.5h.01M11.5 3.5h.01M11.5 5.5c0 3-7 2-7 5',
  globe: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM2 8h12M8 2c2 2 2.5 4 2.5 6S10 12 8 14c-2-2-2.5-4-2.5-6S6 4 8 2z',
  box: 'M8 2 13.5 5v6L8 14 2.5 11V5zM2.5 5 8 8l5.5-3M8 8v6',
  database:
    'M8 2.5c3 0 5 .8 5 2s-2 2-5 2-5-.8-5-2 2-2 5-2z' +
    'M3 4.5v7c0 1.2 2 2 5 2s5-.8 5-2v-7M3 8c0 1.2 2 2 5 2s5-.8 5-2',
  stack: 'm8 2 6 3-6 3-6-3zM2 8l6 3 6-3M2 11l6 3 6-3',
  template: 'M2.5 2.5h5v5h-5zM9.5 2.5h4v11h-4zM2.5 9.5h5v4h-5z',
  key: 'M10 2.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM7.5 8.5l-5 5M4.5 11.5l2 2',
  lock: 'M3.5 7h9v6.5h-9zM5.5 7V5a2.5 2.5 0 0 1 5 0v2',
  user: 'M8 2.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM3 13.5c.5-2.5 2.5-4 5-4s4.5 1.5 5 4',
  sun:
    'M8 5.500a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z' +
    'M8 1.500v1.500M8 13v1.500M1.5 8H3M13 8h1.500M3.5 3.500l1 1' +
    'M11.5 11.500l1 1M3.5 12.500l1-1M11.5 4.500l1-1',
  moon: 'M13 9.500A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.500z',
  upload: 'M8 11V3M4.5 6.5 8 3l3.5 3.500M2.5 13.500h11',
  back: 'm10 4-4 4 4 4',
  undo: 'M3 6.500h6.500a3.5 3.5 0 0 1 0 7H6M5.5 3.500l-3 3 3 3',
  play: 'M5 3.500v9l7-4.500z',
  stop: 'M4 4h8v8H4z',
  refresh: 'M13 8a5 5 0 1 1-1.5-3.500M13 2.500V5h-2.5',
  terminal: 'm3 4.5 3.5 3.500L3 11.500M8 12h5',
  eye:
    'M1.5 8C3 5 5.3 3.5 8 3.500S13 5 14.5 8C13 11 10.7 12.5 8 12.500S3 11 1.5 8z' +
    'M8 6.200a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.600z',
  bell: 'M4 11V7a4 4 0 0 1 8 0v4l1 1.500H3zM7 14h2',
  clock: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 4.500V8l2.5 1.5',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name, size = 16 }: { name: IconName; size?: number }): ReactElement {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.4"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className="shrink-0"
    >
      <path d={paths[name]} />
    </svg>
  );
}
