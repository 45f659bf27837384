/** A log of up to a million lines: only what is seen is drawn; scrolling up stops following. */
import {
  useDeferredValue,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
  type ReactElement,
  type ReactNode,
} from 'react';
import { Button } from '../parts/button.tsx';
import { pieces, plainText } from './ansi.ts';
import { levelOf, matching, searchOf, type Line, type LogStore } from './lines.ts';

const none: ReadonlySet<string> = new Set();
const lineHeight = 20;
/** Browsers cannot scroll further than this many pixels; above it the position is scaled. */
const mostPixels = 15_000_000;

export function LogView({
  store,
  label,
  name,
  isLive = false,
  aside,
  height = 'h-[min(68dvh,720px)]',
  empty = 'Nothing has been written yet.',
}: {
  store: LogStore;
  label: string;
  /** Of the file that is downloaded. */
  name: string;
  isLive?: boolean;
  aside?: ReactNode;
  height?: string;
  empty?: string;
}): ReactElement {
  useSyncExternalStore(store.subscribe, store.version);
  const [search, setSearch] = useState('');
  const [level, setLevel] = useState('');
  const [task, setTask] = useState('');
  const [folded, setFolded] = useState<ReadonlySet<string>>(none);
  const [hasTimes, setTimes] = useState(() => localStorage.getItem('log-times') === 'yes');
  const wanted = useDeferredValue(search);
  const expression = useMemo(() => searchOf(wanted), [wanted]);
  const { lines } = store;
  const count = lines.length;
  const found = useMemo(
    () => matching(lines, { search: expression, level: level || undefined, task: task || undefined, folded }),
    // The array grows in place: its length says when.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
    [lines, count, expression, level, task, folded],
  );
  const withTimes = lines.some((line, at) => at < 5 && line.at !== undefined);
  return (
    <div className="flex min-w-0 flex-col">
      <div className="flex flex-wrap items-center gap-2 border-b border-line p-2">
        <input
          className="input !h-[28px] flex-1 basis-full sm:max-w-[280px] sm:basis-auto"
          type="search"
          placeholder="Search, or /expression/"
          aria-label={`Search in ${label}`}
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
        <select
          className="input !h-[28px] !w-auto"
          aria-label="Level"
          value={level}
          onChange={(event) => setLevel(event.target.value)}
        >
          <option value="">All lines</option>
          <option value="warn">Warnings and errors</option>
          <option value="error">Errors</option>
        </select>
        {store.tasks.size > 1 && (
          <select
            className="input !h-[28px] !w-auto"
            aria-label="Task"
            value={task}
            onChange={(event) => setTask(event.target.value)}
          >
            <option value="">All tasks</option>
            {[...store.tasks].map(([id, word]) => (
              <option key={id} value={id}>
                {word}
              </option>
            ))}
          </select>
        )}
        {found && (
          <span className="text-12 text-faint tabular-nums" role="status">
            {found.length.toLocaleString('en')} of {count.toLocaleString('en')}
          </span>
        )}
        <span className="flex-1" />
        {aside}
        {store.stages.size > 1 && (
          <Button
            small
            look="quiet"
            aria-pressed={folded.size > 0}
            onClick={() => setFolded(folded.size > 0 ? none : new Set(store.stages))}
          >
            {folded.size > 0 ? 'Unfold stages' : 'Fold stages'}
          </Button>
        )}
        {withTimes && (
          <Button
            small
            look="quiet"
            aria-pressed={hasTimes}
            onClick={() => {
              localStorage.setItem('log-times', hasTimes ? 'no' : 'yes');
              setTimes(!hasTimes);
            }}
          >
            Times
          </Button>
        )}
        <Button
          small
          look="quiet"
          icon="download"
          onClick={() => download(lines, name)}
          aria-label={`Download ${label}`}
        />
      </div>
      <Lines
        key={`${wanted}|${level}|${task}|${folded.size}`}
        {...{ store, found, expression, label, isLive, height, empty }}
        hasTimes={hasTimes && withTimes}
      />
    </div>
  );
}

interface LinesProps {
  store: LogStore;
  found: number[] | undefined;
  expression: RegExp | undefined;
  label: string;
  isLive: boolean;
  height: string;
  hasTimes: boolean;
  empty: string;
}

