/** A field with a list that is searched as one types; what is typed counts, listed or not. */
import { useId, useState, type AriaAttributes, type KeyboardEvent, type ReactElement } from 'react';

const mostShown = 50;

export function Combo({
  name,
  label,
  value,
  options,
  help,
  isLoading = false,
  placeholder,
  onChange,
}: {
  name?: string;
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
  const wanted = isTyped ? value.toLowerCase() : '';
  const found = options.filter((one) => one.toLowerCase().includes(wanted)).slice(0, mostShown);
  const suggestions = useSuggestions({
    label,
    options: isOpen ? found : [],
    onPick(one) {
      onChange(one);
      setOpen(false);
      setTyped(false);
    },
    onOpen: setOpen,
  });
  return (
    <div className="field relative" data-field={name}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className="input"
        {...suggestions.input}
        aria-describedby={help ? `${id}-help` : undefined}
        autoComplete="off"
        spellCheck={false}
        placeholder={placeholder}
        value={value}
        onFocus={() => setOpen(true)}
        onClick={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={suggestions.onKeyDown}
        onChange={(event) => {
          setTyped(true);
          setOpen(true);
          suggestions.toFirst();
          onChange(event.target.value);
        }}
      />
      {suggestions.list}
      {(help || isLoading) && (
        <p id={`${id}-help`} className="help">
          {isLoading ? 'Asking the git host …' : help}
        </p>
      )}
    </div>
  );
}

interface Suggestions {
  /** For the input that they belong to. */
  input: AriaAttributes & { role: 'combobox' };
  onKeyDown(event: KeyboardEvent): void;
  toFirst(): void;
  /** Stands right after the input, in something positioned. */
  list: ReactElement;
}

/** A list below an input, walked by arrow keys and picked by Enter or a press; not there without options. */
export function useSuggestions({
  label,
  options,
  onPick,
  onOpen,
}: {
  label: string;
  options: readonly string[];
  onPick: (option: string) => void;
  /** Asked for by an arrow key, or closed by Escape. */
  onOpen: (isOpen: boolean) => void;
}): Suggestions {
  const id = useId();
  const [at, setAt] = useState(0);
  const isShown = options.length > 0;
  const chosen = Math.min(at, options.length - 1);
  return {
    input: {
      role: 'combobox',
      'aria-expanded': isShown,
      'aria-controls': `${id}-list`,
      'aria-autocomplete': 'list',
      'aria-activedescendant': isShown ? `${id}-${chosen}` : undefined,
    },
    toFirst: () => setAt(0),
    onKeyDown(event) {
      if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
        event.preventDefault();
        onOpen(true);
        const step = event.key === 'ArrowDown' ? (isShown ? 1 : 0) : -1;
        setAt(Math.min(options.length - 1, Math.max(0, chosen + step)));
      } else if (event.key === 'Enter' && isShown) {
        event.preventDefault();
        const option = options[chosen];
        if (option !== undefined) onPick(option);
      } else if (event.key === 'Escape' && isShown) {
        event.stopPropagation();
        onOpen(false);
      }
    },
    list: (
      <ul
        id={`${id}-list`}
        role="listbox"
        aria-label={label}
        hidden={!isShown}
        className={
          'absolute inset-x-0 top-full z-20 mt-1 max-h-[260px] overflow-auto rounded-lg border ' +
          'border-edge bg-raised p-1 text-13 shadow-raised'
        }
      >
        {options.map((option, index) => (
          <li
            key={option}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === chosen}
            className="cut rounded-sm px-2 py-1.5 hover:bg-hover aria-selected:bg-hover"
            // Before the field loses the focus.
            onMouseDown={(event) => {
              event.preventDefault();
              onPick(option);
            }}
          >
            {option}
          </li>
        ))}
      </ul>
    ),
  };
}
