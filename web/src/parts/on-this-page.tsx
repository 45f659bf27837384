/** Links to the panels of a long page, made from their headings; not shown on narrow screens. */
import { useEffect, useRef, useState, type ReactElement, type ReactNode } from 'react';

interface Heading {
  title: string;
  element: HTMLElement;
}

export function OnThisPage({ children }: { children: ReactNode }): ReactElement {
  const content = useRef<HTMLDivElement>(null);
  const [headings, setHeadings] = useState<readonly Heading[]>([]);
  const [shown, setShown] = useState<string | undefined>();
  useEffect(() => {
    const element = content.current;
    if (!element) return undefined;
    const seen = new IntersectionObserver(
      (entries) => {
        const top = entries.find(({ isIntersecting }) => isIntersecting);
        if (top) setShown(top.target.textContent ?? undefined);
      },
      { rootMargin: '0px 0px -60% 0px' },
    );
    const read = (): void => {
      const found = [...element.querySelectorAll<HTMLElement>('section.panel > header > h2')].map(
        (heading) => ({ title: heading.textContent ?? '', element: heading }),
      );
      seen.disconnect();
      for (const heading of found) seen.observe(heading.element);
      setHeadings((former) => (isSame(former, found) ? former : found));
    };
    read();
    const changes = new MutationObserver(read);
    changes.observe(element, { childList: true, subtree: true });
    return () => {
      changes.disconnect();
      seen.disconnect();
    };
  }, []);
  return (
    <div className="grid gap-x-8 lg:grid-cols-[minmax(0,760px)_180px]">
      <div ref={content} className="min-w-0">
        {children}
      </div>
      <nav
        aria-label="On this page"
        className="sticky top-6 flex max-h-[85dvh] flex-col self-start overflow-y-auto max-lg:hidden"
      >
        {headings.map(({ title, element }) => (
          <a
            key={title}
            href={`#${encodeURIComponent(title)}`}
            aria-current={title === shown ? 'location' : undefined}
            className={
              'flex min-h-7 items-center rounded-md px-2.5 py-1 text-12 text-muted no-underline ' +
              'hover:bg-hover hover:text-ink aria-[current=location]:font-medium ' +
              'aria-[current=location]:text-ink'
            }
            onClick={(event) => {
              event.preventDefault();
              element.closest('section')?.scrollIntoView({ block: 'start' });
            }}
          >
            {title}
          </a>
        ))}
      </nav>
    </div>
  );
}

const isSame = (left: readonly Heading[], right: readonly Heading[]): boolean =>
  left.length === right.length && left.every(({ element }, at) => element === right[at]?.element);
