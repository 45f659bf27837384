import { builderImage } from '../server/src/domain/names/builder-image.ts';

/**
 * The images that Berth can make itself where no image registry answers, from Debian's packages and the npm
 * registry only. The names are ours: an official tag in a user's engine must stay what its maker published.
 */
export const images = {
  'berth/debian:12': {
    folder: null,
    use: "the base of the others: Debian 12, minimal, with this machine's CA certificates",
  },
  'berth/node:24': { folder: 'node', use: 'Node.js 24 with npm and git; user node (1000)' },
  'berth/caddy:2': { folder: 'caddy', use: 'Caddy 2, the proxy' },
  [builderImage]: { folder: 'builder', use: "an organization's builder: Docker's engine with its BuildKit" },
  'berth/postgres:15': { folder: 'postgres', use: 'PostgreSQL 15' },
  'berth/mariadb:10.11': { folder: 'mariadb', use: 'MariaDB 10.11, also for MySQL clients' },
  'berth/redis:7': { folder: 'redis', use: 'Redis 7' },
  'berth/postgres:18': {
    folder: 'postgres-18',
    use: 'PostgreSQL 18 without its client',
    from: 'berth/postgres:15',
    forTests: true,
  },
  'berth/python:3.11': { folder: 'python', use: 'Python 3.11, for a sample', forTests: true },
  'berth/mysql:8': {
    folder: 'mysql',
    use: 'a stand-in for MySQL: MariaDB under its names',
    from: 'berth/mariadb:10.11',
    forTests: true,
  },
  'berth/mongo:7': { folder: 'mongo', use: 'a stand-in for MongoDB', from: 'berth/node:24', forTests: true },
} as const satisfies Record<string, ImageRow>;

interface ImageRow {
  /** Of its Dockerfile; null: imported from a root file system. */
  folder: string | null;
  use: string;
  /** The image of ours that it is built upon, other than the base. */
  from?: string;
  /** No use to anybody but tests. */
  forTests?: true;
}

export type ImageName = keyof typeof images;

/** The image that has no Dockerfile: it is imported from a root file system. */
export const baseImage = 'berth/debian:12' satisfies ImageName;

const isForTests = (name: ImageName): boolean => 'forTests' in images[name];
const allNames = Object.keys(images).filter((name): name is ImageName => name in images);

/** Those that set-up makes. */
export const imageNames: readonly ImageName[] = allNames.filter((name) => !isForTests(name));

/** Those besides that tests need. */
export const testImageNames: readonly ImageName[] = allNames.filter(isForTests);

/** The image that it is built upon; undefined for the base itself. */
export function parentOf(name: ImageName): ImageName | undefined {
  if (name === baseImage) return undefined;
  const row: (typeof images)[ImageName] = images[name];
  return 'from' in row ? row.from : baseImage;
}

/** Every image of ours carries the hash of its recipe under this label; another hash means: build again. */
export const recipeLabel = 'berth.recipe';

/**
 * Debian packages that building needs on the machine, besides an engine and Debian's docker client. Newer
 * versions of mmdebstrap need Python for what they leave out.
 */
export const buildPackages = ['mmdebstrap', 'python3', 'ca-certificates'] as const;

/** The server for the image of PostgreSQL 18, by the machine's architecture as Node names it. */
export const postgresServerPackage = {
  version: '18.4.0-beta.17',
  integrity: {
    x64: 'sha512-jVw/MdDtIX/vICH/DKIe6/mHpiCggdx6QVyza4vt/NbcZFsL0KhwglF6F1Koqx3gRBZ9XtN+vi63EsqSyqOSxA==',
    arm64: 'sha512-TIzjtGnDGSD/LbdW0OWCEcbI+YVT0WKSfSr20TCkkP4UR8zeKe+QCZbO0/CM4hS9EWyZ4cDebjRvpRc3iMi6wg==',
  },
} as const;
