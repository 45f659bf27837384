/** Keys of the whole page. Off while somebody types, and for those who switched them off (WCAG 2.1.4). */
import { useEffect, useRef } from 'react';
import { useGo } from './link.tsx';

export const keysAreOn = (): boolean => localStorage.getItem('keys') !== 'off';
export const setKeys = (areOn: boolean): void => localStorage.setItem('keys', areOn ? 'on' : 'off');

const places: Record<string, string> = {
  h: '/',
  p: '/projects',
  d: '/deployments',
  s: '/settings',
  v: '/servers',
};
const tabs: Record<string, string> = { l: 'logs', v: 'variables', d: 'deployments', t: 'terminal', o: '' };

export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

export function useKeys({ onPalette, onHelp }: { onPalette: () => void; onHelp: () => void }): void {
  const go = useGo();
  const waiting = useRef(0);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        onPalette();
        return;
      }
      if (!keysAreOn() || event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
      if (document.querySelector('dialog[open], [popover]:popover-open')) return;
      const { key } = event;
      if (Date.now() - waiting.current < 1500 && places[key]) {
        waiting.current = 0;
        go(places[key]);
      } else if (key === 'g') waiting.current = Date.now();
      else if (key === '?') onHelp();
      else if (key === '/') {
        const field = document.querySelector<HTMLInputElement>('input[type=search]');
        if (field) {
          event.preventDefault();
          field.focus();
        }
      } else if (key === 'j' || key === 'k') moveFocus(key === 'j' ? 1 : -1);
      else if (tabs[key] !== undefined) {
        const [, base] =
          /^(\/(?:applications|compose|databases\/[a-z]+)\/[^/]+)/.exec(location.pathname) ?? [];
        if (base) go(tabs[key] === '' ? base : `${base}/${tabs[key]}`);
      }
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [go, onPalette, onHelp]);
}

/** A long list draws its next rows once it has been scrolled; on a busy machine the key comes first. */
const rowsLimitMs = 1_000;
let awaited: MutationObserver | undefined;

/** Between the rows of the page's lists. */
function moveFocus(step: number): void {
  awaited?.disconnect();
  const main = document.querySelector('main');
  if (!main || focusNext(main, step)) return;
  const from = document.activeElement;
  const observer = new MutationObserver(() => {
    if (document.activeElement !== from || focusNext(main, step)) observer.disconnect();
  });
  observer.observe(main, { childList: true, subtree: true });
  awaited = observer;
  setTimeout(() => observer.disconnect(), rowsLimitMs);
}

/** Gives whether there was a row to go to. */
function focusNext(main: Element, step: number): boolean {
  const rows = [...main.querySelectorAll<HTMLElement>('[data-row]')];
  const at = rows.findIndex((row) => row === document.activeElement);
  const next = rows[at === -1 ? 0 : at + step];
  next?.focus();
  return next !== undefined;
}
