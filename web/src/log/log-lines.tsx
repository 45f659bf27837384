/** The lines of a log that are seen: those alone are drawn, and scrolling up stops following. */
import {
  memo,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type ReactElement,
  type RefObject,
} from 'react';
import { Button } from '../parts/button.tsx';
import { pieces } from './ansi.ts';
import { levelOf, type Line, type LogStore } from './lines.ts';
import { createRowCounter, unwrapped, type Room } from './rows.ts';
import { useScroll } from './use-scroll.ts';

/**
 * What the link of a line names: its number, where the log is always the same from its beginning, else its
 * time.
 */
export type LinksBy = 'number' | 'time';

interface LinesProps {
  store: LogStore;
  found: number[] | undefined;
  expression: RegExp | undefined;
  label: string;
  isLive: boolean;
  height: string;
  hasTimes: boolean;
  /** Each line begins with its service, in the service's colour. */
  isMixed: boolean;
  /** Lines wider than the window take several rows. */
  isWrapped: boolean;
  linksBy: LinksBy;
  empty: string;
}

export function Lines(props: LinesProps): ReactElement {
  const { store, found, label, isLive, height, empty, linksBy, isWrapped, isMixed, hasTimes } = props;
  const { lines, first } = store;
  const total = found?.length ?? lines.length;
  const box = useRef<HTMLDivElement>(null);
  const { seen, room } = useSize(box, isWrapped, `${isMixed} ${hasTimes}`);
  const counter = useMemo(() => room && createRowCounter(room), [room]);
  const rows = useMemo(
    () => (counter ? counter.count(lines, found) : unwrapped(total)),
    [counter, lines, found, total],
  );
  const linked = useLinkedLine(store, linksBy);
  const linkedAt = linked === undefined ? -1 : found ? found.indexOf(linked) : linked;
  const { begin, end, offset, pixels, follows, missed, follow, handlers } = useScroll(box, {
    rows,
    layout: counter,
    seen,
    total,
    // Filtered, a line stands where the filter leaves it.
    first: found ? 0 : first,
    linked,
    linkedAt,
  });
  return (
    <div className="relative">
      <div
        ref={box}
        className={`log ${isWrapped ? 'wraps' : ''} ${height} rounded-b-lg`}
        role="log"
        aria-live="off"
        aria-label={label}
        tabIndex={0}
        {...handlers}
      >
        {isWrapped && <Probe {...{ isMixed, hasTimes }} />}
        <div className="relative" style={{ height: pixels }}>
          <div className="log-lines" style={{ top: offset }}>
            {Array.from({ length: Math.max(0, end - begin) }, (_, step) => {
              const at = found?.[begin + step] ?? begin + step;
              const line = lines[at];
              if (!line) return null;
              const number = first + at;
              return (
                <LogLine
                  key={number}
                  {...{ line, number, hasTimes, expression: props.expression }}
                  link={linksBy === 'time' && line.at !== undefined ? `#T${line.at}` : `#L${number}`}
                  colour={isMixed ? store.services.get(line.service ?? '') : undefined}
                  isLinked={at === linked}
                />
              );
            })}
          </div>
        </div>
        {total === 0 && <p className="absolute inset-x-0 top-0 p-4 font-sans text-13 text-faint">{empty}</p>}
      </div>
      {!follows && isLive && (
        <div className="absolute inset-x-0 bottom-3 flex justify-center">
          <Button small look="primary" icon="down" onClick={follow}>
            {missed > 0 ? `${missed} new lines` : 'Follow'}
          </Button>
        </div>
      )}
    </div>
  );
}

const probed = 100;

/** A line that nobody sees: how wide a letter is, and how much stands before the text. */
function Probe({ isMixed, hasTimes }: { isMixed: boolean; hasTimes: boolean }): ReactElement {
  return (
    <div className="log-probe" aria-hidden="true">
      <span className="log-number" />
      {isMixed && <span className="log-service" />}
      {hasTimes && <span className="log-time">00:00:00.000</span>}
      <span data-probe>{'0'.repeat(probed)}</span>
    </div>
  );
}

