/** A field with a list that is searched as one types; what is typed counts, listed or not. */
import { useId, useState, type KeyboardEvent, type ReactElement } from 'react';

const mostShown = 50;

export function Combo({
  label,
  value,
  options,
  help,
  isLoading = false,
  placeholder,
  onChange,
}: {
  label: string;
  value: string;
  options: readonly string[];
  help?: string | undefined;
  isLoading?: boolean;
  placeholder?: string;
  onChange: (value: string) => void;
}): ReactElement {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const [isTyped, setTyped] = useState(false);
  const [at, setAt] = useState(0);
  const wanted = isTyped ? value.toLowerCase() : '';
  const found = options.filter((one) => one.toLowerCase().includes(wanted)).slice(0, mostShown);
  const isShown = isOpen && found.length > 0;
  const pick = (one: string): void => {
    onChange(one);
    setOpen(false);
    setTyped(false);
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      setOpen(true);
      setAt(
        Math.min(found.length - 1, Math.max(0, at + (event.key === 'ArrowDown' ? (isShown ? 1 : 0) : -1))),
      );
    } else if (event.key === 'Enter' && isShown) {
      event.preventDefault();
      const one = found[at];
      if (one !== undefined) pick(one);
    } else if (event.key === 'Escape' && isShown) {
      event.stopPropagation();
      setOpen(false);
    }
  };
  return (
    <div className="field relative">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className="input"
        role="combobox"
        aria-expanded={isShown}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={isShown ? `${id}-${at}` : undefined}
        aria-describedby={help ? `${id}-help` : undefined}
        autoComplete="off"
        spellCheck={false}
        placeholder={placeholder}
        value={value}
        onFocus={() => setOpen(true)}
        onClick={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={onKey}
        onChange={(event) => {
          setTyped(true);
          setOpen(true);
          setAt(0);
          onChange(event.target.value);
        }}
      />
      <ul
        id={`${id}-list`}
        role="listbox"
        aria-label={label}
        hidden={!isShown}
        className={
          'absolute inset-x-0 top-[62px] z-20 max-h-[260px] overflow-auto rounded-lg border ' +
          'border-edge bg-raised p-1 text-13 shadow-raised'
        }
      >
        {found.map((one, index) => (
          <li
            key={one}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === at}
            className="cut rounded-sm px-2 py-1.5 hover:bg-hover aria-selected:bg-hover"
            // Before the field loses the focus.
            onMouseDown={(event) => {
              event.preventDefault();
              pick(one);
            }}
          >
            {one}
          </li>
        ))}
      </ul>
      {(help || isLoading) && (
        <p id={`${id}-help`} className="help">
          {isLoading ? 'Asking the git host …' : help}
        </p>
      )}
    </div>
  );
}
