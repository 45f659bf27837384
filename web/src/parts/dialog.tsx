/** The browser's own dialog: it keeps the focus, closes with Escape and gives the focus back. */
import { useEffect, useId, useRef, useState, type ReactElement, type ReactNode } from 'react';
import { Button } from './button.tsx';
import { Fault } from './notices.tsx';

export function Dialog({
  title,
  onClose,
  children,
  look = '',
  isBare = false,
}: {
  title: string;
  onClose: () => void;
  children: ReactNode;
  look?: string;
  /** Without heading and padding; the title is then its name alone. */
  isBare?: boolean;
}): ReactElement {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const element = dialog.current;
    if (element && !element.open) element.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className={`dialog ${look}`}
      {...(isBare ? { 'aria-label': title } : { 'aria-labelledby': heading })}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onMouseDown={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      {isBare ? (
        children
      ) : (
        <div className="p-5">
          <h2 id={heading} className="mb-3 pr-8 text-16 [overflow-wrap:anywhere]">
            {title}
          </h2>
          {children}
        </div>
      )}
    </dialog>
  );
}

export interface ConfirmProps {
  title: string;
  /** What goes and what stays. */
  children: ReactNode;
  verb: string;
  /** To be typed before data is lost. */
  typed?: string | undefined;
  isDanger?: boolean;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
}

/** One confirmation for what can be undone; data loss asks for the name. The focus is on Cancel. */
export function Confirm({
  title,
  children,
  verb,
  typed,
  isDanger = true,
  onConfirm,
  onClose,
}: ConfirmProps): ReactElement {
  const [text, setText] = useState('');
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const field = useId();
  const isOpen = typed === undefined || text === typed;
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isOpen || isBusy) return;
          setBusy(true);
          setError(null);
          onConfirm().then(onClose, (fault: unknown) => {
            setError(fault);
            setBusy(false);
          });
        }}
      >
        <div className="grid gap-2 text-13 text-muted">{children}</div>
        {typed !== undefined && (
          <div className="field">
            <label htmlFor={field} className="[overflow-wrap:anywhere]">
              Type <b>{typed}</b> to go on
            </label>
            <input
              id={field}
              className="input"
              value={text}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => setText(event.target.value)}
            />
          </div>
        )}
        <Fault error={error} />
        <div className="flex justify-end gap-2">
          <Button autoFocus onClick={onClose}>
            Cancel
          </Button>
          <Button
            type="submit"
            look={isDanger ? 'danger filled' : 'primary'}
            isBusy={isBusy}
            disabled={!isOpen}
          >
            {verb}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
