/**
 * Where the reader of a log is. Browsers cannot scroll as far as a long log reaches: above that the position in
 * the box is scaled. Following shows its end; scrolling up stops that, and whoever reads stays at the same line
 * whatever comes behind or goes before it.
 */
import { useLayoutEffect, useRef, useState, type RefObject } from 'react';
import type { Rows } from './rows.ts';

const rowHeight = 20;
const mostPixels = 15_000_000;
/** Lines that are drawn above and below what is seen. */
const spare = 10;

interface Log {
  rows: Rows;
  /** Another one when the same lines take other rows. */
  layout: object | undefined;
  /** Height of the window, in pixels. */
  seen: number;
  /** Lines. */
  total: number;
  /** Number of the first line, which changes when the oldest go. */
  first: number;
  /** The line that the address names, and where it stands; -1 while it does not. */
  linked: number | undefined;
  linkedAt: number;
}

export interface Scroll {
  /** The lines to draw, and where the first of them stands in the box. */
  begin: number;
  end: number;
  offset: number;
  /** Height of all lines in the box. */
  pixels: number;
  follows: boolean;
  follow: () => void;
  /** Lines that came since somebody stopped following. */
  missed: number;
  handlers: Record<'onScroll' | 'onWheel' | 'onPointerDown' | 'onTouchMove' | 'onKeyDown', () => void>;
}

export function useScroll(
  box: RefObject<HTMLDivElement | null>,
  { rows, layout, seen, total, first, linked, linkedAt }: Log,
): Scroll {
  /** Of the box, while it does not follow. */
  const [top, setTop] = useState(0);
  const [follows, setFollows] = useState(() => !/^#[LT]/.test(location.hash));
  const [since, setSince] = useState(0);
  /** Where the reader is, in pixels of the whole log, and in which line. */
  const place = useRef({ pixels: 0, line: 0, rest: 0 });
  /** Where following has scrolled to. */
  const ended = useRef(0);
  /** The linked line is still to be brought into sight, for which lines behind it may have to come first. */
  const isAwaited = useRef(true);
  const letGo = (): void => void (isAwaited.current = false);
  const real = rows.total * rowHeight;
  const pixels = Math.min(real, mostPixels);
  const scale = real <= mostPixels ? 1 : (real - seen) / (mostPixels - seen);
  // The end is drawn with what came, not once more when the box has scrolled there.
  const shownTop = follows ? Math.max(0, pixels - seen) : top;
  const row = (shownTop * scale) / rowHeight;
  const begin = Math.max(0, rows.at(row) - spare);
  const end = Math.min(total, rows.at(row + seen / rowHeight) + 1 + spare);
  const goTo = (at: number): void => {
    const line = rows.at(at / rowHeight);
    place.current = { pixels: at, line: first + line, rest: at - rows.begin(line) * rowHeight };
  };
  const stop = (): void => {
    if (follows) setSince(total);
    setFollows(false);
  };
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || !follows) return;
    // Scrolled up just now, which is told after this.
    if (element.scrollTop < ended.current - rowHeight && !isAtEnd(element)) return;
    element.scrollTop = element.scrollHeight;
    ended.current = element.scrollTop;
  }, [box, rows, follows, seen]);
  useLayoutEffect(() => {
    isAwaited.current = linked !== undefined;
  }, [linked]);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || linkedAt < 0 || !isAwaited.current) return;
    goTo(Math.max(0, rows.begin(linkedAt) * rowHeight - seen / 3));
    element.scrollTop = place.current.pixels / scale;
    setTop(element.scrollTop);
    stop();
    isAwaited.current = element.scrollTop + 1 < place.current.pixels / scale;
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [linkedAt, rows, scale, seen]);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || follows) return;
    const { line, rest } = place.current;
    const at = Math.max(0, line - first);
    const rowsOfLine = rows.begin(at + 1) - rows.begin(at);
    goTo(rows.begin(at) * rowHeight + (rest < rowsOfLine * rowHeight ? rest : 0));
    element.scrollTop = place.current.pixels / scale;
    setTop(element.scrollTop);
    // More lines alone leave everything where it is.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [scale, follows, layout, first]);
  const onScroll = (): void => {
    const element = box.current;
    if (!element) return;
    const atEnd = isAtEnd(element);
    if (follows && atEnd) return;
    setTop(element.scrollTop);
    if (isAwaited.current) return;
    // Not for what rounding makes of it.
    if (Math.abs(element.scrollTop * scale - place.current.pixels) > 2 * scale)
      goTo(element.scrollTop * scale);
    if (atEnd) setFollows(true);
    else stop();
  };
  return {
    begin,
    end,
    offset: rows.begin(begin) * rowHeight - (shownTop * scale - shownTop),
    pixels,
    follows,
    follow: () => setFollows(true),
    missed: since > 0 ? Math.max(0, total - since) : 0,
    handlers: { onScroll, onWheel: letGo, onPointerDown: letGo, onTouchMove: letGo, onKeyDown: letGo },
  };
}

const isAtEnd = (element: HTMLElement): boolean =>
  element.scrollTop + element.clientHeight >= element.scrollHeight - rowHeight;
