/** One frame for services of every kind: how it is, what can be done, and its tabs. */
import { useParams } from '@tanstack/react-router';
import { lazy, Suspense, type ComponentType, type ReactElement } from 'react';
import { wordsOf } from '../deployment/changed-words.ts';
import { NotFound } from '../frame/page-fault.tsx';
import { Go } from '../frame/link.tsx';
import { isDatabase, kindWords, pathOf, useServiceRow, type ServiceKind } from '../live/services.ts';
import { Copy } from '../parts/copy.tsx';
import { Mark } from '../parts/mark.tsx';
import { ReadFault, SkeletonRows } from '../parts/notices.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { addressOf } from './address.ts';
import { Overview } from './overview.tsx';
import { ServiceActions } from './service-actions.tsx';
import { useService, type Service } from './service.ts';
import { tabWords, texts, type TabName } from './texts.ts';

export interface TabProps {
  service: Service;
}

type Tab = ComponentType<TabProps>;
const late = (load: () => Promise<Tab>): Tab => lazy(async () => ({ default: await load() }));

const tabs: Record<TabName, Tab> = {
  overview: Overview,
  deployments: late(async () => (await import('./deployments-tab.tsx')).DeploymentsTab),
  logs: late(async () => (await import('./logs-tab.tsx')).LogsTab),
  variables: late(async () => (await import('../variables/variables-tab.tsx')).VariablesTab),
  domains: late(async () => (await import('../domain/domains-tab.tsx')).DomainsTab),
  file: late(async () => (await import('../compose/file-tab.tsx')).FileTab),
  browse: late(async () => (await import('../database/browse-tab.tsx')).BrowseTab),
  data: late(async () => (await import('../database/data-tab.tsx')).DataTab),
  schedules: late(async () => (await import('../schedule/schedules-tab.tsx')).SchedulesTab),
  previews: late(async () => (await import('../application/previews-tab.tsx')).PreviewsTab),
  terminal: late(async () => (await import('./terminal-tab.tsx')).TerminalTab),
  settings: late(async () => (await import('./settings-tab.tsx')).SettingsTab),
};

const tabsOf = (kind: ServiceKind): readonly TabName[] =>
  kind === 'application'
    ? [
        'overview',
        'deployments',
        'logs',
        'variables',
        'domains',
        'data',
        'schedules',
        'previews',
        'terminal',
        'settings',
      ]
    : kind === 'compose'
      ? [
          'overview',
          'deployments',
          'file',
          'logs',
          'variables',
          'domains',
          'data',
          'schedules',
          'previews',
          'terminal',
          'settings',
        ]
      : ['overview', 'deployments', 'logs', 'variables', 'browse', 'data', 'terminal', 'settings'];

export const ApplicationPage = (): ReactElement => <ServicePage kind="application" />;
export const ComposePage = (): ReactElement => <ServicePage kind="compose" />;

export function DatabasePage(): ReactElement {
  const { kind = '' }: { kind?: string } = useParams({ strict: false });
  return isDatabase(kind) ? <ServicePage kind={kind} /> : <NotFound />;
}

function ServicePage({ kind }: { kind: ServiceKind }): ReactElement {
  const { id = '', tab = 'overview' }: { id?: string; tab?: string } = useParams({ strict: false });
  const { service, error } = useService(kind, id);
  const row = useServiceRow(id);
  const offered = tabsOf(kind);
  const name = offered.find((one) => one === tab) ?? 'overview';
  const Content = tabs[name];
  if (!service)
    return (
      <Page title={kindWords[kind]}>
        {error ? (
          <ReadFault error={error} />
        ) : (
          <Panel>
            <SkeletonRows rows={6} />
          </Panel>
        )}
      </Page>
    );
  const base = pathOf({ kind, id });
  return (
    <Page
      title={service.name}
      mark={row && <Mark of={row.condition} />}
      about={<About service={service} />}
      actions={<ServiceActions service={service} />}
    >
      <Tabs label="Of this service" shown={name}>
        {offered.map((one) => (
          <Go
            key={one}
            to={one === 'overview' ? base : `${base}/${one}`}
            aria-current={one === name ? 'page' : undefined}
          >
            {tabWords[one]}
          </Go>
        ))}
      </Tabs>
      <Suspense
        fallback={
          <Panel>
            <SkeletonRows rows={6} />
          </Panel>
        }
      >
        <Content key={`${kind}-${id}`} service={service} />
      </Suspense>
    </Page>
  );
}

function About({ service }: { service: Service }): ReactElement {
  const { environment, kind, id, live, status, pendingChanges } = service;
  const address = addressOf(service);
  const changed = wordsOf(pendingChanges);
  return (
    <span className="flex flex-wrap items-center gap-x-4 gap-y-1">
      <Go
        to={`/projects/${environment.project.projectId}?environment=${environment.environmentId}`}
        className="cut max-w-full underline decoration-edge underline-offset-2"
      >
        {environment.project.name} / {environment.name}
      </Go>
      <span>{kindWords[kind]}</span>
      {live && live.desired > 0 && (
        <span>
          {live.running} of {live.desired} {live.desired === 1 ? 'task' : 'tasks'}
        </span>
      )}
      {live?.commit && <code className="text-12">{live.commit.slice(0, 7)}</code>}
      {address && (
        <span className="inline-flex max-w-full items-center">
          <a
            href={address}
            target="_blank"
            rel="noreferrer"
            className="cut underline decoration-edge underline-offset-2"
          >
            {address.replace(/^https?:\/\//, '')}
          </a>
          <Copy text={address} what="address" />
        </span>
      )}
      {status === 'error' && <span className="text-down">Last deployment failed</span>}
      {live !== null && changed.length > 0 && (
        <Go
          to={`${pathOf({ kind, id })}/settings`}
          className="text-warn no-underline"
          title={changed.join(', ')}
        >
          {texts.pending(changed.length)}
        </Go>
      )}
    </span>
  );
}
