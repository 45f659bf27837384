/** Variables whose values are written once and never shown again. */
import { useState, type FormEvent, type ReactElement } from 'react';
import { useDo, type Input, type Path } from '../live/api.ts';
import { Button } from '../parts/button.tsx';
import { PanelFault } from '../parts/notices.tsx';
import { Panel } from '../parts/page.tsx';
import { named, procedureOf, type Service } from '../service/service.ts';
import { lineOf } from './env-text.ts';

export function SecretVariables({ service }: { service: Service }): ReactElement {
  const { kind, id, secretEnvNames } = service;
  const save = useDo(procedureOf(kind, 'saveEnvironment'));
  const [name, setName] = useState('');
  const [value, setValue] = useState('');
  const send = (change: object, onSuccess?: () => void): void =>
    save.mutate({ ...named(kind, id), ...change } as Input<Path>, { onSuccess });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    // What is typed meanwhile is the next one.
    send({ secretEnv: lineOf({ name, value }) }, () => {
      setName((former) => (former === name ? '' : former));
      setValue((former) => (former === value ? '' : former));
    });
  };
  return (
    <Panel title="Secrets">
      <ul className="rows text-13">
        {secretEnvNames.map((one) => (
          <li key={one} className="flex min-h-(--row) items-center gap-4 pr-2 pl-4">
            <code className="cut flex-1">{one}</code>
            <span className="text-faint">never shown</span>
            <Button
              look="quiet"
              small
              icon="close"
              aria-label={`Remove ${one}`}
              onClick={() => send({ removeSecretEnv: [one] })}
            />
          </li>
        ))}
      </ul>
      <form
        className={
          'grid gap-2 border-t border-line p-2 ' +
          'first:border-0 sm:grid-cols-[minmax(0,1fr)_minmax(0,1.6fr)_auto]'
        }
        onSubmit={submit}
      >
        <input
          className="input mono"
          aria-label="Name of the secret"
          placeholder="NAME"
          autoComplete="off"
          spellCheck={false}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <input
          className="input mono"
          type="password"
          aria-label="Value of the secret"
          placeholder="value, never shown again"
          autoComplete="new-password"
          value={value}
          onChange={(event) => setValue(event.target.value)}
        />
        <Button type="submit" disabled={name === '' || value === ''} isBusy={save.isPending}>
          Add secret
        </Button>
      </form>
      <PanelFault error={save.error} />
    </Panel>
  );
}
