/** The frame of every page's content: title, what belongs to it, what can be done, then panels. */
import { useEffect, type ReactElement, type ReactNode } from 'react';

export function Page({
  title,
  mark,
  about,
  actions,
  children,
  isNarrow = false,
}: {
  title: string;
  mark?: ReactNode;
  about?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  isNarrow?: boolean;
}): ReactElement {
  useEffect(() => {
    document.title = `${title} · Berth`;
  }, [title]);
  return (
    <div
      className={`mx-auto w-full px-4 pt-6 pb-16 sm:px-6 ${isNarrow ? 'max-w-[760px]' : 'max-w-[1200px]'}`}
    >
      <header className="mb-5 flex flex-wrap items-start gap-x-4 gap-y-3">
        <div className="min-w-0 flex-1 basis-48">
          <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
            <h1 className="cut text-20" title={title}>
              {title}
            </h1>
            {mark}
          </div>
          {about && <div className="mt-1 text-13 text-muted [overflow-wrap:anywhere]">{about}</div>}
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

export function Panel({
  title,
  about,
  actions,
  children,
  isPadded = false,
}: {
  title?: ReactNode;
  /** When what is changed here takes effect, for example. */
  about?: string | undefined;
  actions?: ReactNode;
  children: ReactNode;
  isPadded?: boolean;
}): ReactElement {
  return (
    <section className="panel mb-4 min-w-0 overflow-clip">
      {title !== undefined && (
        <header>
          <h2 className="cut min-w-24 flex-1 text-14">{title}</h2>
          {actions}
        </header>
      )}
      {about !== undefined && <p className="px-4 pt-3 text-12 text-faint">{about}</p>}
      {isPadded ? <div className="p-4">{children}</div> : children}
    </section>
  );
}
