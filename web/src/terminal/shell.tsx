/** A shell in a running container, drawn by xterm; says why it ended and opens another. */
import { FitAddon } from '@xterm/addon-fit';
import { Terminal } from '@xterm/xterm';
import '@xterm/xterm/css/xterm.css';
import { useEffect, useRef, useState, type ReactElement } from 'react';
import { Button } from '../parts/button.tsx';
import { Mark } from '../parts/mark.tsx';
import { Panel } from '../parts/page.tsx';
import { openTerminal, type TerminalEnd } from './connection.ts';
import { strictDocument } from './strict-document.ts';
import { endWords, texts } from './texts.ts';

type State = { is: 'opening' } | { is: 'open'; command: string } | { is: 'over'; end: TerminalEnd };

export function Shell({ input, name }: { input: Record<string, string>; name: string }): ReactElement {
  const place = useRef<HTMLDivElement>(null);
  const [attempt, setAttempt] = useState(0);
  const [state, setState] = useState<State>({ is: 'opening' });
  const key = JSON.stringify(input);
  useEffect(() => {
    if (!place.current) return;
    setState({ is: 'opening' });
    return run(place.current, JSON.parse(key) as Record<string, string>, name, setState);
  }, [key, name, attempt]);
  return (
    <Panel
      title={
        <span className="flex items-center gap-3">
          Shell
          {state.is === 'opening' && <Mark of="starting" word="Connecting" />}
          {state.is === 'open' && <Mark of="up" word={state.command} />}
          {state.is === 'over' && <Mark of="stopped" word="Ended" />}
        </span>
      }
      actions={
        state.is === 'over' && (
          <Button small icon="refresh" onClick={() => setAttempt(attempt + 1)}>
            Connect again
          </Button>
        )
      }
    >
      {state.is === 'over' && (
        <p role="status" className="border-b border-line px-4 py-2 text-13 [overflow-wrap:anywhere]">
          {endWords(state.end)}
        </p>
      )}
      <div ref={place} className="h-[min(64dvh,640px)] overflow-hidden bg-sunken p-2" />
      <p className="border-t border-line px-4 py-2 text-12 text-faint">{texts.leave}</p>
    </Panel>
  );
}

function run(
  place: HTMLElement,
  input: Record<string, string>,
  name: string,
  setState: (state: State) => void,
): () => void {
  const own = strictDocument();
  const terminal = new Terminal({
    documentOverride: own.document,
    fontFamily: getComputedStyle(place).getPropertyValue('--font-mono'),
    fontSize: 13,
    cursorBlink: false,
    screenReaderMode: true,
    theme: themeOf(place),
  });
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  own.during(() => terminal.open(place));
  fit.fit();
  terminal.textarea?.setAttribute('aria-label', `Shell in ${name}`);
  const connection = openTerminal(
    { ...input, columns: terminal.cols, rows: terminal.rows },
    {
      onOpen: (command) => {
        setState({ is: 'open', command });
        terminal.focus();
      },
      onOutput: (bytes) => terminal.write(bytes, () => connection.drawn(bytes.length)),
      onEnd: (end) => {
        terminal.options.disableStdin = true;
        setState({ is: 'over', end });
      },
    },
  );
  terminal.onData((text) => connection.send(text));
  terminal.onResize(({ cols, rows }) => connection.resize(cols, rows));
  const observer = new ResizeObserver(() => fit.fit());
  observer.observe(place);
  return () => {
    observer.disconnect();
    connection.close();
    terminal.dispose();
    own.dispose();
  };
}

/** The colours of the page as they are now; xterm knows no light-dark(). */
function themeOf(place: HTMLElement): { background: string; foreground: string; cursor: string } {
  const { backgroundColor, color } = getComputedStyle(place);
  return { background: backgroundColor, foreground: color, cursor: color };
}
