/** Variables of a service: rows or text, a diff before saving, deployed at once if wished. */
import { useBlocker } from '@tanstack/react-router';
import { useEffect, useRef, useState, type ClipboardEvent, type ReactElement } from 'react';
import { useAsk } from '../live/api.ts';
import { isDatabase } from '../live/services.ts';
import { Button } from '../parts/button.tsx';
import { Empty, Fault, Notice } from '../parts/notices.tsx';
import { Panel } from '../parts/page.tsx';
import { useDeploy } from '../service/service-actions.tsx';
import type { Service } from '../service/service.ts';
import { useEditing } from './editing.ts';
import { newKey, readVariables, variablesOf, type Variable } from './env-text.ts';
import { ValueInput } from './value-input.tsx';
import { dots, InheritedVariables, Resolved, ResolvedText } from './inherited.tsx';
import { previewOf, replacedBy, type Blocks, type Shared } from './preview.ts';
import { faultsIn, namesFor, servicesOf, type NamedServices } from './references.ts';
import { SecretVariables } from './secret-variables.tsx';
import { texts } from './texts.ts';

export function VariablesTab({ service }: { service: Service }): ReactElement {
  const { kind } = service;
  const [fault, setFault] = useState<string | undefined>();
  const isMasked = service.env.includes(dots.slice(0, 1));
  const deploy = useDeploy(service);
  const editing = useEditing(service, deploy.run);
  const { rows, setRows, asText, setAsText, text, changes, isEdited, isSaving, foreign } = editing;
  const { services, ...shared } = useSurroundings(service.environment);
  const blocks: Blocks = {
    ...shared,
    own: new Map(variablesOf(text).map(({ name, value }) => [name, value])),
    secrets: new Set(service.secretEnvNames),
  };
  useBlocker({
    shouldBlockFn: () => editing.isUnsaved && !confirm('Leave without saving the variables?'),
    enableBeforeUnload: () => isEdited,
  });
  // What was typed since can be saved as well.
  const isBusy = isSaving && !editing.isUnsaved;
  // What is saved already, or on its way, is deployed by the same keys.
  const hasPending = service.pendingChanges.length > 0 && !deploy.isBusy;
  useSaveKeys(!isMasked && (isEdited || isSaving || hasPending), () => editing.save(true));
  if (isMasked)
    return (
      <>
        <Notice>{texts.masked}</Notice>
        <Panel title={texts.title}>
          <ul className="rows text-13">
            {rows.map(({ key, name }) => (
              <li key={key} className="flex min-h-(--row) items-center gap-4 px-4">
                <code className="cut flex-1">{name}</code>
                <span className="text-faint">{dots}</span>
              </li>
            ))}
          </ul>
        </Panel>
        {!isDatabase(kind) && <SecretVariables service={service} />}
      </>
    );
  return (
    <>
      <Panel
        title={texts.title}
        actions={
          <Button
            small
            look="quiet"
            onClick={() => {
              if (asText === undefined) return setAsText(text);
              const { variables, fault } = readVariables(asText);
              setFault(fault && texts.notRows(fault));
              if (fault !== undefined) return;
              setRows(variables);
              setAsText(undefined);
            }}
          >
            {asText === undefined ? 'Edit as text' : 'Edit as rows'}
          </Button>
        }
      >
        {asText === undefined ? (
          <Rows rows={rows} setRows={setRows} blocks={blocks} services={services} onFault={setFault} />
        ) : (
          <textarea
            aria-label="Variables as text"
            className="input mono !rounded-none !border-0 min-h-[320px]"
            spellCheck={false}
            value={asText}
            onChange={(event) => {
              setFault(undefined);
              setAsText(event.target.value);
            }}
          />
        )}
      </Panel>
      <p className="mb-4 text-12 text-faint">{texts.help}</p>
      {asText !== undefined && <ResolvedText blocks={blocks} />}
      <InheritedVariables blocks={blocks} />
      {foreign && (
        <div className="mb-4">
          <Notice>
            {texts.foreign} <code>{foreign.map(({ name, what }) => `${name} ${what}`).join(', ')}</code>{' '}
            <button type="button" className="underline" onClick={editing.reset}>
              Take theirs
            </button>{' '}
            <button type="button" className="underline" onClick={editing.saveOverTheirs}>
              Save mine over theirs
            </button>
          </Notice>
        </div>
      )}
      <Fault error={fault ?? editing.error ?? deploy.error} />
      {isEdited && (
        <div
          className={
            'sticky bottom-16 z-10 mb-4 flex flex-wrap items-center gap-2 rounded-lg border ' +
            'border-edge bg-raised p-2 pl-4 shadow-raised md:bottom-3'
          }
        >
          <p className="min-w-0 flex-1 basis-48 text-13">
            {changes.length === 0
              ? 'Only comments changed'
              : changes.map(({ name, what }, at) => (
                  <span key={name}>
                    {at > 0 && ', '}
                    <code>{name}</code>{' '}
                    <span
                      className={
                        what === 'removed' ? 'text-down' : what === 'added' ? 'text-up' : 'text-warn'
                      }
                    >
                      {what}
                    </span>
                  </span>
                ))}
          </p>
          <Button look="quiet" onClick={editing.reset}>
            Discard
          </Button>
          <Button isBusy={isBusy} onClick={() => editing.save(false)}>
            Save
          </Button>
          <Button look="primary" isBusy={isBusy || deploy.isBusy} onClick={() => editing.save(true)}>
            Save and deploy
          </Button>
        </div>
      )}
      {!isDatabase(kind) && <SecretVariables service={service} />}
    </>
  );
}

