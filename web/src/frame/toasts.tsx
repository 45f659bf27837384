/** Short words on what succeeded elsewhere; errors stay beside their cause instead. */
import { useSyncExternalStore, type ReactElement } from 'react';

interface Toast {
  id: number;
  text: string;
}

let toasts: readonly Toast[] = [];
let count = 0;
const listeners = new Set<() => void>();
const set = (next: readonly Toast[]): void => {
  toasts = next;
  for (const listener of listeners) listener();
};

export function toast(text: string): void {
  const id = (count += 1);
  set([...toasts.slice(-2), { id, text }]);
  setTimeout(() => set(toasts.filter((one) => one.id !== id)), 5000);
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export function Toasts(): ReactElement {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  return (
    <div
      role="status"
      className={
        'pointer-events-none fixed inset-x-0 bottom-16 z-40 grid justify-items-center gap-2 md:bottom-6'
      }
    >
      {shown.map(({ id, text }) => (
        <p key={id} className="rounded-lg border border-edge bg-raised px-4 py-2 text-13 shadow-raised">
          {text}
        </p>
      ))}
    </div>
  );
}
