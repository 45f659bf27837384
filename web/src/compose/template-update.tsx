/** A newer form of the template that a service was made of: what changes, and the button for it. */
import { useState, type ReactElement } from 'react';
import { TextField } from '../form/text-field.tsx';
import { useAsk, useDo, type Answer } from '../live/api.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Fault, Notice } from '../parts/notices.tsx';
import { useDeploy } from '../service/service-actions.tsx';
import type { Service } from '../service/service.ts';

type Changes = NonNullable<Answer<'template.changes'>>;
type Edits = 'merge' | 'replace' | 'keep';

export function TemplateUpdate({ service }: { service: Service }): ReactElement | null {
  const { data } = useAsk('template.changes', { composeId: service.id });
  const [isOpen, setOpen] = useState(false);
  if (!data) return null;
  return (
    <div className="mb-4">
      <Notice tone="busy">
        <div className="flex flex-wrap items-center gap-2">
          <span className="min-w-0 flex-1">
            The template {data.title} is newer: {summaryOf(data)}.
          </span>
          <Button small onClick={() => setOpen(true)}>
            See what changes
          </Button>
        </div>
      </Notice>
      {isOpen && <UpdateDialog service={service} changes={data} onClose={() => setOpen(false)} />}
    </div>
  );
}

function summaryOf({ images, variables, files }: Changes): string {
  const words = [
    ...images.map(imageWords),
    counted(variables.length, 'variable'),
    counted(files.length, 'file'),
  ].filter((word) => word !== '');
  return words.length === 0 ? 'its compose file changed' : words.join(', ');
}

const counted = (count: number, noun: string): string =>
  count === 0 ? '' : count === 1 ? `1 ${noun}` : `${count} ${noun}s`;

const imageWords = ({ service, from, to }: Changes['images'][number]): string =>
  from === null
    ? `${service} is new (${to ?? ''})`
    : to === null
      ? `${service} is no longer in it`
      : `${service} ${from} → ${to}`;

function UpdateDialog({
  service,
  changes,
  onClose,
}: {
  service: Service;
  changes: Changes;
  onClose: () => void;
}): ReactElement {
  const { isEdited, conflicts, difference, replacement } = changes;
  const [edits, setEdits] = useState<Edits>(conflicts.length > 0 ? 'keep' : 'merge');
  const [given, setGiven] = useState<Record<string, string>>({});
  const apply = useDo('template.apply');
  const deploy = useDeploy(service);
  const isKept = isEdited && edits === 'keep';
  const run = (): void =>
    apply.mutate(
      {
        composeId: service.id,
        revision: changes.revision,
        ...(isEdited ? { edits } : {}),
        variables: Object.fromEntries(Object.entries(given).filter(([, value]) => value !== '')),
      },
      { onSuccess: () => (isKept ? onClose() : deploy.run()) },
    );
  return (
    <Dialog title={`Newer template of ${service.name}`} onClose={onClose} look="wide">
      <form
        className="grid gap-4 text-13"
        onSubmit={(event) => {
          event.preventDefault();
          if (!apply.isPending) run();
        }}
      >
        <Facts changes={changes} />
        {isEdited && <Choice edits={edits} conflicts={conflicts.length} onChoose={setEdits} />}
        {!isKept && (
          <>
            <NewVariables changes={changes} given={given} onGive={setGiven} />
            <Difference text={isEdited && edits === 'merge' ? difference : replacement} />
          </>
        )}
        <Fault error={apply.error ?? deploy.error} />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" isBusy={apply.isPending || deploy.isBusy}>
            {isKept ? 'Keep it as it is' : 'Update and deploy'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function Facts({ changes: { images, variables, files, notes } }: { changes: Changes }): ReactElement {
  const lines = [
    ...images.map(imageWords),
    ...variables
      .filter(({ change }) => change === 'removed')
      .map(({ name }) => `The template no longer has ${name}; it stays`),
    ...files.map(({ path, change }) =>
      change === 'kept' ? `${path} was edited here, so it stays` : `${path} is ${change}`,
    ),
  ];
  return (
    <>
      {lines.length > 0 && (
        <ul className="list-disc pl-5 [overflow-wrap:anywhere]">
          {lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
      {notes.map((note) => (
        <Notice key={note}>{note}</Notice>
      ))}
    </>
  );
}

const choices: readonly (readonly [Edits, string])[] = [
  ['merge', 'Put my edits and the template together'],
  ['replace', 'Take the file of the template; my edits are lost'],
  ['keep', 'Keep everything as it is, and do not offer this version again'],
];

function Choice({
  edits,
  conflicts,
  onChoose,
}: {
  edits: Edits;
  conflicts: number;
  onChoose: (edits: Edits) => void;
}): ReactElement {
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1">The compose file was edited since it came from the template.</legend>
      {conflicts > 0 && (
        <p className="text-muted">
          Both changed the same lines in {counted(conflicts, 'place')}, so they cannot be put together.
        </p>
      )}
      {choices.map(([name, word]) => (
        <label key={name} className="flex items-center gap-2">
          <input
            type="radio"
            className="shrink-0"
            name="edits"
            checked={edits === name}
            disabled={name === 'merge' && conflicts > 0}
            onChange={() => onChoose(name)}
          />
          {word}
        </label>
      ))}
    </fieldset>
  );
}

function NewVariables({
  changes,
  given,
  onGive,
}: {
  changes: Changes;
  given: Record<string, string>;
  onGive: (given: Record<string, string>) => void;
}): ReactElement | null {
  const added = changes.variables.filter(({ change }) => change === 'added');
  if (added.length === 0) return null;
  return (
    <div className="grid gap-3">
      {added.map(({ name, description, isRequired, isSecret }) => (
        <TextField
          key={name}
          label={name}
          className="mono"
          type={isSecret ? 'password' : 'text'}
          autoComplete="off"
          required={isRequired}
          placeholder={isRequired ? '' : 'As the template has or generates it'}
          help={description}
          value={given[name] ?? ''}
          onEdit={(text) => onGive({ ...given, [name]: text })}
        />
      ))}
    </div>
  );
}

const tones: Readonly<Record<string, string>> = { '+': 'bg-up-soft', '-': 'bg-down-soft' };

/** Lines as `diff -u` has them. */
function Difference({ text }: { text: string }): ReactElement {
  if (text === '') return <p className="text-muted">The compose file stays as it is.</p>;
  return (
    <pre
      className="max-h-[40dvh] overflow-auto rounded-md border border-line p-3 font-mono text-12"
      tabIndex={0}
      aria-label="What changes in the compose file"
    >
      {text.split('\n').map((line, at) => (
        <span key={at} className={`block ${tones[line[0] ?? ''] ?? ''}`}>
          {line === '' ? ' ' : line}
        </span>
      ))}
    </pre>
  );
}
