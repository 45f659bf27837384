/** What the server says of a compose file while it is typed. */
import { useEffect, useState, type ReactElement } from 'react';
import { ask, type Answer } from '../live/api.ts';

export type FileCheck = Answer<'compose.check'>;
export type Finding = FileCheck['findings'][number];

/** Typing rests this long before the file is sent. */
const restMs = 400;

/** As somebody sees it who may not read secrets. */
const masked = '••••';

/**
 * The newest answer about the text; undefined until there is one. `about` changes when something besides the
 * text does, such as the service's variables.
 */
export function useFileCheck(
  text: string,
  { composeId, about, enabled = true }: { composeId?: string; about?: unknown; enabled?: boolean } = {},
): FileCheck | undefined {
  const [check, setCheck] = useState<FileCheck>();
  useEffect(() => {
    if (!enabled || text.trim() === '' || text.includes(masked)) {
      setCheck(undefined);
      return;
    }
    const ending = new AbortController();
    const timer = setTimeout(() => {
      ask('compose.check', { composeFile: text, ...(composeId ? { composeId } : {}) }, ending.signal).then(
        (answer) => ending.signal.aborted || setCheck(answer),
        // Saving says the same, and why the server cannot be asked.
        () => ending.signal.aborted || setCheck(undefined),
      );
    }, restMs);
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [text, composeId, about, enabled]);
  return check;
}

const words: Record<Finding['kind'], { word: string; tone: string }> = {
  refusal: { word: 'Refused', tone: 'text-down' },
  approval: { word: 'Needs approval', tone: 'text-warn' },
  note: { word: 'Note', tone: 'text-muted' },
};

/** The findings, each with its line; nothing where there are none. */
export function Findings({ check }: { check: FileCheck | undefined }): ReactElement | null {
  if (!check || check.findings.length === 0) return null;
  return (
    <ul aria-label="What a deployment says of this file" aria-live="polite" className="grid gap-1 text-13">
      {check.findings.map(({ kind, line, text }, at) => (
        <li key={at} className="[overflow-wrap:anywhere]">
          <span className={`font-medium ${words[kind].tone}`}>{words[kind].word}</span>
          {line !== null && <span className="text-muted"> · line {line}</span>} · {text}
        </li>
      ))}
    </ul>
  );
}
