/** How Berth checks that a task is healthy: by a port, an address or a command; how often and how long. */
import { useId, useState, type FormEvent, type ReactElement } from 'react';
import { editedSince } from '../form/edits.ts';
import { shellWords } from '../form/fields.ts';
import { wordsFor } from '../form/form.tsx';
import { useUnsaved } from '../form/save-bar.tsx';
import { useDo, type Input } from '../live/api.ts';
import { Fault } from '../parts/notices.tsx';
import { Panel } from '../parts/page.tsx';
import type { Application } from '../service/service.ts';

const kinds = {
  port: 'A port is open',
  path: 'An address answers',
  command: 'A command ends well',
} as const;
type Kind = keyof typeof kinds;

const numbers = [
  ['interval', 'Every', 'Seconds between two checks'],
  ['timeout', 'Patience', 'Seconds until a check has failed'],
  ['retries', 'Failures', 'So many in a row make a task unhealthy'],
  ['startPeriod', 'Time to start', 'Seconds in which failures do not count'],
] as const;

const numberNames: ReadonlySet<keyof Values> = new Set(['port', ...numbers.map(([name]) => name)]);
const isNumber = (name: keyof Values): boolean => numberNames.has(name);

type Values = Record<'path' | 'port' | 'command' | (typeof numbers)[number][0], string>;

export function HealthCheck({ application }: { application: Application }): ReactElement {
  const { applicationId, healthCheck } = application;
  const stored = valuesOf(healthCheck);
  const [edits, setEdits] = useState<Partial<Values>>({});
  const [chosen, setKind] = useState<Kind | undefined>();
  const [isTold, setTold] = useState(false);
  const save = useDo('application.update');
  const id = useId();
  const values = { ...stored, ...edits };
  const kind = chosen ?? kindOf(stored);
  const wrong = [...numberNames].filter((name) => Number.isNaN(Number(values[name])));
  const isEdited = chosen !== undefined || Object.keys(edits).length > 0;
  const field = (name: keyof Values, label: string, help: string, placeholder?: string): ReactElement => (
    <div className="field" key={name} data-field={name}>
      <label htmlFor={`${id}-${name}`}>{label}</label>
      <input
        id={`${id}-${name}`}
        className="input"
        spellCheck={false}
        autoComplete="off"
        inputMode={isNumber(name) ? 'numeric' : undefined}
        aria-invalid={wrong.includes(name) || undefined}
        placeholder={placeholder}
        aria-describedby={`${id}-${name}-help`}
        value={values[name]}
        onChange={(event) => setEdits({ ...edits, [name]: event.target.value })}
      />
      {isTold && wrong.includes(name) && <p className="fault">Give a number, or leave it empty.</p>}
      <p className="help" id={`${id}-${name}-help`}>
        {help}
      </p>
    </div>
  );
  const store = async (): Promise<boolean> => {
    if (wrong.length > 0) {
      setTold(true);
      return false;
    }
    try {
      await save.mutateAsync({ applicationId, healthCheck: checkOf(kind, values) });
    } catch {
      // Its sentence stands below the fields.
      return false;
    }
    setEdits((former) => editedSince(former, edits));
    setKind((former) => (former === chosen ? undefined : former));
    return true;
  };
  useUnsaved(
    id,
    isEdited
      ? {
          changed: [{ name: 'healthCheck', label: 'Health check' }],
          isBusy: save.isPending,
          save: store,
          discard: () => {
            setEdits({});
            setKind(undefined);
          },
        }
      : undefined,
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void store();
  };
  return (
    <Panel title="Health check" isPadded>
      <form className="grid gap-4" data-form="application.update" data-stored onSubmit={submit}>
        <div className="field" data-field="kind">
          <label htmlFor={`${id}-kind`}>A task is well when</label>
          <select
            id={`${id}-kind`}
            className="input"
            value={kind}
            onChange={(event) => setKind(event.target.value as Kind)}
          >
            {Object.entries(kinds).map(([name, word]) => (
              <option key={name} value={name}>
                {word}
              </option>
            ))}
          </select>
        </div>
        {kind === 'path' && field('path', 'Path', 'It must answer with a status below 400.', '/health')}
        {kind === 'command' &&
          field(
            'command',
            'Command',
            'Run in the container, with quotes as in a shell; exit code 0 is well.',
            'node check.js',
          )}
        {kind !== 'command' && field('port', 'Port', 'Empty: the port that its domains lead to.', '3000')}
        <div className="grid gap-4 sm:grid-cols-4">
          {numbers.map(([name, label, help]) => field(name, label, help))}
        </div>
        <Fault error={save.error} words={wordsFor('application.update')} />
      </form>
    </Panel>
  );
}

type Check = NonNullable<Application['healthCheck']>;
type CheckInput = NonNullable<Input<'application.update'>['healthCheck']>;

function valuesOf(check: Application['healthCheck']): Values {
  const { path, port, command, interval, timeout, retries, startPeriod } = check ?? ({} as Partial<Check>);
  return {
    path: path ?? '',
    command: Array.isArray(command) ? shellWords(command) : '',
    ...textsOf({ port, interval, timeout, retries, startPeriod }),
  };
}

const textsOf = <K extends string>(numbersByName: Record<K, number | undefined>): Record<K, string> =>
  Object.fromEntries(
    Object.entries<number | undefined>(numbersByName).map(([name, value]) => [name, value?.toString() ?? '']),
  ) as Record<K, string>;

const kindOf = ({ path, command }: Values): Kind => (command ? 'command' : path ? 'path' : 'port');

/** Leaves what is empty to Berth. The server splits the text of a command into its words. */
function checkOf(kind: Kind, values: Values): CheckInput {
  const number = (text: string): number | undefined => (text.trim() === '' ? undefined : Number(text));
  const given = {
    ...(kind === 'path' ? { path: values.path || '/' } : {}),
    ...(kind === 'command' ? { command: values.command } : {}),
    ...(kind === 'command' ? {} : { port: number(values.port) }),
    interval: number(values.interval),
    timeout: number(values.timeout),
    retries: number(values.retries),
    startPeriod: number(values.startPeriod),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as CheckInput;
}