/** Pixels of the window's height, and of wrapped lines what a row holds. */
function useSize(
  box: RefObject<HTMLDivElement | null>,
  isWrapped: boolean,
  before: string,
): { seen: number; room: Room | undefined } {
  const [seen, setSeen] = useState(600);
  const [room, setRoom] = useState<Room | undefined>();
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const measure = (): void => {
      setSeen(element.clientHeight);
      const probe = element.querySelector('[data-probe]');
      if (!probe) return setRoom(undefined);
      const { left, width } = probe.getBoundingClientRect();
      const letter = width / probed;
      const begins = left - element.getBoundingClientRect().left + element.scrollLeft;
      const columns = Math.max(8, (element.clientWidth - begins) / letter);
      setRoom((former) =>
        former?.columns === columns ? former : { columns, widthOf: widthsIn(probe, letter) },
      );
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [box, isWrapped, before]);
  return { seen, room };
}

/** How wide letters are in the font of an element, each measured once. */
function widthsIn(element: Element, letter: number): Room['widthOf'] {
  const pen = document.createElement('canvas').getContext('2d');
  if (pen) pen.font = getComputedStyle(element).font;
  const widths = new Map<string, number>();
  return (other) => {
    const known = widths.get(other);
    if (known !== undefined) return known;
    const width = pen ? pen.measureText(other).width / letter : 1;
    widths.set(other, width);
    return width;
  };
}

interface LogLineProps {
  line: Line;
  number: number;
  link: string;
  /** Of the service that wrote it, where lines of several are mixed. */
  colour: number | undefined;
  hasTimes: boolean;
  expression: RegExp | undefined;
  isLinked: boolean;
}

/** Scrolled, most lines stay as they were drawn. */
const LogLine = memo(function LogLine({
  line,
  number,
  hasTimes,
  expression,
  link,
  colour,
  isLinked,
}: LogLineProps): ReactElement {
  const level = levelOf(line);
  return (
    <div
      className="log-line"
      data-level={level === 'info' ? undefined : level}
      data-linked={isLinked || undefined}
      data-stream={line.stream === 'stderr' ? 'stderr' : undefined}
      title={line.stream === 'stderr' ? 'Error output (stderr)' : undefined}
    >
      <a className="log-number" href={link} aria-label={`Line ${number}`} tabIndex={-1}>
        {number}
      </a>
      {colour !== undefined && (
        <span className={`log-service s${colour}`} title={line.service}>
          {line.service}
        </span>
      )}
      {hasTimes && <span className="log-time">{line.at?.slice(11, 23) ?? ''}</span>}
      <span className="log-text">
        {pieces(line.text).map(({ text, look }, at) => (
          <span key={at} className={look || undefined}>
            {expression ? <Marked text={text} expression={expression} /> : text}
          </span>
        ))}
      </span>
    </div>
  );
});

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

/** Where the line stands that the address names: `#L12`, or `#T` and its time. */
function useLinkedLine(store: LogStore, linksBy: LinksBy): number | undefined {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const onChange = (): void => setHash(location.hash);
    addEventListener('hashchange', onChange);
    return () => removeEventListener('hashchange', onChange);
  }, []);
  const { lines, first } = store;
  const count = lines.length;
  return useMemo(() => {
    const [, kind, name = ''] = /^#([LT])(.+)$/.exec(hash) ?? [];
    const at =
      kind === 'L' && linksBy === 'number'
        ? Number(name) - first
        : kind === 'T' && linksBy === 'time'
          ? lines.findIndex((line) => line.at === decodeURIComponent(name))
          : -1;
    return at >= 0 && at < count ? at : undefined;
  }, [hash, linksBy, lines, first, count]);
}
