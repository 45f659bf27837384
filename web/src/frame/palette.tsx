/** Find a service by name or host, do something: one field, arrows, Enter. */
import { useAsk } from '../live/api.ts';
import { useDeferredValue, useId, useMemo, useState, type KeyboardEvent, type ReactElement } from 'react';
import { pathOf, useServices, kindWords } from '../live/services.ts';
import { useRights } from '../live/viewer.ts';
import { copyText } from '../parts/copy.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Icon, type IconName } from '../parts/icon.tsx';
import { Mark, type Condition } from '../parts/mark.tsx';
import { kindIcon } from '../service/service-rows.tsx';
import { actionsFor, nameOnCommandLine, type Action } from './actions.ts';
import { useGo } from './link.tsx';
import { toast } from './toasts.tsx';
import { ask, type Input, type Path } from '../live/api.ts';

interface Entry {
  key: string;
  label: string;
  /** Where it is, or what it does. */
  detail: string;
  icon: IconName;
  condition?: Condition;
  /** For the same on a command line. */
  command?: string;
  run: () => void;
}

const most = 50;

export function Palette({ onClose }: { onClose: () => void }): ReactElement {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const entries = useEntries();
  const wanted = useDeferredValue(text.trim().toLowerCase());
  const shown = useMemo(() => rank(entries, wanted).slice(0, most), [entries, wanted]);
  const list = useId();
  const chosen = Math.min(at, shown.length - 1);
  const pick = (entry: Entry | undefined): void => {
    if (!entry) return;
    onClose();
    entry.run();
  };
  const onKey = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      const next = (chosen + step + shown.length) % Math.max(1, shown.length);
      setAt(next);
      document.getElementById(`${list}-${next}`)?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter') {
      event.preventDefault();
      pick(shown[chosen]);
    } else if (
      event.key === 'c' &&
      (event.metaKey || event.ctrlKey) &&
      getSelection()?.isCollapsed !== false
    ) {
      const command = shown[chosen]?.command;
      if (command) void copyText(command).then(() => toast(`Copied: ${command}`));
    }
  };
  const command = shown[chosen]?.command;
  return (
    <Dialog title="Find or do" isBare look="wide top" onClose={onClose}>
      <div onKeyDown={onKey}>
        <input
          autoFocus
          role="combobox"
          aria-expanded="true"
          aria-controls={list}
          aria-activedescendant={shown.length > 0 ? `${list}-${chosen}` : undefined}
          aria-label="Find a service or an action"
          aria-autocomplete="list"
          placeholder="Service, page or action…"
          className={
            'h-12 w-full border-b border-line bg-transparent px-4 text-16 outline-none ' +
            'placeholder:text-faint'
          }
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setAt(0);
          }}
        />
        <div
          id={list}
          role="listbox"
          aria-label="Found"
          className="max-h-[min(420px,50dvh)] overflow-auto p-1.5"
        >
          {shown.map((entry, index) => (
            <div
              key={entry.key}
              id={`${list}-${index}`}
              role="option"
              aria-selected={index === chosen}
              className="flex min-h-9 items-center gap-3 rounded-md px-3 text-13 aria-selected:bg-pressed"
              onMouseMove={() => setAt(index)}
              onClick={() => pick(entry)}
            >
              <span className="text-faint">
                <Icon name={entry.icon} />
              </span>
              <span className="cut">{entry.label}</span>
              <span className="cut flex-1 text-faint">{entry.detail}</span>
              {entry.condition && <Mark of={entry.condition} />}
            </div>
          ))}
          {shown.length === 0 && (
            <p className="px-3 py-6 text-center text-13 text-muted">Nothing has “{text}” in its name.</p>
          )}
        </div>
        <div
          className={'flex h-9 items-center gap-3 border-t border-line px-4 text-12 text-faint max-sm:hidden'}
        >
          {command ? (
            <>
              <code className="cut flex-1 text-12">{command}</code>
              <span>
                <Key>Ctrl</Key> <Key>C</Key> copies
              </span>
            </>
          ) : (
            <span>
              <Key>↑</Key> <Key>↓</Key> choose, <Key>↵</Key> opens
            </span>
          )}
        </div>
      </div>
    </Dialog>
  );
}

