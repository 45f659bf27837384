/** The frame round every page for those who are signed in: rail, path, palette, sign-in over the page. */
import { Outlet, useRouterState } from '@tanstack/react-router';
import {
  lazy,
  Suspense,
  useDeferredValue,
  useEffect,
  useState,
  useSyncExternalStore,
  type ReactElement,
} from 'react';
import { useSession } from '../live/account.ts';
import { useAsk, useDo, queries } from '../live/api.ts';
import { useConnection } from '../live/connection.ts';
import { signOut } from '../live/account.ts';
import { onSessionEnd, sessionHasEnded } from '../live/session-ended.ts';
import { streamState, onStreamState, startEvents } from '../live/events.ts';
import { Icon, type IconName } from '../parts/icon.tsx';
import { Menu } from '../parts/menu.tsx';
import { Fault, SkeletonRows } from '../parts/notices.tsx';
import { SignInOver } from '../user/door.tsx';
import { ConnectionBar } from './connection-bar.tsx';
import { useKeys } from './keys.ts';
import { Go, useGo } from './link.tsx';
import { texts } from './texts.ts';
import { applyTheme, storedTheme, themes } from './theme.ts';
import { Toasts } from './toasts.tsx';

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }));
const KeysHelp = lazy(async () => ({ default: (await import('./keys-help.tsx')).KeysHelp }));

const places: readonly { to: string; label: string; icon: IconName }[] = [
  { to: '/', label: texts.home, icon: 'home' },
  { to: '/projects', label: texts.projects, icon: 'project' },
  { to: '/deployments', label: texts.deployments, icon: 'deployment' },
  { to: '/servers', label: texts.servers, icon: 'server' },
  { to: '/settings', label: texts.settings, icon: 'settings' },
];

export function Frame(): ReactElement | null {
  const { data: newest, isPending, error, refetch } = useSession();
  // The frame and its first page are drawn in small pieces, between which the browser can do something else.
  const session = useDeferredValue(newest);
  const go = useGo();
  const [over, setOver] = useState<'palette' | 'keys' | undefined>();
  const hasEnded = useSyncExternalStore(onSessionEnd, sessionHasEnded);
  const isOut = !isPending && newest === null;
  useEffect(() => {
    if (isOut && !hasEnded) go(`/sign-in?next=${encodeURIComponent(location.pathname)}`, { replace: true });
  }, [isOut, hasEnded, go]);
  useEffect(() => (session ? startEvents() : undefined), [session?.user.id, session]);
  useKeys({ onPalette: () => setOver('palette'), onHelp: () => setOver('keys') });
  if (!session && !hasEnded)
    return isOut ? null : <BeforeSession error={error} onRetry={() => void refetch()} />;
  return (
    <div className="min-h-dvh md:pl-[56px] lg:pl-[216px]">
      <a
        href="#content"
        className="button primary fixed top-2 left-2 z-50 -translate-y-16 focus-visible:translate-y-0"
      >
        Skip to content
      </a>
      <Rail
        name={session?.user.name ?? ''}
        email={session?.user.email ?? ''}
        onFind={() => setOver('palette')}
      />
      <StreamMark />
      <ConnectionBar />
      <main id="content" className="pb-16 md:pb-0" tabIndex={-1}>
        <Outlet />
      </main>
      <BottomBar />
      <Toasts />
      <Suspense>
        {over === 'palette' && <Palette onClose={() => setOver(undefined)} />}
        {over === 'keys' && <KeysHelp onClose={() => setOver(undefined)} />}
      </Suspense>
      {hasEnded && <SignInOver />}
    </div>
  );
}

/** Stands until it is known who looks: a frame of the same size, without anything of somebody's. */
function BeforeSession({ error, onRetry }: { error: unknown; onRetry: () => void }): ReactElement {
  return (
    <div className="min-h-dvh md:pl-[56px] lg:pl-[216px]">
      <div
        aria-hidden="true"
        className={
          'fixed inset-y-0 left-0 hidden w-[56px] flex-col gap-3 border-r border-line p-3 md:flex ' +
          'lg:w-[216px]'
        }
      >
        <img src="/berth.svg" alt="" width={24} height={24} className="mb-4" />
        {!error && places.map(({ to }) => <span key={to} className="skeleton h-5 w-full" />)}
      </div>
      <main className="mx-auto max-w-[1200px] p-6" aria-busy={!error}>
        {error ? (
          <Fault title={texts.noSession} error={error} onRetry={onRetry} />
        ) : (
          <>
            <span className="sr-only" role="status">
              {texts.loading}
            </span>
            <div className="skeleton mb-6 h-6 w-40" />
            <SkeletonRows rows={6} />
          </>
        )}
      </main>
    </div>
  );
}

/** Whether an address is within a place of the rail. */
function usePlace(): (to: string) => boolean {
  const path = useRouterState({ select: (state) => state.location.pathname });
  return (to) => {
    if (to === '/') return path === '/' || /^\/(applications|databases|compose|new)/.test(path);
    return path === to || path.startsWith(`${to}/`);
  };
}

