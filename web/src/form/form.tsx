/**
 * A form for a procedure, made from its description: labels, help, checks; the server's faults stand beside
 * their field. What was edited is sent, with the stored values of the fields that the procedure requires, and
 * nothing that comes from outside touches an edited field.
 */
import { useBlocker } from '@tanstack/react-router';
import { useId, useState, type FormEvent, type ReactElement, type ReactNode } from 'react';
import { BerthError } from '../../../client/berth-error.ts';
import { useDo, type Answer, type Input, type Path } from '../live/api.ts';
import { Confirm } from '../parts/dialog.tsx';
import { Fault } from '../parts/notices.tsx';
import { editedSince } from './edits.ts';
import { faultsOf, inLabels, type Labels } from './faults.ts';
import { fieldsOf, partsOf, putAt, shellWords, storedAt, textOf, valueOf, type Field } from './fields.ts';
import { bytes, bytesOf } from '../parts/units.ts';
import { Zones } from './cron-field.tsx';
import { FormButtons } from './form-buttons.tsx';
import { FormField, type FieldChange } from './form-field.tsx';
import { labelOf } from './label.ts';
import { useHasSaveBar, useUnsaved } from './save-bar.tsx';
import { useTrial } from './trial.ts';

export interface FormProps<P extends Path> {
  of: P;
  /** The fields in the order in which they are shown; absent: all but the fixed ones. */
  show?: readonly (keyof Input<P> & string)[];
  change?: { readonly [F in keyof Input<P>]?: FieldChange };
  /** Sent as they are. */
  fixed?: Partial<Input<P>>;
  /** What is stored now. */
  stored?: Readonly<Record<string, unknown>> | undefined;
  verb: string;
  onDone?: (answer: Answer<P>) => void;
  onCancel?: () => void;
  /** The bar that saves it was told to discard what is unsaved. */
  onDiscard?: () => void;
  /** What it is called where several forms are saved by one bar and nothing in it was edited. */
  noun?: string;
  /** Beside the button. */
  aside?: ReactNode;
  /** What is shown is not in effect yet, so that it may be saved as it stands. */
  isUnsaved?: boolean;
  columns?: boolean;
  /** Procedure that tries what would be saved, by fields of the same names. */
  trial?: Path | undefined;
  /** Field that the server wants to be true before it does what loses something: asked when it says so. */
  asks?: (keyof Input<P> & string) | undefined;
}