/** Ctrl Enter, wherever on the page: a button that was pressed, and went, leaves the focus nowhere. */
function useSaveKeys(isOn: boolean, onPress: () => void): void {
  useEffect(() => {
    if (!isOn) return;
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return;
      if (document.querySelector('dialog[open], [popover]:popover-open')) return;
      event.preventDefault();
      onPress();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  });
}

/** What the environment and its project give to all of their services, and what can be named there. */
function useSurroundings({
  environmentId,
  project: { projectId },
}: Service['environment']): Shared & { services: NamedServices | undefined } {
  const { data: environment } = useAsk('environment.one', { environmentId }, { retry: false });
  const { data: project } = useAsk('project.one', { projectId }, { retry: false });
  return {
    project: project?.env ?? '',
    environment: environment?.env ?? '',
    services: project && environment && servicesOf(environment),
  };
}

function Rows({
  rows,
  setRows,
  blocks,
  services,
  onFault,
}: {
  rows: readonly Variable[];
  setRows: (rows: Variable[]) => void;
  blocks: Blocks;
  /** Undefined until they were read. */
  services: NamedServices | undefined;
  onFault: (fault: string | undefined) => void;
}): ReactElement {
  const [shown, setShown] = useState<ReadonlySet<number>>(new Set());
  const last = useRef<HTMLInputElement>(null);
  const set = (key: number, change: Partial<Variable>): void =>
    setRows(rows.map((row) => (row.key === key ? { ...row, ...change } : row)));
  const add = (): void => {
    setRows([...rows, { key: newKey(), name: '', value: '' }]);
    requestAnimationFrame(() => last.current?.focus());
  };
  const paste = (event: ClipboardEvent, key: number): void => {
    const text = event.clipboardData.getData('text');
    onFault(undefined);
    // A single word is a name.
    if (!/[=\n]/.test(text.trim())) return;
    event.preventDefault();
    const { variables: pasted, fault } = readVariables(text);
    if (fault !== undefined) return onFault(texts.notPasted(fault));
    const names = new Set(pasted.map(({ name }) => name));
    setRows([...rows.filter((row) => row.key !== key && !names.has(row.name)), ...pasted]);
  };
  return (
    <>
      {rows.length === 0 && (
        <Empty icon="key" title="No variables">
          {texts.empty}
        </Empty>
      )}
      <ul className="rows">
        {rows.map((row, at) => {
          const isShown = shown.has(row.key) || row.value === '';
          const faults = services ? faultsIn(row.name, row.value, blocks, services) : [];
          const preview = faults.length > 0 ? undefined : previewOf(row.name, row.value, blocks);
          const replaced = blocks.secrets.has(row.name) ? undefined : replacedBy(row.name, blocks);
          return (
            <li
              key={row.key}
              className={
                'grid grid-cols-[minmax(0,1fr)_auto] gap-2 p-2 ' +
                'sm:grid-cols-[minmax(0,1fr)_minmax(0,1.6fr)_auto]'
              }
            >
              <input
                ref={at === rows.length - 1 ? last : undefined}
                className="input mono"
                aria-label="Name"
                placeholder="NAME"
                spellCheck={false}
                autoComplete="off"
                value={row.name}
                onPaste={(event) => paste(event, row.key)}
                onChange={(event) => set(row.key, { name: event.target.value })}
              />
              <div className="flex gap-1 max-sm:col-span-2 max-sm:row-start-2">
                <ValueInput
                  isShown={isShown}
                  names={() => namesFor(row.name, blocks, services ?? new Map())}
                  isFaulty={faults.length > 0}
                  aria-label={`Value of ${row.name || 'the new variable'}`}
                  placeholder="value"
                  spellCheck={false}
                  autoComplete="off"
                  data-1p-ignore
                  value={row.value}
                  onFocus={() => setShown(new Set([...shown, row.key]))}
                  onValue={(value) => set(row.key, { value })}
                />
              </div>
              <Button
                look="quiet"
                icon="close"
                aria-label={`Remove ${row.name}`}
                onClick={() => setRows(rows.filter(({ key }) => key !== row.key))}
              />
              {preview && <Resolved preview={preview} written={row.value} isShown={shown.has(row.key)} />}
              {faults.map((fault) => (
                <p key={fault} role="alert" className="col-span-full px-1 text-12 text-down">
                  {fault}
                </p>
              ))}
              {replaced && (
                <p className="col-span-full px-1 text-12 text-faint">in place of that of {replaced}</p>
              )}
              {rows.slice(at + 1).some(({ name }) => name !== '' && name === row.name) && (
                <p className="col-span-full px-1 text-12 text-warn">{texts.givenTwice}</p>
              )}
              {blocks.secrets.has(row.name) && (
                <p className="col-span-full px-1 text-12 text-warn">{texts.behindSecret}</p>
              )}
            </li>
          );
        })}
      </ul>
      <div className="border-t border-line p-2">
        <Button small look="quiet" icon="plus" onClick={add}>
          Add variable
        </Button>
      </div>
    </>
  );
}
