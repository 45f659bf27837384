/**
 * Where each form stands that changes something stored. The forms mark themselves (`data-stored`), and
 * stored-forms.test.ts holds this table against the sources of the dashboard.
 */
import type { Locator, Page } from 'playwright-core';
import type { World } from '../../world/world.ts';

/** Ids of the things that are shown, by the names of their fields. */
export interface Ids {
  own: Readonly<Record<string, string>>;
}

export interface Place {
  screen: (ids: Ids) => string;
  /** Names of the buttons and menu items that lead from the screen to a dialog. */
  through?: readonly (string | RegExp)[];
  /** Procedures of its forms, in their order. */
  forms: readonly string[];
  /** What it saves takes effect at the proxy, which only an engine has (test/e2e/web/forms.ts). */
  isAtProxy?: true;
}

const application =
  (tab: string) =>
  ({ own }: Ids): string =>
    `/applications/${own['applicationId'] ?? ''}/${tab}`;
const compose =
  (tab: string) =>
  ({ own }: Ids): string =>
    `/compose/${own['composeId'] ?? ''}/${tab}`;
const database =
  (kind: string, tab: string) =>
  ({ own }: Ids): string =>
    `/databases/${kind}/${own[`${kind}Id`] ?? ''}/${tab}`;
const settings = (section: string) => () => `/settings/${section}`;
const project = ({ own }: Ids): string => `/projects/${own['projectId'] ?? ''}`;
/** The first row whose name begins so; the walk changes names by adding to them. */
const changeOf = (...beginnings: string[]): readonly (string | RegExp)[] => [
  new RegExp(`^More for (${beginnings.map((one) => RegExp.escape(one)).join('|')})`),
  'Change',
];

const update = (kind: string, count: number): string[] =>
  Array.from({ length: count }, () => `${kind}.update`);

export const places: readonly Place[] = [
  {
    screen: application('settings'),
    forms: ['application.saveContainerProvider', ...update('application', 4)],
  },
  {
    screen: ({ own }) => `/applications/${own['otherApplicationId'] ?? ''}/settings`,
    forms: [
      'application.saveGitProvider',
      'application.update',
      'application.saveBuildType',
      ...update('application', 4),
    ],
  },
  { screen: application('previews'), forms: ['application.update'] },
  { screen: compose('previews'), forms: ['compose.update'] },
  { screen: application('settings'), through: changeOf('2', '3'), forms: ['port.update'] },
  {
    screen: application('settings'),
    through: changeOf('^/old'),
    forms: ['redirect.update'],
    isAtProxy: true,
  },
  {
    screen: application('settings'),
    through: changeOf('visitor'),
    forms: ['basicAuth.update'],
    isAtProxy: true,
  },
  {
    screen: application('domains'),
    through: changeOf('forms.', 'other.'),
    forms: ['domain.update'],
    isAtProxy: true,
  },
  { screen: application('schedules'), through: changeOf('nightly'), forms: ['schedule.update'] },
  { screen: application('data'), through: changeOf('/data'), forms: ['mount.update'] },
  { screen: application('data'), through: changeOf('data: '), forms: ['volumeBackup.update'] },
  { screen: compose('settings'), forms: ['compose.update'] },
  { screen: compose('file'), forms: ['compose.update'] },
  ...['postgres', 'mysql', 'mariadb', 'mongo', 'redis'].flatMap((kind): Place[] => [
    { screen: database(kind, 'settings'), forms: update(kind, 3) },
    { screen: database(kind, 'data'), forms: [`${kind}.saveExternalPort`] },
  ]),
  { screen: database('mysql', 'data'), through: changeOf('Every '), forms: ['backup.update'] },
  { screen: project, through: ['More for this project', 'Name and description'], forms: ['project.update'] },
  { screen: project, through: ['More for this project', 'Shared variables'], forms: ['project.update'] },
  { screen: project, through: ['More for this project', 'Base domain'], forms: ['project.update'] },
  { screen: project, through: ['More for this project', /^Variables of /], forms: ['environment.update'] },
  { screen: ({ own }) => `/servers/${own['serverId'] ?? ''}`, forms: ['server.update'] },
  {
    screen: settings('members'),
    through: ['More for member', 'Role and grants'],
    forms: ['organization.updateMember'],
  },
  { screen: settings('organization'), forms: ['organization.update'] },
  { screen: settings('git'), through: changeOf('gitea'), forms: ['gitProvider.update'] },
  { screen: settings('registries'), through: changeOf('registry'), forms: ['registry.update'] },
  {
    screen: settings('templates'),
    through: changeOf('ours'),
    forms: ['templateCatalogue.update'],
  },
  { screen: settings('ssh-keys'), through: changeOf('deploy'), forms: ['sshKey.update'] },
  { screen: settings('destinations'), through: changeOf('backups'), forms: ['destination.update'] },
  { screen: settings('certificates'), through: changeOf('internal'), forms: ['certificateResolver.update'] },
  { screen: settings('certificates'), through: changeOf('wildcard'), forms: ['certificateOrder.update'] },
  { screen: settings('dns-providers'), through: changeOf('zones'), forms: ['dnsProvider.update'] },
  { screen: settings('notifications'), through: changeOf('on call'), forms: ['notification.update'] },
  { screen: settings('log-drains'), through: changeOf('central'), forms: ['logDrain.update'] },
  { screen: settings('installation'), forms: [...update('settings', 7), 'installationBackup.set'] },
  { screen: settings('installation'), through: ['Quota'], forms: ['organization.setQuota'] },
];

/** The forms of a place that is open. */
export const formsOf = (page: Page, { through }: Place): Locator =>
  page.locator(`${through ? 'dialog[open] ' : ''}form[data-stored]`);

/** Stored forms that no seeded installation shows, and why. */
export const elsewhere: Readonly<Record<string, string>> = {
  'server.setupMonitoring': 'of a server that is measured, which needs one: test/e2e/servers',
  'application.saveGithubProvider': 'of a repository that the host lists: test/e2e/journeys',
};

/** Opens the place anew, so that what is shown was read from the server. */
export async function openPlace(page: Page, url: string, place: Place, ids: Ids): Promise<void> {
  const { screen, through = [] } = place;
  await page.goto(`${url}${screen(ids)}`);
  for (const name of through) {
    const exact = typeof name === 'string';
    await page
      .getByRole('menuitem', { name, exact })
      .or(page.getByRole('main').getByRole('button', { name, exact }))
      .first()
      .click();
  }
  await formsOf(page, place)
    .nth(place.forms.length - 1)
    .waitFor();
  for (const fold of await formsOf(page, place).locator('details:not([open]) > summary').all())
    await fold.click();
}

/** Made once with a passphrase; its form changes what is stored from then on. */
export async function setInstallationBackup(url: string, { people, own }: World): Promise<void> {
  const set = await fetch(`${url}/api/installationBackup.set`, {
    method: 'POST',
    headers: { ...people.owner.byKey, 'content-type': 'application/json' },
    body: JSON.stringify({ destinationId: own['destinationId'], passphrase: 'a long passphrase' }),
  });
  if (!set.ok) throw new Error(await set.text());
}
