/** A log of up to a million lines, searched, filtered and downloaded; its lines follow what is written. */
import {
  useDeferredValue,
  useMemo,
  useState,
  useSyncExternalStore,
  type ReactElement,
  type ReactNode,
} from 'react';
import { plainText } from './ansi.ts';
import { timesOf, type FilterState } from './filter.ts';
import { useOwnFilter } from './use-filter.ts';
import { matching, searchOf, type Line, type LogStore } from './lines.ts';
import { LogBar, LogButtons } from './log-bar.tsx';
import { Lines, type LinksBy } from './log-lines.tsx';

const none: ReadonlySet<string> = new Set();
const noTasks: ReadonlyMap<string, string> = new Map();

interface LogViewProps {
  store: LogStore;
  label: string;
  /** Of the file that is downloaded. */
  name: string;
  isLive?: boolean;
  aside?: ReactNode;
  /** Where there are several logs: which of them. */
  choice?: ReactNode;
  height?: string;
  empty?: string;
  linksBy?: LinksBy;
  /** Of several services: each line says which. */
  isMixed?: boolean;
  /** Where it is kept what is shown; without, in the view itself. */
  state?: FilterState | undefined;
}

export function LogView({
  store,
  label,
  name,
  isLive = false,
  aside,
  choice,
  height = 'h-[min(68dvh,720px)]',
  empty = 'Nothing has been written yet.',
  linksBy = 'number',
  isMixed = false,
  state,
}: LogViewProps): ReactElement {
  useSyncExternalStore(store.subscribe, store.version);
  const own = useOwnFilter();
  const { filter, change } = state ?? own;
  const [folded, setFolded] = useState<ReadonlySet<string>>(none);
  const [showsTimes, setTimes] = useState(() => localStorage.getItem('log-times') === 'yes');
  const [isWrapped, setWrapped] = useState(() => localStorage.getItem('log-wrap') === 'yes');
  const wanted = useDeferredValue(filter.q);
  const { expression, fault } = useMemo(() => searchOf(wanted), [wanted]);
  const { level, task, service, range } = filter;
  // A range reaches back from when it was chosen: what was in it stays.
  const times = useMemo(
    () => timesOf({ ...filter, range }, Date.now()),
    // oxlint-disable-next-line react-hooks/exhaustive-deps
    [range, filter.from, filter.to],
  );
  const { lines } = store;
  const count = lines.length;
  const found = useMemo(
    () =>
      matching(lines, {
        search: expression,
        level: level || undefined,
        task: task || undefined,
        service: service || undefined,
        ...times,
        folded,
      }),
    // The array grows in place: its length says when.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
    [lines, count, expression, level, task, service, times, folded],
  );
  const hasTimes = lines.slice(0, 5).some(({ at }) => at !== undefined);
  return (
    <div className="flex min-w-0 flex-col">
      <LogBar
        {...{ label, filter, change, hasTimes, choice, fault }}
        hasErrorOutput={lines.some(({ stream }) => stream === 'stderr')}
        tasks={isMixed ? noTasks : store.tasks}
        services={[...store.services.keys()].toSorted()}
        count={found && { found: found.length, all: count }}
      >
        {aside}
        <LogButtons
          {...{ hasTimes, showsTimes, isWrapped, label }}
          stages={store.stages}
          isFolded={folded.size > 0}
          onFold={() => setFolded(folded.size > 0 ? none : new Set(store.stages))}
          onTimes={() => {
            localStorage.setItem('log-times', showsTimes ? 'no' : 'yes');
            setTimes(!showsTimes);
          }}
          onWrap={() => {
            localStorage.setItem('log-wrap', isWrapped ? 'no' : 'yes');
            setWrapped(!isWrapped);
          }}
          onDownload={() => download(lines, name)}
        />
      </LogBar>
      <Lines
        key={[wanted, level, task, service, times.from, times.to, folded.size].join('|')}
        {...{ store, found, expression, label, isLive, height, isMixed, isWrapped, linksBy }}
        hasTimes={showsTimes && hasTimes}
        empty={found && count > 0 ? 'No lines match.' : empty}
      />
    </div>
  );
}

function download(lines: readonly Line[], name: string): void {
  const text = lines.map(
    ({ at, service, text: said }) =>
      `${at ? `${at} ` : ''}${service ? `${service} ` : ''}${plainText(said)}\n`,
  );
  const address = URL.createObjectURL(new Blob(text, { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = `${name}.log`;
  link.click();
  URL.revokeObjectURL(address);
}
