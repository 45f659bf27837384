/** The lines of a log that are seen: those alone are drawn, and scrolling up stops following. */
import { useEffect, useLayoutEffect, useMemo, useRef, useState, type ReactElement } from 'react';
import { Button } from '../parts/button.tsx';
import { pieces } from './ansi.ts';
import { levelOf, type Line, type LogStore } from './lines.ts';

const lineHeight = 20;
/** Browsers cannot scroll further than this many pixels; above it the position is scaled. */
const mostPixels = 15_000_000;

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
  linksBy: LinksBy;
  empty: string;
}

export function Lines(props: LinesProps): ReactElement {
  const { store, found, label, isLive, height, empty, linksBy } = props;
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  /** Where the reader is, in pixels of the whole log; the position in the box is scaled. */
  const place = useRef(0);
  const [seen, setSeen] = useState(600);
  const [follows, setFollows] = useState(() => !/^#[LT]/.test(location.hash));
  const [since, setSince] = useState(0);
  const linked = useLinkedLine(store, linksBy);
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
    // Filtered, it stands where the filter leaves it.
    const at = found ? found.indexOf(linked) : linked;
    if (at < 0) return;
    place.current = Math.max(0, at * lineHeight - seen / 3);
    element.scrollTop = place.current / scale;
    setTop(element.scrollTop);
    isAwaited.current = element.scrollTop + 1 < place.current / scale;
  }, [linked, found, total, scale, seen, store]);
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
                link={linksBy === 'time' && line.at !== undefined ? `#T${line.at}` : `#L${number}`}
                colour={props.isMixed ? store.services.get(line.service ?? '') : undefined}
                isLinked={at === linked}
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
  link,
  colour,
  isLinked,
}: {
  line: Line;
  number: number;
  link: string;
  /** Of the service that wrote it, where lines of several are mixed. */
  colour: number | undefined;
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
      <a className="log-number" href={link} aria-label={`Line ${number}`} tabIndex={-1}>
        {number}
      </a>
      {colour !== undefined && (
        <span className={`log-service s${colour}`} title={line.service}>
          {line.service}
        </span>
      )}
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