/** Names that begin with the words come first, then those that have them. */
function rank(entries: readonly Entry[], wanted: string): readonly Entry[] {
  if (wanted === '') return entries.filter(({ key }) => !key.startsWith('do-'));
  const words = wanted.split(/\s+/);
  return entries
    .map((entry) => {
      const label = entry.label.toLowerCase();
      const all = `${label} ${entry.detail.toLowerCase()}`;
      const fits = words.every((word) => all.includes(word));
      return {
        entry,
        score: !fits
          ? 0
          : label === wanted
            ? 4
            : label.startsWith(words[0] ?? '')
              ? 3
              : label.includes(words[0] ?? '')
                ? 2
                : 1,
      };
    })
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .map(({ entry }) => entry);
}

function useEntries(): readonly Entry[] {
  const go = useGo();
  const { rows = [] } = useServices();
  const { data: projects = [] } = useAsk('project.all', {});
  const { may, leads } = useRights();
  return useMemo(() => {
    const page = (label: string, to: string, icon: IconName, command?: string): Entry => ({
      key: to,
      label,
      detail: '',
      icon,
      ...(command ? { command } : {}),
      run: () => go(to),
    });
    const pages = [
      page('Home', '/', 'home', 'berth status'),
      page('Projects', '/projects', 'project', 'berth projects'),
      page('Deployments', '/deployments', 'deployment'),
      page('Alarms', '/alarms', 'bell'),
      ...(leads
        ? [
            page('Servers', '/servers', 'server', 'berth servers'),
            page('Add a server', '/servers?do=add', 'plus', 'berth server add ADDRESS'),
            page('Members', '/settings/members', 'user', 'berth members'),
            page('Invite a member', '/settings/members?do=invite', 'plus'),
            page('Audit', '/settings/audit', 'eye'),
            page('Notifications', '/settings/notifications', 'bell'),
            page('Certificates', '/settings/certificates', 'settings'),
            page('Backup coverage', '/settings/coverage', 'database'),
            page('DNS providers', '/settings/dns-providers', 'settings'),
            page('Log drains', '/settings/log-drains', 'bell'),
          ]
        : []),
      page('Settings', '/settings', 'settings'),
      ...(may('canCreateServices') ? [page('New service', '/new', 'plus', 'berth deploy')] : []),
    ];
    const services = rows.flatMap((row): Entry[] => {
      const path = pathOf(row);
      const name = nameOnCommandLine(row);
      const place = `${row.projectName} / ${row.environmentName}`;
      const perform = ({ label, does }: Action): void => {
        if ('opens' in does) return go(`${path}${does.opens}`);
        void ask(`${row.kind}.${does.calls}` as Path, { [`${row.kind}Id`]: row.id } as Input<Path>).then(
          () => (toast(`${label(row.name)}: accepted`), go(`${path}${does.next}`)),
          (error: unknown) => toast(error instanceof Error ? error.message : String(error)),
        );
      };
      return [
        {
          key: `${row.kind}-${row.id}`,
          label: row.name,
          detail: `${place}, ${kindWords[row.kind]}`,
          icon: kindIcon(row.kind),
          condition: row.condition,
          command: `berth open ${name}`,
          run: () => go(path),
        },
        ...actionsFor(row, may).map((action) => ({
          key: `do-${action.key}-${row.id}`,
          label: action.label(row.name),
          detail: place,
          icon: action.icon,
          command: action.command(name, row),
          run: () => perform(action),
        })),
      ];
    });
    const ofProjects = projects.map(
      (project): Entry => ({
        key: `project-${project.projectId}`,
        label: project.name,
        detail: 'Project',
        icon: 'project',
        run: () => go(`/projects/${project.projectId}`),
      }),
    );
    return [...services, ...pages, ...ofProjects];
  }, [rows, projects, may, leads, go]);
}

const Key = ({ children }: { children: string }): ReactElement => <kbd className="key">{children}</kbd>;
