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

/** Between the rows of the page's lists. */
function moveFocus(step: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>('main [data-row]')];
  const at = rows.findIndex((row) => row === document.activeElement);
  rows[Math.min(rows.length - 1, Math.max(0, at + step))]?.focus();
}