export function Form<P extends Path>(props: FormProps<P>): ReactElement {
  const { of, fixed, stored, verb, onDone, onCancel, aside } = props;
  const fields = shownFields(props);
  const [edits, setEdits] = useState<Record<string, string | boolean>>({});
  const [faults, setFaults] = useState<Record<string, string>>({});
  const [isSaved, setSaved] = useState(false);
  const change = useDo(of);
  const isEdited = Object.keys(edits).length > 0;
  const isInBar = useHasSaveBar() && stored !== undefined;
  const asks = isEdited && stored !== undefined && !isInBar;
  useBlocker({
    shouldBlockFn: () => asks && !confirm('Leave without saving what you changed?'),
    enableBeforeUnload: () => asks,
  });
  const defaults =
    stored === undefined
      ? Object.fromEntries(fields.flatMap(({ n, v }) => (changeOf(props, n).start ? [] : [[n, v]])))
      : {};
  const given = { ...startsOf(props, fields, { ...defaults, ...fixed, ...edits }), ...edits };
  const values: Record<string, unknown> = { ...defaults, ...stored, ...fixed, ...given };
  const shown = fields.filter(({ n }) => isShown(props, n, values));
  const [asked, setAsked] = useState<{ input: Input<P>; sentence: string }>();
  const saved = (answer: Answer<P>): void => {
    setEdits((former) => editedSince(former, edits));
    setSaved(true);
    onDone?.(answer);
  };
  const trial = useTrial(props.trial);
  const labels = labelsOf(props, values);
  const save = async (isTried = false): Promise<boolean> => {
    trial.forget();
    const { input, wrong } = inputOf({
      fields: shown,
      edits: given,
      stored,
      isSent: (name) => props.isUnsaved === true || isRevealed(props, name, values),
      asOf: (name) => changeOf(props, name).as,
    });
    setFaults(wrong);
    if (Object.keys(wrong).length > 0) return false;
    const whole = { ...fixed, ...input } as Input<P>;
    try {
      if (!isTried) await trial.run(whole, Object.keys(input));
    } catch (error) {
      if (isBeside(error, fields, props.asks)) setFaults(faultsOf(error, labels));
      else trial.fail(error);
      return false;
    }
    try {
      saved(await change.mutateAsync(whole));
      return true;
    } catch (error) {
      if (error instanceof Error && wantsAnswer(error, props.asks))
        setAsked({ input: whole, sentence: error.message });
      else setFaults(faultsOf(error, labels));
      return false;
    }
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void save();
  };
  const labelIn = (name: string): string => labels[name] ?? labelOf(name);
  const words = (sentence: string): string => inLabels(sentence, labels);
  const isUnsaved = isEdited || props.isUnsaved === true;
  useUnsaved(
    useId(),
    isInBar && isUnsaved
      ? {
          changed: isEdited
            ? Object.keys(edits).map((name) => ({ name, label: labelIn(name) }))
            : [{ name: of, label: props.noun ?? verb }],
          isBusy: change.isPending,
          save,
          discard: () => {
            setEdits({});
            setFaults({});
            props.onDiscard?.();
          },
        }
      : undefined,
  );
  const fieldOf = (field: Field): ReactElement => (
    <FormField
      key={field.n}
      field={field}
      change={changeOf(props, field.n)}
      isChange={stored !== undefined}
      values={values}
      value={given[field.n] ?? storedText(field, stored, changeOf(props, field.n).as)}
      fault={faults[field.n]}
      onEdit={(value) => {
        setSaved(false);
        setEdits((former) => {
          if (hasStart(props, field.n, values)) return { ...former, [field.n]: value };
          return without(former, field.n, value, storedText(field, stored, changeOf(props, field.n).as));
        });
        setFaults(({ [field.n]: _gone, ...rest }) => rest);
      }}
    />
  );
  const isFolded = ({ n }: Field): boolean => changeOf(props, n).isFolded === true;
  const folded = shown.filter(isFolded);
  const columns = props.columns ? 'grid gap-4 sm:grid-cols-2' : 'grid gap-4';
  const form = (
    <form
      className="grid gap-4"
      data-form={of}
      data-stored={stored !== undefined || undefined}
      onSubmit={submit}
      noValidate
    >
      <div className={columns}>{shown.filter((field) => !isFolded(field)).map(fieldOf)}</div>
      {folded.length > 0 && (
        <Fold hasFault={folded.some(({ n }) => faults[n] !== undefined)}>
          <div className={columns}>{folded.map(fieldOf)}</div>
        </Fold>
      )}
      {shown.some(({ n }) => changeOf(props, n).as === 'zone') && <Zones />}
      <Fault error={trial.fault} title={notSaved} words={words} />
      <Fault error={isBeside(change.error, fields, props.asks) ? null : change.error} words={words} />
      {!isInBar && (
        <FormButtons
          {...{ verb, onCancel, aside }}
          isTrying={trial.isTrying}
          onAnyway={trial.fault === null ? undefined : () => void save(true)}
          isBusy={change.isPending}
          isClosed={stored !== undefined && !isUnsaved}
          isSaved={isSaved && !isEdited && stored !== undefined}
        />
      )}
    </form>
  );
  if (asked === undefined || props.asks === undefined) return form;
  const confirmed = { ...asked.input, [props.asks]: true };
  return (
    <>
      {form}
      <Confirm
        title={`${labelOf(props.asks)}?`}
        verb={labelOf(props.asks)}
        onClose={() => setAsked(undefined)}
        onConfirm={() => change.mutateAsync(confirmed).then(saved)}
      >
        <p>{words(asked.sentence)}</p>
      </Confirm>
    </>
  );
}

const notSaved = 'The test failed, so nothing was saved yet';

/** What the screen calls each field of the procedure; a part is also known by its own name. */
export function labelsOf<P extends Path>(
  props: { of: Path; change?: FormProps<P>['change'] | undefined },
  values: Readonly<Record<string, unknown>>,
): Labels {
  const label = ({ n }: Field): string => {
    const change = changeOf(props, n);
    return change.labelOf?.(values) ?? change.label ?? labelOf(n);
  };
  const whole = fieldsOf(props.of);
  const parts = whole.flatMap((field) => partsOf(field));
  return Object.fromEntries([
    ...parts
      .map((part) => [part.n.split('.').at(-1) ?? '', label(part)])
      .filter(([n = '']) => /[A-Z]/.test(n)),
    ...parts.map((part) => [part.n, label(part)]),
    ...whole.map((field) => [field.n, label(field)]),
  ]);
}

/** For a form by hand: what the screen calls the fields of its procedure. */
export const wordsFor =
  (of: Path) =>
  (sentence: string): string =>
    inLabels(sentence, labelsOf({ of }, {}));

/** Whether the server would do it once this field says that it is meant. */
const wantsAnswer = (error: unknown, asks: string | undefined): boolean =>
  asks !== undefined && error instanceof BerthError && error.issues.some(({ path }) => path === asks);

/** Whether an error stands beside a field, or is the question of a dialog. */
const isBeside = (error: unknown, fields: readonly Field[], asks: string | undefined): boolean =>
  error !== null && (hasPlace(error, fields) || wantsAnswer(error, asks));

function shownFields<P extends Path>(props: FormProps<P>): readonly Field[] {
  const { of, show, fixed } = props;
  const all = fieldsOf(of);
  const shown = show
    ? show.flatMap((name) => all.find(({ n }) => n === name) ?? [])
    : all.filter(({ n }) => n !== 'revision' && (fixed === undefined || !(n in fixed)));
  return shown.flatMap((field) => (changeOf(props, field.n).as === 'parts' ? partsOf(field) : [field]));
}

