import { builderImage, proxyImage } from '../server/src/domain/names/platform-images.ts';
import { nodeAndNpm } from './build-context.ts';
import type { ImageRow, ImageRows } from './image-row.ts';

const recipe = (name: string): string => `images/recipes/${name}`;

/**
 * The images that Berth can make itself where no image registry answers. The names are ours: an official tag
 * in a user's engine must stay what its maker published.
 */
export const images = {
  'berth/debian:12': {
    suite: 'bookworm',
    use: "a base of the others: Debian 12, minimal, with this machine's CA certificates",
  },
  'berth/debian:13': {
    suite: 'trixie',
    use: "a base of the others: Debian 13, minimal, with this machine's CA certificates",
  },
  'berth/node:24': {
    recipe: recipe('node'),
    from: 'berth/debian:12',
    extra: nodeAndNpm,
    use: 'Node.js 24 with npm and git; user node (1000)',
  },
  [proxyImage]: { recipe: recipe('caddy'), from: 'berth/debian:12', use: 'Caddy 2.11, the proxy' },
  [builderImage]: {
    recipe: recipe('builder'),
    from: 'berth/debian:12',
    use: "an organization's builder: Docker's engine with its BuildKit",
  },
  'berth/postgres:15': {
    recipe: recipe('postgres'),
    from: 'berth/debian:12',
    args: { MAJOR: '15', PLACE: '/var/lib/postgresql/data', DATA: '/var/lib/postgresql/data' },
    use: 'PostgreSQL 15',
    former: true,
  },
  'berth/postgres:17': {
    recipe: recipe('postgres'),
    from: 'berth/debian:13',
    args: { MAJOR: '17', PLACE: '/var/lib/postgresql/data', DATA: '/var/lib/postgresql/data' },
    use: 'PostgreSQL 17',
  },
  'berth/mariadb:10.11': {
    recipe: recipe('mariadb'),
    from: 'berth/debian:12',
    args: { VERSION: '10.11' },
    use: 'MariaDB 10.11, also for MySQL clients',
    former: true,
  },
  'berth/mariadb:11.8': {
    recipe: recipe('mariadb'),
    from: 'berth/debian:13',
    args: { VERSION: '11.8' },
    use: 'MariaDB 11.8, also for MySQL clients',
  },
  'berth/redis:7': {
    recipe: recipe('redis'),
    from: 'berth/debian:12',
    args: { VERSION: '7.0' },
    use: 'Redis 7',
    former: true,
  },
  'berth/redis:8': {
    recipe: recipe('redis'),
    from: 'berth/debian:13',
    args: { VERSION: '8.0' },
    use: 'Redis 8',
  },
} as const satisfies ImageRows;

const isFormer = ([, row]: [string, ImageRow]): boolean => row.former === true;
const rows = Object.entries<ImageRow>(images);

/** Those that set-up makes. */
export const imageNames: readonly string[] = rows.filter((row) => !isFormer(row)).map(([name]) => name);

/** Those that an earlier version of set-up made. */
export const formerNames: readonly string[] = rows.filter(isFormer).map(([name]) => name);

/** Every image of ours carries the hash of its recipe under this label; another hash means: build again. */
export const recipeLabel = 'berth.recipe';

/**
 * Debian packages that building needs on the machine, besides an engine and Debian's docker client. Newer
 * versions of mmdebstrap need Python for what they leave out.
 */
export const buildPackages = ['mmdebstrap', 'python3', 'ca-certificates'] as const;
