/**
 * Everything that is done to a service from the palette: whose services, who may, the command line for the
 * same, and what it does here. Whatever takes something away is only opened, where it asks first.
 */
import type { ServiceKind, ServiceRow } from '../live/services.ts';
import type { Grant } from '../live/viewer.ts';
import type { IconName } from '../parts/icon.tsx';

/** A service that can be called by its kind's router. */
type Family = 'application' | 'compose' | 'database';

export interface Action {
  key: string;
  /** With the service's name in it. */
  label: (name: string) => string;
  icon: IconName;
  of: readonly Family[];
  /** A grant that a Member must have; Owners and Admins have all, and whoever sees a service may the rest. */
  grant?: Grant;
  /** Only while it runs, or only while it does not. */
  when?: 'running' | 'stopped';
  /** `what` is the service as the command line names it. */
  command: (what: string, row: ServiceRow) => string;
  /** A procedure that is called at once, or a page of the service that is opened. */
  does: { calls: string; next: string } | { opens: string };
}

const all: readonly Family[] = ['application', 'compose', 'database'];
const built: readonly Family[] = ['application', 'compose'];
const word = (name: string) => (what: string) => `berth ${name} ${what}`;
/** What has no word of its own is called by its procedure. */
const byApi =
  (procedure: string) =>
  (_what: string, { kind, id }: ServiceRow): string =>
    `berth api ${kind}.${procedure} --${kind}Id ${id}`;

export const actions: readonly Action[] = [
  {
    key: 'deploy',
    label: (name) => `Deploy ${name}`,
    icon: 'deployment',
    of: all,
    command: (what, row) =>
      familyOf(row.kind) === 'database' ? byApi('deploy')(what, row) : word('deploy')(what),
    does: { calls: 'deploy', next: '/deployments' },
  },
  {
    key: 'redeploy',
    label: (name) => `Deploy the same version of ${name} again`,
    icon: 'refresh',
    of: ['application'],
    when: 'running',
    command: word('redeploy'),
    does: { calls: 'redeploy', next: '/deployments' },
  },
  {
    key: 'restart',
    label: (name) => `Restart ${name}`,
    icon: 'refresh',
    of: ['application'],
    when: 'running',
    command: word('restart'),
    does: { calls: 'restart', next: '' },
  },
  {
    key: 'start',
    label: (name) => `Start ${name}`,
    icon: 'play',
    of: all,
    when: 'stopped',
    command: word('start'),
    does: { calls: 'start', next: '' },
  },
  {
    key: 'stop',
    label: (name) => `Stop ${name}`,
    icon: 'stop',
    of: all,
    when: 'running',
    command: word('stop'),
    does: { opens: '?do=stop' },
  },
  {
    key: 'rollback',
    label: (name) => `Roll back ${name}`,
    icon: 'undo',
    of: built,
    command: word('rollback'),
    does: { opens: '/deployments' },
  },
  {
    key: 'history',
    label: (name) => `${name}: deployments`,
    icon: 'deployment',
    of: all,
    command: word('history'),
    does: { opens: '/deployments' },
  },
  {
    key: 'logs',
    label: (name) => `${name}: logs`,
    icon: 'terminal',
    of: all,
    command: word('logs'),
    does: { opens: '/logs' },
  },
  {
    key: 'terminal',
    label: (name) => `Open a terminal in ${name}`,
    icon: 'terminal',
    of: all,
    grant: 'canOpenTerminal',
    when: 'running',
    command: word('shell'),
    does: { opens: '/terminal' },
  },
  {
    key: 'variables',
    label: (name) => `${name}: variables`,
    icon: 'key',
    of: all,
    command: (what) => `berth env edit ${what}`,
    does: { opens: '/variables' },
  },
  {
    key: 'domain',
    label: (name) => `Add a domain to ${name}`,
    icon: 'globe',
    of: built,
    command: (what) => `berth domains add HOST ${what}`,
    does: { opens: '/domains?do=add' },
  },
  {
    key: 'backup',
    label: (name) => `Back up ${name}`,
    icon: 'database',
    of: ['database'],
    command: word('db backup'),
    does: { opens: '/data' },
  },
  {
    key: 'restore',
    label: (name) => `Restore a backup of ${name}`,
    icon: 'undo',
    of: ['database'],
    command: word('db restore'),
    does: { opens: '/data' },
  },
  {
    key: 'schedules',
    label: (name) => `${name}: commands by schedule`,
    icon: 'clock',
    of: ['application'],
    command: (_what, { id }) => `berth api schedule.all --applicationId ${id}`,
    does: { opens: '/schedules' },
  },
  {
    key: 'server',
    label: (name) => `Move ${name} to another server`,
    icon: 'server',
    of: all,
    command: (what) => `berth move ${what} --to SERVER`,
    does: { opens: '?do=server' },
  },
  {
    key: 'move',
    label: (name) => `Move ${name} to another environment`,
    icon: 'project',
    of: all,
    command: (what, row) => `${byApi('move')(what, row)} --targetEnvironmentId ENVIRONMENT`,
    does: { opens: '?do=move' },
  },
  {
    key: 'settings',
    label: (name) => `${name}: settings`,
    icon: 'settings',
    of: all,
    command: byApi('one'),
    does: { opens: '/settings' },
  },
  {
    key: 'delete',
    label: (name) => `Delete ${name}`,
    icon: 'close',
    of: all,
    grant: 'canDeleteServices',
    command: (what, row) => byApi(familyOf(row.kind) === 'database' ? 'remove' : 'delete')(what, row),
    does: { opens: '?do=delete' },
  },
];

const familyOf = (kind: ServiceKind): Family =>
  kind === 'application' || kind === 'compose' ? kind : 'database';

/** Those for a service as it is, of whoever has these rights. */
export function actionsFor(row: ServiceRow, may: (grant: Grant) => boolean): readonly Action[] {
  const family = familyOf(row.kind);
  const state = row.desired > 0 ? 'running' : 'stopped';
  const isNew = row.condition === 'never deployed';
  return actions.filter(
    ({ of, grant, when }) =>
      of.includes(family) &&
      (grant === undefined || may(grant)) &&
      (when === undefined || (when === state && !isNew)),
  );
}

/** A service as the command line names it: the environment only where it is not the default one. */
export function nameOnCommandLine({
  projectName,
  environmentName,
  name,
}: Pick<ServiceRow, 'projectName' | 'environmentName' | 'name'>): string {
  const parts = environmentName === 'production' ? [projectName, name] : [projectName, environmentName, name];
  const text = parts.join('/');
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The same of a service as its page sees it. */
export const serviceOnCommandLine = ({
  name,
  environment,
}: {
  name: string;
  environment: { name: string; project: { name: string } };
}): string =>
  nameOnCommandLine({ name, environmentName: environment.name, projectName: environment.project.name });
