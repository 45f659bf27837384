/**
 * The images that Berth can make itself where no image registry answers, from Debian's packages and the npm registry
 * only. The names are ours: an official tag in a user's engine must stay what its maker published.
 */
export const images = {
  'berth/debian:12': { folder: null, use: 'the base of the others: Debian 12, minimal, with this machine\'s CA certificates' },
  'berth/node:24': { folder: 'node', use: 'Node.js 24 with npm and git; user node (1000)' },
  'berth/caddy:2': { folder: 'caddy', use: 'Caddy 2, the proxy' },
  'berth/postgres:15': { folder: 'postgres', use: 'PostgreSQL 15' },
  'berth/mariadb:10.11': { folder: 'mariadb', use: 'MariaDB 10.11, also for MySQL clients' },
  'berth/redis:7': { folder: 'redis', use: 'Redis 7' },
} as const satisfies Record<string, { folder: string | null; use: string }>;

export type ImageName = keyof typeof images;

/** The image that has no Dockerfile: it is imported from a root file system. */
export const baseImage = 'berth/debian:12' satisfies ImageName;

export const imageNames: readonly ImageName[] = [
  baseImage, 'berth/node:24', 'berth/caddy:2', 'berth/postgres:15', 'berth/mariadb:10.11', 'berth/redis:7',
];

/** Every image of ours carries the hash of its recipe under this label; another hash means: build again. */
export const recipeLabel = 'berth.recipe';

/** Debian packages that building needs on the machine, besides an engine and Debian's docker client. */
export const buildPackages = ['mmdebstrap', 'ca-certificates'] as const;

/** npm for the Node image: exact, checked against the registry's digest, so that a recipe always gives the same npm. */
export const npmForNodeImage = {
  version: '11.21.2',
  integrity: 'sha512-7HPApk+AflMUavSseL1Pm6CnYqMIHk53x+KmuhqmTDqPkjPMgxIpTPcTqsE91EKNw4gFBJV9fnXiSdGm1DXq9A==',
} as const;
