import { useEffect, useState, type ReactElement } from 'react';
import { Icon } from './icon.tsx';

/** Puts a text on the clipboard; over plain http there is none, and a selection does it. */
export async function copyText(text: string): Promise<void> {
  if (window.isSecureContext) return navigator.clipboard.writeText(text);
  const field = document.createElement('textarea');
  field.value = text;
  field.style.position = 'fixed';
  field.style.opacity = '0';
  (document.querySelector('dialog[open]') ?? document.body).append(field);
  field.select();
  document.execCommand('copy');
  field.remove();
}

export function Copy({ text, what }: { text: string; what: string }): ReactElement {
  const [isDone, setDone] = useState(false);
  useEffect(() => {
    if (!isDone) return;
    const timer = setTimeout(() => setDone(false), 1500);
    return () => clearTimeout(timer);
  }, [isDone]);
  return (
    <button
      type="button"
      className="button quiet small icon"
      aria-label={isDone ? `${what} copied` : `Copy ${what}`}
      onClick={(event) => {
        event.preventDefault();
        void copyText(text).then(() => setDone(true));
      }}
    >
      <Icon name={isDone ? 'check' : 'copy'} size={14} />
    </button>
  );
}

const dots = '••••••••';

/** A value with a button that copies it; a password in an address is hidden until somebody asks for it. */
export function Value({
  children,
  what,
  hidesPassword = false,
}: {
  children: string;
  what: string;
  hidesPassword?: boolean;
}): ReactElement {
  const [isShown, setShown] = useState(false);
  const masked = children.replace(/^([a-z+]+:\/\/[^:@/]*:)[^@]*@/, `$1${dots}@`);
  const canHide = hidesPassword && masked !== children;
  const text = canHide && !isShown ? masked : children;
  return (
    <span className="inline-flex max-w-full items-center gap-1">
      <code className="cut" title={text}>
        {text}
      </code>
      {canHide && (
        <button
          type="button"
          className="button quiet small"
          aria-label={`${isShown ? 'Hide' : 'Show'} the password of the ${what}`}
          onClick={() => setShown(!isShown)}
        >
          {isShown ? 'Hide' : 'Show'}
        </button>
      )}
      <Copy text={children} what={what} />
    </span>
  );
}
