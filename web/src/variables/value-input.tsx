/** A value of one line, hidden until it is looked at, or of several, which keeps its lines. */
import type { ClipboardEvent, InputHTMLAttributes, ReactElement } from 'react';

type Field = HTMLInputElement | HTMLTextAreaElement;

export function ValueInput({
  value,
  isShown,
  onValue,
  onFocus,
  ...shared
}: {
  value: string;
  isShown: boolean;
  onValue: (value: string) => void;
  onFocus: () => void;
} & Omit<InputHTMLAttributes<HTMLInputElement>, 'value' | 'onFocus' | 'onChange'>): ReactElement {
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
    <input
      {...shared}
      className="input mono"
      type={isShown ? 'text' : 'password'}
      value={lines > 1 ? `${value.split('\n')[0] ?? ''}…` : value}
      readOnly={lines > 1}
      onFocus={onFocus}
      onPaste={paste}
      onChange={(event) => onValue(event.target.value)}
    />
  );
}
