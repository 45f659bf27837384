/** One field of a form by hand. What is wrong in it stands below it, in the words of the page. */
import {
  useId,
  useState,
  type FormEvent,
  type InputHTMLAttributes,
  type ReactElement,
  type ReactNode,
} from 'react';
import { exampleOf } from './label.ts';
import { validityWords } from './validity-words.ts';
import { Words } from './words.tsx';

interface TextFieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange' | 'onInvalid'> {
  label: string;
  help?: ReactNode;
  fault?: string | undefined;
  /** A value that would do; nothing stands in the field until somebody types. */
  example?: string | undefined;
  /** Lines of a field for a longer text. */
  rows?: number;
  onEdit: (value: string) => void;
}

export function TextField({
  label,
  help,
  fault,
  example,
  rows,
  onEdit,
  className = '',
  ...rest
}: TextFieldProps): ReactElement {
  const id = useId();
  const [invalid, setInvalid] = useState<string | undefined>();
  const said = invalid ?? fault;
  const shared = {
    id,
    className: `input ${className}`,
    spellCheck: false,
    ...(example === undefined ? {} : { placeholder: exampleOf(example) }),
    'aria-invalid': said !== undefined || undefined,
    'aria-describedby': `${said ? `${id}-fault ` : ''}${help ? `${id}-help` : ''}`.trim() || undefined,
    onInvalid: (event: FormEvent<HTMLInputElement | HTMLTextAreaElement>): void => {
      // Without it the browser shows a bubble of its own, in its own language.
      event.preventDefault();
      const input = event.currentTarget;
      setInvalid(validityWords(label, input));
      if (input.form?.querySelector(':is(input, textarea, select):invalid') === input) input.focus();
    },
    onChange: ({ target }: { target: { value: string } }): void => {
      setInvalid(undefined);
      onEdit(target.value);
    },
  };
  return (
    <div className="field" data-field={rest.name}>
      <label htmlFor={id}>{label}</label>
      {rows === undefined ? (
        <input {...rest} {...shared} />
      ) : (
        <textarea
          {...shared}
          rows={rows}
          name={rest.name}
          required={rest.required}
          value={rest.value}
          autoFocus={rest.autoFocus}
        />
      )}
      <Words id={id} help={help} fault={said} />
    </div>
  );
}
