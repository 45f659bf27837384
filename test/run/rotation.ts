/**
 * What an ordinary run takes a part of, by its seed. Each group holds long files, or whole projects, that
 * reach the same code: one in three of a group is run, at least one, and all with `--long`. What is in no
 * group is in every run.
 */
import { ofThisRun } from './mode.ts';
import type { ProjectName } from './projects.ts';

/** Of a group, one in so many. */
const share = 3;

/** `names` are separated by spaces. */
const files = (pattern: (name: string) => string, names: string): readonly string[] =>
  names.split(' ').map((name) => pattern(name));
const e2e = (name: string): string => `test/e2e/${name}.e2e.test.ts`;
const integration = (name: string): string => `test/integration/${name}.test.ts`;
const web = (name: string): string => `test/web/${name}.interface.test.ts`;
const clients = (name: string): string => `test/clients/${name}.interface.test.ts`;

/** Paths from the root of the repository. */
export const fileGroups: readonly (readonly string[])[] = [
  files((name) => e2e(`servers/${name}`), 'build-server cloud moving server-add'),
  files(e2e, 'backups/volumes backups/recovery previews previews/compose'),
  files(e2e, 'machine/release compose/products compose/lived command/session server-setup'),
  files(
    (name) => `test/attacks/${name}.attack.test.ts`,
    'arguments build-server builders cookies destinations engine host-reach hosts images keys limits names ' +
      'own-images passwords pull-requests sign-in',
  ),
  files((name) => integration(`builder/${name}`), 'hostile limits own static without-dockerfile'),
  files(integration, 'bed/bed git/https git/lfs git/ssh'),
  files(
    (name) => integration(`proxy/${name}`),
    'access certificates cookies dns-certificates issuance rules',
  ),
  files(
    (name) => integration(`engine/${name}`),
    'down ended exec internal-network leaving network-life networks observing privileges programs routes ' +
      'standing tasks view whose',
  ),
  files(
    web,
    'dialogs first-user github logs/long-log logs/wrapped-log palette roles second-factor tabs ' +
      'thousand unsteady variables forms/push',
  ),
  files(clients, 'assistant curl family limits log-download packages trpc'),
  files(
    (name) => `test/${name}.test.ts`,
    'clients/family-import clients/generators compose/judge dangers/dangers dangers/network-addresses ' +
      'day/day kill-matrix/servers/kill-matrix-servers',
  ),
  files(
    (name) => `${name}.store.test.ts`,
    'server/src/deploy/compose/judge-file server/src/modules/backup/in-place/mysql-in-place ' +
      'server/src/modules/backup/in-place/postgres-in-place ' +
      'server/src/modules/backup/programs/foreign-programs ' +
      'test/kill-matrix/operation-pairs test/kill-matrix/ownership/two-installations',
  ),
];

/** Projects whose tests seldom find what others do not. */
export const projectGroup: readonly ProjectName[] = [
  'cluster',
  'databases',
  'faults',
  'hosts',
  'pairs',
  'systemd',
  'trixie',
  'upgrade',
];

/** Files that this run leaves to others. */
export const filesOfOtherRuns = (environment = process.env): string[] =>
  fileGroups.flatMap((group) => {
    const chosen = new Set(ofThisRun(group, share, environment));
    return group.filter((file) => !chosen.has(file));
  });

/** Projects that this run leaves to others. */
export function projectsOfOtherRuns(environment = process.env): ProjectName[] {
  const chosen = new Set(ofThisRun(projectGroup, share, environment));
  return projectGroup.filter((name) => !chosen.has(name));
}
