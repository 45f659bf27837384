/**
 * Every screen of an installation that is in use: nothing is logged, refused or thrown, nothing is wider than
 * the window, and axe finds nothing, in either theme. With BERTH_PICTURES=<folder> each is stored as a
 * picture as well, at four widths, for whoever looks at them.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { accessibilityFaults, overflow, settled, type Look, type Watched } from '../../web/browser.ts';
import { ofThisRun } from '../../run/mode.ts';
import type { ApplicationFixture } from '../fixtures/applications.ts';
import { settingsPages } from '../../web/screens-of.ts';

const folder = process.env['BERTH_PICTURES'];
const bothSchemes = ['light', 'dark'] as const;
const widths = folder === undefined ? [1280] : [360, 768, 1280, 1680];

/** The ordinary run takes one by its seed: every screen without an engine is tried in both. */
const schemes = folder === undefined ? ofThisRun(bothSchemes, 2) : bothSchemes;

interface Row {
  serviceId: string;
  kind: string;
  name: string;
}

export function screenTests(place: () => ApplicationFixture, owner: (look?: Look) => Promise<Watched>): void {
  describe.each(widths.flatMap((width) => schemes.map((scheme) => ({ width, scheme }))))(
    'in use, at $width px, $scheme',
    (look) => {
      it('every screen is whole and accessible', { timeout: 900_000 }, async () => {
        const { berth } = place();
        const screens = await screensOf(place());
        const watched = await owner(look);
        const { page, context } = watched;
        const found: Record<string, string[]> = {};
        // The rules of accessibility take the most time; screens without an engine are held to them as well.
        const underRules = new Set(ofThisRun(Object.keys(screens), 2));
        for (const [name, path] of Object.entries(screens)) {
          await page.goto(`${berth.url}${path}`);
          await settled(page);
          if (folder !== undefined)
            await picture(watched, join(folder, `${name}-${look.width}-${look.scheme}.png`));
          const wide = await overflow(page);
          const faults = [
            ...watched.faults.splice(0),
            ...(underRules.has(name) ? await accessibilityFaults(page) : []),
            ...(wide > 0 ? [`wider than the page by ${wide} px`] : []),
          ];
          if (faults.length > 0) found[name] = faults;
        }
        expect(found).toEqual({});
        await context.close();
      });
    },
  );
}

async function picture({ page }: Watched, path: string): Promise<void> {
  await mkdir(join(path, '..'), { recursive: true });
  await page.screenshot({ path, fullPage: true });
}

/** By the name of their picture. */
async function screensOf({ berth }: ApplicationFixture): Promise<Record<string, string>> {
  const rows = await berth.call<Row[] & Record<string, unknown>>('service.all');
  const id = (name: string): string => rows.find((row) => row.name === name)?.serviceId ?? '';
  const deployments = await berth.call<
    { deploymentId: string; status: string; applicationId: string | null }[] & Record<string, unknown>
  >('deployment.all', { applicationId: id('daily') });
  const deployment = (status: string): string =>
    deployments.find((one) => one.status === status)?.deploymentId ?? '';
  const projects = await berth.call<{ projectId: string; name: string }[] & Record<string, unknown>>(
    'project.all',
  );
  const project = projects.find(({ name }) => name === 'Shop');
  const application = `/applications/${id('daily')}`;
  const database = `/databases/postgres/${id('books')}`;
  return {
    home: '/',
    'home-memory': '/?sort=memory',
    new: '/new',
    'new-template': '/new?kind=template',
    projects: '/projects',
    project: `/projects/${project?.projectId ?? ''}`,
    'project-logs': `/projects/${project?.projectId ?? ''}/logs`,
    application,
    ...Object.fromEntries(
      ['deployments', 'logs', 'variables', 'data', 'previews', 'terminal', 'settings'].map((tab) => [
        `application-${tab}`,
        `${application}/${tab}`,
      ]),
    ),
    'application-schedules': `/applications/${id('letters')}/schedules`,
    'application-domains': `/applications/${id('named')}/domains`,
    database,
    'database-data': `${database}/data`,
    'database-settings': `${database}/settings`,
    deployments: '/deployments',
    'deployment-done': `/deployments/${deployment('done')}`,
    'deployment-failed': `/deployments/${deployment('error')}`,
    alarms: '/alarms',
    servers: '/servers',
    ...Object.fromEntries(settingsPages.map((section) => [`settings-${section}`, `/settings/${section}`])),
    design: '/design',
  };
}
