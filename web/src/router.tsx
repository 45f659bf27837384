/** Addresses and the pages they show; a page's code comes when it is first asked for, or pointed at. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
} from '@tanstack/react-router';
import { Door } from './user/door.tsx';
import { Frame } from './frame/frame.tsx';
import { loadPage } from './frame/load-page.ts';
import { Home } from './home/home.tsx';
import { NotFound, PageFault } from './frame/page-fault.tsx';

const root = createRootRoute({
  component: Outlet,
  notFoundComponent: NotFound,
  errorComponent: PageFault,
});
const door = (path: string, kind: 'sign-in' | 'sign-up' | 'join') =>
  createRoute({
    getParentRoute: () => root,
    path,
    component: () => <Door kind={kind} />,
    validateSearch: (search: Record<string, unknown>): { next?: string } =>
      typeof search['next'] === 'string' ? { next: search['next'] } : {},
  });
const design = createRoute({
  getParentRoute: () => root,
  path: '/design',
  component: lazyRouteComponent(
    loadPage(() => import('./design/design.tsx')),
    'Design',
  ),
});
const frame = createRoute({ getParentRoute: () => root, id: 'frame', component: Frame });

const inFrame = (path: string, component: Parameters<typeof createRoute>[0]['component']) =>
  createRoute({ getParentRoute: () => frame, path, component });

const service = loadPage(() => import('./service/service-page.tsx'));
const pages = [
  inFrame('/', Home),
  inFrame(
    '/new',
    lazyRouteComponent(
      loadPage(() => import('./new/new-service.tsx')),
      'NewService',
    ),
  ),
  inFrame(
    '/projects',
    lazyRouteComponent(
      loadPage(() => import('./project/projects.tsx')),
      'Projects',
    ),
  ),
  inFrame(
    '/projects/$projectId',
    lazyRouteComponent(
      loadPage(() => import('./project/project.tsx')),
      'ProjectPage',
    ),
  ),
  inFrame(
    '/projects/$projectId/logs',
    lazyRouteComponent(
      loadPage(() => import('./project/project-logs.tsx')),
      'ProjectLogs',
    ),
  ),
  inFrame('/applications/$id', lazyRouteComponent(service, 'ApplicationPage')),
  inFrame('/applications/$id/$tab', lazyRouteComponent(service, 'ApplicationPage')),
  inFrame('/compose/$id', lazyRouteComponent(service, 'ComposePage')),
  inFrame('/compose/$id/$tab', lazyRouteComponent(service, 'ComposePage')),
  inFrame('/databases/$kind/$id', lazyRouteComponent(service, 'DatabasePage')),
  inFrame('/databases/$kind/$id/$tab', lazyRouteComponent(service, 'DatabasePage')),
  inFrame(
    '/deployments',
    lazyRouteComponent(
      loadPage(() => import('./deployment/deployments.tsx')),
      'Deployments',
    ),
  ),
  inFrame(
    '/deployments/$deploymentId',
    lazyRouteComponent(
      loadPage(() => import('./deployment/deployment.tsx')),
      'DeploymentPage',
    ),
  ),
  inFrame(
    '/connect-github',
    lazyRouteComponent(
      loadPage(() => import('./git/connect-github.tsx')),
      'ConnectGithub',
    ),
  ),
  inFrame(
    '/alarms',
    lazyRouteComponent(
      loadPage(() => import('./alarm/alarms.tsx')),
      'Alarms',
    ),
  ),
  inFrame(
    '/servers',
    lazyRouteComponent(
      loadPage(() => import('./server/servers.tsx')),
      'Servers',
    ),
  ),
  inFrame(
    '/servers/$serverId',
    lazyRouteComponent(
      loadPage(() => import('./server/server.tsx')),
      'ServerPage',
    ),
  ),
  inFrame(
    '/settings',
    lazyRouteComponent(
      loadPage(() => import('./settings/settings.tsx')),
      'Settings',
    ),
  ),
  inFrame(
    '/settings/$section',
    lazyRouteComponent(
      loadPage(() => import('./settings/settings.tsx')),
      'Settings',
    ),
  ),
];

export const makeRouter = () =>
  createRouter({
    routeTree: root.addChildren([
      door('/sign-in', 'sign-in'),
      door('/sign-up', 'sign-up'),
      door('/join', 'join'),
      design,
      frame.addChildren(pages),
    ]),
    // Within the frame, which stays.
    defaultErrorComponent: PageFault,
    defaultPreload: 'intent',
    defaultPendingMinMs: 0,
    scrollRestoration: true,
  });
