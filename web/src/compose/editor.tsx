/** CodeMirror in a shadow root, where its style sheets need no exception from the page's policy. */
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { lintGutter, setDiagnostics, type Diagnostic } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef, type ReactElement } from 'react';
import type { Finding } from './file-check.tsx';

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--color-accent)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--color-up)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--color-warn)' },
  { tag: tags.comment, color: 'var(--color-faint)' },
  { tag: [tags.meta, tags.keyword], color: 'var(--color-muted)' },
]);

const look = EditorView.theme({
  '&': {
    fontSize: '13px',
    color: 'var(--color-ink)',
    backgroundColor: 'var(--color-surface)',
    minHeight: '320px',
  },
  '.cm-content': { fontFamily: 'var(--font-mono)', caretColor: 'var(--color-ink)', lineHeight: '20px' },
  '.cm-gutters': { backgroundColor: 'var(--color-surface)', color: 'var(--color-faint)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--color-hover)' },
  '&.cm-focused': { outline: '2px solid var(--color-accent)', outlineOffset: '-2px' },
  '.cm-cursor': { borderLeftColor: 'var(--color-ink)' },
  '.cm-tooltip': {
    backgroundColor: 'var(--color-raised)',
    color: 'var(--color-ink)',
    border: '1px solid var(--color-edge)',
  },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground': {
    backgroundColor: 'var(--color-accent-soft) !important',
  },
});

const none: readonly Finding[] = [];

export function Editor({
  label,
  value,
  onEdit,
  refusal,
  findings = none,
  isFixed = false,
}: {
  label: string;
  value: string;
  onEdit: (value: string) => void;
  /** What the server says of it; a line number in it is where it is marked. */
  refusal?: string | undefined;
  /** What it says while the file is typed, at its lines. */
  findings?: readonly Finding[];
  isFixed?: boolean;
}): ReactElement {
  const box = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const edit = useRef(onEdit);
  edit.current = onEdit;
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    const made = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: value,
        extensions: [
          lineNumbers(),
          history(),
          indentOnInput(),
          bracketMatching(),
          highlightActiveLine(),
          yaml(),
          syntaxHighlighting(colours),
          lintGutter(),
          look,
          keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
          EditorView.contentAttributes.of({ 'aria-label': label }),
          EditorState.readOnly.of(isFixed),
          EditorView.updateListener.of(
            (update) => update.docChanged && edit.current(update.state.doc.toString()),
          ),
        ],
      }),
    });
    view.current = made;
    return () => made.destroy();
    // The editor holds the text from here on.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [label, isFixed]);
  useEffect(() => {
    const editor = view.current;
    if (!editor) return;
    const line = Number(/\bline (\d+)/.exec(refusal ?? '')?.[1] ?? 1);
    const all = [
      ...(refusal === undefined ? [] : [{ kind: 'refusal' as const, line, text: refusal }]),
      ...findings,
    ];
    editor.dispatch(
      setDiagnostics(
        editor.state,
        all.map((finding) => markOf(editor, finding)),
      ),
    );
  }, [refusal, findings]);
  return <div ref={box} className="min-h-[320px]" />;
}

const severities: Record<Finding['kind'], Diagnostic['severity']> = {
  refusal: 'error',
  approval: 'warning',
  note: 'info',
};

function markOf({ state: { doc } }: EditorView, { kind, line, text }: Finding): Diagnostic {
  const { from, to } = doc.line(Math.min(Math.max(1, line ?? 1), doc.lines));
  return { from, to, severity: severities[kind], message: text };
}
