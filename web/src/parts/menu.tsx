/** A button with a menu below it: the browser's popover, arrow keys between its items. */
import { useId, useRef, useState, type ReactElement, type ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';

export interface MenuItem {
  label: string;
  icon?: IconName;
  isDanger?: boolean;
  onPick: () => void;
}

export function Menu({
  label,
  children,
  items,
  className = 'button icon',
}: {
  label: string;
  children?: ReactNode;
  items: readonly (MenuItem | 'line')[];
  className?: string;
}): ReactElement {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const place = (): void => {
    const from = button.current?.getBoundingClientRect();
    const menu = list.current;
    if (!from || !menu) return;
    const { width, height } = menu.getBoundingClientRect();
    const left = from.left + width > innerWidth - 8 ? from.right - width : from.left;
    const top = from.bottom + height > innerHeight - 8 ? from.top - height - 8 : from.bottom;
    menu.style.left = `${Math.max(8, left)}px`;
    menu.style.top = `${Math.max(8, top)}px`;
  };
  const move = (step: number): void => {
    const entries = [...(list.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
    const at = entries.findIndex((one) => one === document.activeElement);
    entries.at((at + step + entries.length) % entries.length)?.focus();
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className={className}
        aria-label={children === undefined ? label : undefined}
        title={children === undefined ? label : undefined}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        popoverTarget={id}
      >
        {children ?? <Icon name="more" />}
      </button>
      <div
        ref={list}
        id={id}
        popover="auto"
        role="menu"
        aria-label={label}
        className="menu"
        onToggle={(event) => {
          const opened = event.newState === 'open';
          setOpen(opened);
          if (opened) {
            place();
            move(1);
          }
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
            event.preventDefault();
            move(event.key === 'ArrowDown' ? 1 : -1);
          }
        }}
      >
        {items.map((item, at) =>
          item === 'line' ? (
            <hr key={at} />
          ) : (
            <button
              key={at}
              type="button"
              role="menuitem"
              tabIndex={-1}
              data-danger={item.isDanger || undefined}
              onClick={() => {
                list.current?.hidePopover();
                item.onPick();
              }}
            >
              {item.icon && <Icon name={item.icon} size={14} />}
              <span className="cut">{item.label}</span>
            </button>
          ),
        )}
      </div>
    </>
  );
}
