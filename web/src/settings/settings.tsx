/** Settings of the account, the organization and the installation. */
import { useParams } from '@tanstack/react-router';
import { lazy, Suspense, type ComponentType, type ReactElement } from 'react';
import { Go } from '../frame/link.tsx';
import { useRights } from '../live/viewer.ts';
import { SkeletonRows } from '../parts/notices.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { Tabs } from '../parts/tabs.tsx';

interface Section {
  name: string;
  title: string;
  /** Shown to Owners and Admins alone. */
  forLeaders?: boolean;
  content: ComponentType;
}

const late = (load: () => Promise<ComponentType>): ComponentType =>
  lazy(async () => ({ default: await load() }));
const lists = () => import('./lists.tsx');

const sections: readonly Section[] = [
  {
    name: 'account',
    title: 'Account',
    content: late(async () => (await import('../user/account.tsx')).Account),
  },
  {
    name: 'keys',
    title: 'API keys',
    content: late(async () => (await import('../user/api-keys.tsx')).ApiKeys),
  },
  {
    name: 'members',
    title: 'Members',
    forLeaders: true,
    content: late(async () => (await import('../organization/members.tsx')).Members),
  },
  {
    name: 'organization',
    title: 'Organization',
    forLeaders: true,
    content: late(async () => (await import('../organization/organization.tsx')).OrganizationSettings),
  },
  { name: 'git', title: 'Git', forLeaders: true, content: late(async () => (await lists()).GitProviders) },
  {
    name: 'registries',
    title: 'Registries',
    forLeaders: true,
    content: late(async () => (await lists()).Registries),
  },
  {
    name: 'templates',
    title: 'Templates',
    forLeaders: true,
    content: late(async () => (await import('./template-catalogues.tsx')).TemplateCatalogues),
  },
  {
    name: 'ssh-keys',
    title: 'SSH keys',
    forLeaders: true,
    content: late(async () => (await lists()).SshKeys),
  },
  {
    name: 'destinations',
    title: 'Destinations',
    forLeaders: true,
    content: late(async () => (await lists()).Destinations),
  },
  {
    name: 'coverage',
    title: 'Backup coverage',
    content: late(async () => (await import('../backup/coverage.tsx')).Coverage),
  },
  {
    name: 'certificates',
    title: 'Certificates',
    forLeaders: true,
    content: late(async () => (await import('./certificates.tsx')).Certificates),
  },
  {
    name: 'dns-providers',
    title: 'DNS providers',
    forLeaders: true,
    content: late(async () => (await import('./dns-providers.tsx')).DnsProviders),
  },
  {
    name: 'notifications',
    title: 'Notifications',
    forLeaders: true,
    content: late(async () => (await import('./notifications.tsx')).Notifications),
  },
  {
    name: 'log-drains',
    title: 'Log drains',
    forLeaders: true,
    content: late(async () => (await import('./log-drains.tsx')).LogDrains),
  },
  {
    name: 'installation',
    title: 'Installation',
    forLeaders: true,
    content: late(async () => (await import('./installation.tsx')).Installation),
  },
  {
    name: 'audit',
    title: 'Audit',
    forLeaders: true,
    content: late(async () => (await import('./audit.tsx')).Audit),
  },
];

export function Settings(): ReactElement {
  const { section = 'account' }: { section?: string } = useParams({ strict: false });
  const { leads } = useRights();
  const offered = sections.filter(({ forLeaders }) => leads || !forLeaders);
  const shown = offered.find(({ name }) => name === section) ?? offered[0];
  const Content = shown?.content;
  return (
    <Page title="Settings">
      <div className="grid gap-x-8 md:grid-cols-[160px_minmax(0,1fr)]">
        <Tabs
          label="Settings"
          shown={shown?.name}
          className="mb-4 flex gap-1 overflow-x-auto md:sticky! md:top-6 md:flex-col md:self-start"
        >
          {offered.map(({ name, title }) => (
            <Go
              key={name}
              to={`/settings/${name}`}
              aria-current={name === shown?.name ? 'page' : undefined}
              className={
                'rounded-md px-2.5 py-1.5 text-13 whitespace-nowrap text-muted no-underline ' +
                'hover:bg-hover hover:text-ink aria-[current=page]:bg-pressed ' +
                'aria-[current=page]:font-medium aria-[current=page]:text-ink'
              }
            >
              {title}
            </Go>
          ))}
        </Tabs>
        <div className={`min-w-0 ${shown?.name === 'installation' ? 'max-w-[980px]' : 'max-w-[760px]'}`}>
          <Suspense
            fallback={
              <Panel>
                <SkeletonRows rows={3} />
              </Panel>
            }
          >
            {Content && <Content />}
          </Suspense>
        </div>
      </div>
    </Page>
  );
}