/** A part is shown when its whole is. */
function changeOf<P extends Path>({ change }: Pick<FormProps<P>, 'change'>, name: string): FieldChange {
  const changes: Record<string, FieldChange | undefined> = change ?? {};
  const [whole = '', part] = name.split('.');
  if (part === undefined) return changes[whole] ?? {};
  const { when } = changes[whole] ?? {};
  return { label: labelOf(part), ...(when ? { when } : {}), ...changes[name] };
}

const isShown = <P extends Path>(
  props: FormProps<P>,
  name: string,
  values: Readonly<Record<string, unknown>>,
): boolean => changeOf(props, name).when?.(values) ?? true;

/** Whether an edit of another field brought it up: nobody chose what is stored in it. */
const isRevealed = <P extends Path>(
  props: FormProps<P>,
  name: string,
  values: Readonly<Record<string, unknown>>,
): boolean =>
  props.stored !== undefined &&
  isShown(props, name, values) &&
  !isShown(props, name, { ...props.stored, ...props.fixed });

/** Whether a start stands in the field until somebody edits it, and be it to nothing. */
const hasStart = <P extends Path>(
  props: FormProps<P>,
  name: string,
  values: Readonly<Record<string, unknown>>,
): boolean =>
  changeOf(props, name).start !== undefined &&
  (props.stored === undefined || isRevealed(props, name, values));

/**
 * In the order of the fields: one may follow from those before it. Of something stored only those that an
 * edit revealed.
 */
function startsOf<P extends Path>(
  props: FormProps<P>,
  fields: readonly Field[],
  values: Readonly<Record<string, unknown>>,
): Record<string, string | boolean> {
  return fields.reduce<Record<string, string | boolean>>((starts, { n }) => {
    const known = { ...props.stored, ...values, ...starts };
    if (props.stored !== undefined && !isRevealed(props, n, known)) return starts;
    const start = changeOf(props, n).start?.(known);
    return start === undefined || values[n] !== undefined ? starts : { ...starts, [n]: start };
  }, {});
}

function storedText(
  field: Field,
  stored: Readonly<Record<string, unknown>> | undefined,
  as: FieldChange['as'],
): string | boolean {
  // Of a new thing what the server would take.
  const value = stored === undefined ? field.v : storedAt(stored, field.n);
  if (field.t === 'switch') return value === true;
  if (as === 'size' && typeof value === 'number') return bytes(value);
  return as === 'text' && Array.isArray(value) ? shellWords(value) : textOf(field, value);
}

/** An edit that leads back to what is stored is none. */
function without(
  edits: Record<string, string | boolean>,
  name: string,
  value: string | boolean,
  stored: string | boolean,
): Record<string, string | boolean> {
  const { [name]: _former, ...rest } = edits;
  return value === stored ? rest : { ...rest, [name]: value };
}

interface Filled {
  /** Fields that are shown; what was typed into one that is hidden now is not meant. */
  fields: readonly Field[];
  edits: Readonly<Record<string, string | boolean>>;
  stored: Readonly<Record<string, unknown>> | undefined;
  /** Whether what is stored in a field is sent although nobody edited it. */
  isSent: (name: string) => boolean;
  /** `text`: the text itself is the value, where the server takes it beside a list or an object. */
  asOf: (name: string) => FieldChange['as'];
}

function inputOf({ fields, edits, stored, isSent, asOf }: Filled): {
  input: Record<string, unknown>;
  wrong: Record<string, string>;
} {
  const input: Record<string, unknown> = {};
  const wrong: Record<string, string> = {};
  for (const field of fields) {
    const value = edits[field.n];
    if (value === undefined) {
      const kept = storedAt(stored, field.n);
      if (kept !== undefined && kept !== null && (field.r || isSent(field.n))) putAt(input, field.n, kept);
      continue;
    }
    try {
      const given =
        typeof value === 'boolean' || (field.t === 'json' && asOf(field.n) === 'text')
          ? value === '' && field.z
            ? null
            : value
          : asOf(field.n) === 'size' && value !== ''
            ? bytesOf(value)
            : valueOf(field, value);
      if (given !== undefined) putAt(input, field.n, given);
    } catch (error) {
      wrong[field.n] = error instanceof Error ? error.message : String(error);
    }
  }
  return { input, wrong };
}

/** Whether every fault of an error is shown beside a field. */
const hasPlace = (error: unknown, fields: readonly Field[]): boolean =>
  error instanceof BerthError &&
  error.issues.length > 0 &&
  error.issues.every(({ path }) => fields.some(({ n }) => n === path || n === path.split('.')[0]));

/** Open once something in it is wrong. */
function Fold({ hasFault, children }: { hasFault: boolean; children: ReactNode }): ReactElement {
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      className="fold"
      open={isOpen || hasFault}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>More settings</summary>
      {children}
    </details>
  );
}
