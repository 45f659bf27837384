/** Links to the parts of a page. Where there is no room for all of them, the current one is scrolled to. */
import { useEffect, useRef, type ReactElement, type ReactNode } from 'react';

export function Tabs({
  label,
  shown,
  className = 'tabs mb-4',
  children,
}: {
  label: string;
  /** Which of them is shown, so that another one comes into sight. */
  shown: string | undefined;
  className?: string;
  children: ReactNode;
}): ReactElement {
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    const element = nav.current;
    const current = element?.querySelector<HTMLElement>('[aria-current=page]');
    if (element && current)
      element.scrollLeft = current.offsetLeft - (element.clientWidth - current.offsetWidth) / 2;
  }, [shown]);
  return (
    <nav ref={nav} className={`relative ${className}`} aria-label={label}>
      {children}
    </nav>
  );
}
