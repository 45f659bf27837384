/** A value of one line, hidden until it is looked at, or of several, which keeps its lines. */
import { useRef, useState, type ClipboardEvent, type InputHTMLAttributes, type ReactElement } from 'react';
import { useSuggestions } from '../parts/combo.tsx';
import { completed, openReference } from './references.ts';

const mostShown = 50;

type Field = HTMLInputElement | HTMLTextAreaElement;

export function ValueInput({
  value,
  isShown,
  names,
  isFaulty,
  onValue,
  onFocus,
  ...shared
}: {
  value: string;
  isShown: boolean;
  /** What a reference can name. */
  names: () => readonly string[];
  isFaulty: boolean;
  onValue: (value: string) => void;
  onFocus: () => void;
} & Omit<InputHTMLAttributes<HTMLInputElement>, 'value' | 'onFocus' | 'onChange'>): ReactElement {
  const field = useRef<HTMLInputElement>(null);
  /** Where something was typed last; undefined while nothing is to be completed. */
  const [caret, setCaret] = useState<number | undefined>();
  const open = caret === undefined ? undefined : openReference(value, caret);
  const suggestions = useSuggestions({
    label: 'What can be referred to',
    options: open
      ? names()
          .filter((name) => name.toLowerCase().includes(open.typed.toLowerCase()))
          .slice(0, mostShown)
      : [],
    onPick(name) {
      if (!open || caret === undefined) return;
      const picked = completed(value, { from: open.from, caret, name });
      setCaret(undefined);
      onValue(picked.value);
      requestAnimationFrame(() => field.current?.setSelectionRange(picked.caret, picked.caret));
    },
    onOpen: (isOpen) => setCaret(isOpen ? (field.current?.selectionStart ?? undefined) : undefined),
  });
  // A field of one line would drop the line breaks of what is pasted.
  const paste = (event: ClipboardEvent<Field>): void => {
    const text = event.clipboardData.getData('text').replace(/\r\n/g, '\n');
    const lines = text.replace(/\n$/, '');
    if (!lines.includes('\n')) return;
    event.preventDefault();
    const { selectionStart, selectionEnd } = event.currentTarget;
    const [from, to] = [selectionStart ?? value.length, selectionEnd ?? value.length];
    onValue(`${value.slice(0, from)}${text}${value.slice(to)}`);
  };
  const { 'aria-label': label } = shared;
  const lines = value.split('\n').length;
  if (lines > 1 && isShown)
    return (
      <textarea
        className="input mono"
        aria-label={label}
        // It takes the place of the field that had the focus.
        autoFocus
        rows={Math.min(lines, 12)}
        spellCheck={false}
        value={value}
        onFocus={onFocus}
        onPaste={paste}
        onChange={(event) => onValue(event.target.value)}
      />
    );
  return (
    <div className="relative min-w-0 flex-1">
      <input
        {...shared}
        {...(isShown && suggestions.input)}
        ref={field}
        className="input mono"
        type={isShown ? 'text' : 'password'}
        value={lines > 1 ? `${value.split('\n')[0] ?? ''}…` : value}
        readOnly={lines > 1}
        aria-invalid={isFaulty || undefined}
        onFocus={onFocus}
        onBlur={() => setCaret(undefined)}
        onKeyDown={open && suggestions.onKeyDown}
        onPaste={paste}
        onChange={({ target }) => {
          setCaret(target.selectionStart ?? undefined);
          suggestions.toFirst();
          onValue(target.value);
        }}
      />
      {suggestions.list}
    </div>
  );
}
