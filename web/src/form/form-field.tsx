/** One field of a form: what its description and the page say it is. */
import { useId, type ReactElement, type ReactNode } from 'react';
import { CommonTimes, zonesId } from './cron-field.tsx';
import type { Field } from './fields.ts';
import { KindCards, type KindOption } from './kind-cards.tsx';
import { exampleOf, labelOf } from './label.ts';
import { helpOf, Words } from './words.tsx';

export interface FieldChange {
  label?: string;
  /** Where the label depends on what is in the form. */
  labelOf?: (values: Readonly<Record<string, unknown>>) => string | undefined;
  help?: string;
  /** Where the help depends on what is in the form. */
  helpOf?: (values: Readonly<Record<string, unknown>>) => string | undefined;
  /** A value that would do; nothing stands in the field until somebody types. */
  example?: string;
  /** Instead of what the description says. */
  as?: 'password' | 'area' | 'text' | 'parts' | 'size' | 'cron' | 'zone';
  /** Values to choose from, with their words. */
  options?: readonly KindOption[];
  /** Of a new thing: its kind, chosen by cards. */
  isKind?: boolean;
  /** Of its kind it has to be given, although another kind has no use for it. */
  isNeeded?: boolean;
  /** Below "More settings": most people leave it as it is. */
  isFolded?: boolean;
  /** The choice of nothing, in words. */
  empty?: string;
  /** What a number counts, behind the field. */
  unit?: string;
  /** Of a new thing: what stands there, and is sent, until somebody edits the field. */
  start?: (values: Readonly<Record<string, unknown>>) => string | boolean;
  /** Shown under the field, with what is in the form. */
  below?: (values: Readonly<Record<string, unknown>>) => ReactNode;
  /** Shown only when this is true of what is in the form. */
  when?: (values: Readonly<Record<string, unknown>>) => boolean;
}

interface FormFieldProps {
  field: Field;
  change: FieldChange;
  /** Of something stored: what is not given stays. */
  isChange: boolean;
  /** What is in the form. */
  values: Readonly<Record<string, unknown>>;
  value: string | boolean;
  fault: string | undefined;
  onEdit: (value: string | boolean) => void;
}

export function FormField({
  field,
  change,
  isChange,
  values,
  value,
  fault,
  onEdit,
}: FormFieldProps): ReactElement {
  const id = useId();
  const help = change.helpOf?.(values) ?? change.help ?? (field.d && helpOf(field.d));
  const described = `${fault ? `${id}-fault ` : ''}${help ? `${id}-help` : ''}`.trim() || undefined;
  const label = change.labelOf?.(values) ?? change.label ?? labelOf(field.n);
  const input = {
    id,
    'aria-describedby': described,
    'aria-invalid': fault !== undefined || undefined,
    'aria-required': field.r || undefined,
  };
  if (field.t === 'switch')
    return (
      <div className="field" data-field={field.n}>
        <div className="flex items-center gap-3">
          <input
            {...input}
            type="checkbox"
            className="switch"
            checked={value === true}
            onChange={(event) => onEdit(event.target.checked)}
          />
          <label htmlFor={id} className="text-13 font-medium">
            {label}
          </label>
        </div>
        <Words id={id} help={help} fault={fault} />
      </div>
    );
  if (change.isKind && change.options && !isChange)
    return (
      <KindCards
        name={field.n}
        options={change.options}
        value={String(value)}
        label={label}
        onEdit={onEdit}
      />
    );
  return (
    <div className="field" data-field={field.n}>
      <label htmlFor={id}>
        {label}
        {isOptional(field, change) && !isChange && (
          <span className="ml-1 font-normal text-faint">optional</span>
        )}
      </label>
      <TextInput {...{ field, change, input, isChange }} value={String(value)} onEdit={onEdit} />
      {change.as === 'cron' && <CommonTimes value={String(value)} zone={zoneOf(values)} onEdit={onEdit} />}
      <Words id={id} help={help} fault={fault} />
      {change.below?.(values)}
    </div>
  );
}

/** A field with a default is filled in already. */
const isOptional = ({ r, v }: Field, { start, isNeeded, empty }: FieldChange): boolean =>
  !r && v === undefined && !start && !isNeeded && empty === undefined;

const zoneOf = ({ timeZone }: Readonly<Record<string, unknown>>): string | undefined =>
  typeof timeZone === 'string' ? timeZone : undefined;

function TextInput({
  field,
  change,
  input,
  isChange,
  value,
  onEdit,
}: {
  field: Field;
  change: FieldChange;
  input: object;
  isChange: boolean;
  value: string;
  onEdit: (value: string) => void;
}): ReactElement {
  if (field.t === 'list' && field.o) return <Choices {...{ field, change, value, onEdit }} />;
  const options = change.options ?? field.o?.map((one) => ({ value: one, label: one }));
  if (options)
    return (
      <select {...input} className="input" value={value} onChange={(event) => onEdit(event.target.value)}>
        {(value === '' || !field.r) && (
          <option value="">{field.r ? 'Choose…' : (change.empty ?? '–')}</option>
        )}
        {options.map((one) => (
          <option key={one.value} value={one.value}>
            {one.label}
          </option>
        ))}
      </select>
    );
  const isSecret = change.as === 'password' || /password|secret|token$/i.test(field.n);
  const isArea = change.as === 'area' || field.t === 'json' || field.t === 'list' || (field.l ?? 0) >= 10_000;
  if (isArea && !isSecret && change.as !== 'text' && change.as !== 'password')
    return (
      <textarea
        {...input}
        className={`input ${change.as === 'area' ? '' : 'mono'}`}
        rows={field.t === 'list' ? 3 : 4}
        placeholder={
          change.example === undefined
            ? field.t === 'list'
              ? 'One a line'
              : undefined
            : exampleOf(change.example)
        }
        spellCheck={false}
        value={value}
        onChange={(event) => onEdit(event.target.value)}
      />
    );
  const text = (
    <input
      {...input}
      className="input"
      type={isSecret ? 'password' : 'text'}
      autoComplete={isSecret ? 'new-password' : 'off'}
      inputMode={field.t === 'number' && change.as !== 'size' ? 'numeric' : undefined}
      spellCheck={false}
      list={change.as === 'zone' ? zonesId : undefined}
      placeholder={
        isSecret && isChange
          ? 'Stored; type to replace it'
          : change.example === undefined
            ? undefined
            : exampleOf(change.example)
      }
      value={value}
      onChange={(event) => onEdit(event.target.value)}
    />
  );
  if (change.unit === undefined) return text;
  return (
    <span className="flex items-center gap-2">
      {text}
      <span className="shrink-0 text-13 text-faint">{change.unit}</span>
    </span>
  );
}

/** Several of several. */
function Choices({
  field,
  change,
  value,
  onEdit,
}: {
  field: Field;
  change: FieldChange;
  value: string;
  onEdit: (value: string) => void;
}): ReactElement {
  const chosen = value.split('\n').filter((one) => one !== '');
  return (
    <div
      role="group"
      aria-label={change.label ?? labelOf(field.n)}
      className="grid gap-1.5 text-13 sm:grid-cols-2"
    >
      {field.o?.map((one) => (
        <label key={one} className="flex items-center gap-2">
          <input
            type="checkbox"
            checked={chosen.includes(one)}
            onChange={({ target }) =>
              onEdit((target.checked ? [...chosen, one] : chosen.filter((other) => other !== one)).join('\n'))
            }
          />
          {change.options?.find(({ value: option }) => option === one)?.label ?? labelOf(one)}
        </label>
      ))}
    </div>
  );
}
