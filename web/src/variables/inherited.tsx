/** What a service gets besides its own variables, and what references become. Values stand behind dots. */
import { useState, type ReactElement } from 'react';
import { Button } from '../parts/button.tsx';
import { Panel } from '../parts/page.tsx';
import { inheritedOf, previewOf, type Blocks, type Preview } from './preview.ts';
import { texts } from './texts.ts';

export const dots = '••••';
const fromWords = { environment: 'from the environment', project: 'from the project' } as const;

export function InheritedVariables({ blocks }: { blocks: Blocks }): ReactElement | null {
  const [shown, setShown] = useState<ReadonlySet<string>>(new Set());
  const inherited = inheritedOf(blocks);
  if (inherited.length === 0) return null;
  return (
    <Panel title={texts.inherited}>
      <ul className="rows text-13">
        {inherited.map(({ name, from, text, origins }) => {
          const isShown = shown.has(name);
          return (
            <li
              key={name}
              className={
                'grid min-h-(--row) grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 ' +
                'py-1 pr-2 pl-4 sm:grid-cols-[minmax(0,1fr)_minmax(0,1.6fr)_auto]'
              }
            >
              <code className="cut" title={name}>
                {name}
              </code>
              <span
                className={'text-12 text-faint [overflow-wrap:anywhere] max-sm:col-span-2 max-sm:row-start-2'}
              >
                <code className="text-12">{isShown || text === '' ? text || '(empty)' : dots}</code> ·{' '}
                {fromWords[from]}
                {origins.length > 0 && `, with ${origins.join(', ')}`}
              </span>
              <Button
                small
                look="quiet"
                aria-label={`${isShown ? 'Hide' : 'Show'} ${name}`}
                onClick={() =>
                  setShown(new Set(isShown ? [...shown].filter((one) => one !== name) : [...shown, name]))
                }
              >
                {isShown ? 'Hide' : 'Show'}
              </Button>
            </li>
          );
        })}
      </ul>
    </Panel>
  );
}

/** What it will be, and from where: of what a service gives, its deployment alone knows the value. */
export const Resolved = ({
  preview: { text, origins },
  written,
  isShown,
}: {
  preview: Preview;
  written: string;
  isShown: boolean;
}): ReactElement => (
  <p className="col-span-full px-1 text-12 text-faint [overflow-wrap:anywhere]">
    {text === written ? (
      <>filled in by the deployment, from {origins.join(', ')}</>
    ) : (
      <>
        becomes <code className="text-12">{isShown ? text : dots}</code>
        {origins.length > 0 && <> · from {origins.join(', ')}</>}
      </>
    )}
  </p>
);

/** Of variables that are edited as text: those that become something else than what is written. */
export function ResolvedText({ blocks }: { blocks: Blocks }): ReactElement | null {
  const [isShown, setShown] = useState(false);
  const found = [...blocks.own].flatMap(([name, value]) => {
    const preview = previewOf(name, value, blocks);
    return preview ? [{ name, value, preview }] : [];
  });
  if (found.length === 0) return null;
  return (
    <Panel
      title={texts.resolved}
      actions={
        <Button small look="quiet" onClick={() => setShown(!isShown)}>
          {isShown ? 'Hide values' : 'Show values'}
        </Button>
      }
    >
      <ul className="rows text-13">
        {found.map(({ name, value, preview }) => (
          <li key={name} className="grid gap-x-4 px-3 py-1.5 sm:grid-cols-[minmax(0,1fr)_minmax(0,1.6fr)]">
            <code className="cut px-1" title={name}>
              {name}
            </code>
            <div className="grid">
              <Resolved preview={preview} written={value} isShown={isShown} />
            </div>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