function Rail({ name, email, onFind }: { name: string; email: string; onFind: () => void }): ReactElement {
  const isAt = usePlace();
  return (
    <nav
      aria-label="Main"
      className={
        'fixed inset-y-0 left-0 z-30 hidden w-[56px] flex-col gap-1 border-r border-line ' +
        'bg-canvas p-2 md:flex lg:w-[216px] lg:p-3'
      }
    >
      <Organization />
      <button
        type="button"
        className="button my-2 !justify-start text-faint max-lg:!px-0 max-lg:!justify-center"
        onClick={onFind}
        aria-keyshortcuts="Meta+K Control+K"
      >
        <Icon name="search" />
        <span className="flex-1 text-start font-normal max-lg:sr-only">{texts.find}</span>
        <kbd className="key max-lg:hidden" aria-hidden="true">
          {/Mac|iP/.test(navigator.platform) ? '⌘' : 'Ctrl'} K
        </kbd>
      </button>
      {places.map(({ to, label, icon }) => (
        <Go
          key={to}
          to={to}
          aria-current={isAt(to) ? 'page' : undefined}
          aria-label={label}
          className={
            'flex h-8 items-center gap-2.5 rounded-md px-2.5 text-13 text-muted ' +
            'no-underline hover:bg-hover hover:text-ink aria-[current=page]:bg-pressed ' +
            'aria-[current=page]:font-medium ' +
            'aria-[current=page]:text-ink max-lg:justify-center max-lg:px-0'
          }
        >
          <Icon name={icon} />
          <span className="max-lg:hidden">{label}</span>
        </Go>
      ))}
      <span className="flex-1" />
      {location.protocol === 'http:' && (
        <p
          className="flex items-center gap-2 px-2.5 py-1 text-12 text-warn max-lg:justify-center max-lg:px-0"
          title={texts.plainHttp}
        >
          <Icon name="lock" size={14} />
          <span className="max-lg:sr-only">Plain http</span>
        </p>
      )}
      <Account name={name} email={email} />
    </nav>
  );
}

function Account({ name, email }: { name: string; email: string }): ReactElement {
  const go = useGo();
  const [theme, setTheme] = useState(storedTheme);
  return (
    <Menu
      label={`Account of ${name}`}
      className={
        'flex h-9 w-full items-center gap-2.5 rounded-md px-2 text-start text-13 ' +
        'hover:bg-hover max-lg:justify-center max-lg:px-0'
      }
      items={[
        { label: email || name, icon: 'user', onPick: () => go('/settings/account') },
        'line',
        ...themes.map((one) => ({
          label: { system: 'System theme', light: 'Light theme', dark: 'Dark theme' }[one],
          icon: theme === one ? ('check' as const) : one === 'dark' ? ('moon' as const) : ('sun' as const),
          onPick: () => {
            applyTheme(one);
            setTheme(one);
          },
        })),
        'line',
        { label: texts.signOut, icon: 'external', onPick: () => void signOut() },
      ]}
    >
      <span
        className={
          'grid size-6 shrink-0 place-items-center rounded-full bg-accent-soft text-12 ' +
          'font-medium text-accent'
        }
      >
        {name.slice(0, 1).toUpperCase() || '?'}
      </span>
      <span className="cut flex-1 max-lg:sr-only">{name || 'Account'}</span>
    </Menu>
  );
}

function Organization(): ReactElement {
  const { data: organizations = [] } = useAsk('organization.all', {});
  const { data: session } = useSession();
  const setActive = useDo('organization.setActive');
  const own = organizations.find(
    ({ organizationId }) => organizationId === session?.session.activeOrganizationId,
  );
  return (
    <Menu
      label={`Organization ${own?.name ?? ''}`}
      className={
        'flex h-9 w-full items-center gap-2.5 rounded-md px-1.5 text-start text-13 ' +
        'font-semibold hover:bg-hover max-lg:justify-center max-lg:px-0'
      }
      items={organizations.map((one) => ({
        label: one.name,
        icon: one === own ? ('check' as const) : ('user' as const),
        onPick: () =>
          setActive.mutate(
            { organizationId: one.organizationId },
            { onSuccess: () => (queries.clear(), location.assign('/')) },
          ),
      }))}
    >
      <img src="/berth.svg" alt="" width={24} height={24} className="shrink-0" />
      <span className="cut flex-1 max-lg:sr-only">{own?.name ?? 'Berth'}</span>
      <span className="text-faint max-lg:hidden">
        <Icon name="down" size={12} />
      </span>
    </Menu>
  );
}

function BottomBar(): ReactElement {
  const isAt = usePlace();
  return (
    <nav
      aria-label="Main, at the bottom"
      className={
        'fixed inset-x-0 bottom-0 z-30 grid grid-cols-5 border-t border-line bg-surface ' +
        'pb-[env(safe-area-inset-bottom)] md:hidden'
      }
    >
      {places.map(({ to, label, icon }) => (
        <Go
          key={to}
          to={to}
          aria-current={isAt(to) ? 'page' : undefined}
          className={
            'flex h-14 flex-col items-center justify-center gap-0.5 text-12 text-faint ' +
            'no-underline aria-[current=page]:text-accent'
          }
        >
          <Icon name={icon} size={18} />
          <span className="cut max-w-full px-0.5">
            {label === texts.deployments ? texts.deploymentsShort : label}
          </span>
        </Go>
      ))}
    </nav>
  );
}

/** Said only when it lasts: what is on the screen may be old. */
function StreamMark(): ReactElement | null {
  const state = useSyncExternalStore(onStreamState, streamState);
  const { reach } = useConnection();
  if (reach !== 'reached' || state === 'live' || state === 'off') return null;
  return (
    <p
      role="status"
      className={
        'fixed right-3 bottom-16 z-40 rounded-full border border-edge bg-raised px-3 py-1 ' +
        'text-12 text-warn shadow-raised md:bottom-3'
      }
    >
      {state === 'polling' ? 'No live updates; refreshing every 10 s' : texts.offline}
    </p>
  );
}