function Lines(props: LinesProps): ReactElement {
  const { store, found, label, isLive, height, empty } = props;
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  /** Where the reader is, in pixels of the whole log; the position in the box is scaled. */
  const place = useRef(0);
  const [seen, setSeen] = useState(600);
  const [follows, setFollows] = useState(() => !location.hash.startsWith('#L'));
  const [since, setSince] = useState(0);
  const linked = useLinkedLine();
  /** The linked line is still to be brought into sight, for which lines behind it may have to come first. */
  const isAwaited = useRef(true);
  const letGo = (): void => void (isAwaited.current = false);
  const total = found?.length ?? store.lines.length;
  const real = total * lineHeight;
  const pixels = Math.min(real, mostPixels);
  const scale = real <= mostPixels ? 1 : (real - seen) / (mostPixels - seen);
  const begin = Math.max(0, Math.floor((top * scale) / lineHeight) - 10);
  const end = Math.min(total, begin + Math.ceil(seen / lineHeight) + 20);
  useLayoutEffect(() => {
    const element = box.current;
    if (element && follows) element.scrollTop = element.scrollHeight;
  }, [total, follows]);
  useLayoutEffect(() => {
    isAwaited.current = linked !== undefined;
  }, [linked]);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || linked === undefined || !isAwaited.current) return;
    const at = linked - store.first;
    if (at < 0 || at >= store.lines.length) return;
    place.current = Math.max(0, at * lineHeight - seen / 3);
    element.scrollTop = place.current / scale;
    setTop(element.scrollTop);
    isAwaited.current = element.scrollTop + 1 < place.current / scale;
  }, [linked, total, scale, seen, store]);
  useLayoutEffect(() => {
    // More lines, another scale: who reads stays at the same line.
    const element = box.current;
    if (!element || follows) return;
    element.scrollTop = place.current / scale;
    setTop(element.scrollTop);
  }, [scale, follows]);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setSeen(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const onScroll = (): void => {
    const element = box.current;
    if (!element) return;
    setTop(element.scrollTop);
    if (isAwaited.current) return;
    // Not for what rounding makes of it.
    if (Math.abs(element.scrollTop * scale - place.current) > 2 * scale)
      place.current = element.scrollTop * scale;
    const atEnd = element.scrollTop + element.clientHeight >= element.scrollHeight - lineHeight;
    if (follows && !atEnd) setSince(total);
    setFollows(atEnd);
  };
  const offset = (at: number): number => at * lineHeight - (top * scale - top);
  return (
    <div className="relative">
      <div
        ref={box}
        className={`log ${height} rounded-b-lg`}
        role="log"
        aria-live="off"
        aria-label={label}
        tabIndex={0}
        onScroll={onScroll}
        onWheel={letGo}
        onPointerDown={letGo}
        onTouchMove={letGo}
        onKeyDown={letGo}
      >
        <div className="relative" style={{ height: pixels }}>
          {Array.from({ length: Math.max(0, end - begin) }, (_, step) => {
            const at = found?.[begin + step] ?? begin + step;
            const line = store.lines[at];
            if (!line) return null;
            const number = store.first + at;
            return (
              <LogLine
                key={number}
                {...{ line, number, hasTimes: props.hasTimes, expression: props.expression }}
                isLinked={number === linked}
                offset={offset(begin + step)}
              />
            );
          })}
        </div>
        {total === 0 && <p className="absolute inset-x-0 top-0 p-4 font-sans text-13 text-faint">{empty}</p>}
      </div>
      {!follows && isLive && (
        <div className="absolute inset-x-0 bottom-3 flex justify-center">
          <Button small look="primary" icon="down" onClick={() => setFollows(true)}>
            {total > since && since > 0 ? `${total - since} new lines` : 'Follow'}
          </Button>
        </div>
      )}
    </div>
  );
}

function LogLine({
  line,
  number,
  offset,
  hasTimes,
  expression,
  isLinked,
}: {
  line: Line;
  number: number;
  offset: number;
  hasTimes: boolean;
  expression: RegExp | undefined;
  isLinked: boolean;
}): ReactElement {
  const level = levelOf(line);
  return (
    <div
      className="log-line"
      style={{ top: offset }}
      data-level={level === 'info' ? undefined : level}
      data-linked={isLinked || undefined}
    >
      <a className="log-number" href={`#L${number}`} aria-label={`Line ${number}`} tabIndex={-1}>
        {number}
      </a>
      {hasTimes && <span className="log-time">{line.at?.slice(11, 23) ?? ''}</span>}
      <span>
        {pieces(line.text).map(({ text, look }, at) => (
          <span key={at} className={look || undefined}>
            {expression ? <Marked text={text} expression={expression} /> : text}
          </span>
        ))}
      </span>
    </div>
  );
}

function Marked({ text, expression }: { text: string; expression: RegExp }): ReactElement {
  const match = expression.exec(text);
  if (!match || match[0] === '') return <>{text}</>;
  return (
    <>
      {text.slice(0, match.index)}
      <mark>{match[0]}</mark>
      {text.slice(match.index + match[0].length)}
    </>
  );
}

/** The line that the address names: `#L12`. */
function useLinkedLine(): number | undefined {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const onChange = (): void => setHash(location.hash);
    addEventListener('hashchange', onChange);
    return () => removeEventListener('hashchange', onChange);
  }, []);
  const [, number] = /^#L(\d+)$/.exec(hash) ?? [];
  return number === undefined ? undefined : Number(number);
}

function download(lines: readonly Line[], name: string): void {
  const text = lines.map((line) => `${line.at ? `${line.at} ` : ''}${plainText(line.text)}\n`);
  const address = URL.createObjectURL(new Blob(text, { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = `${name}.log`;
  link.click();
  URL.revokeObjectURL(address);
}
