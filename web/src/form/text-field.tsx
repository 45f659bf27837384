/** One field of a form by hand. */
import { useId, type InputHTMLAttributes, type ReactElement, type ReactNode } from 'react';
import { Words } from './words.tsx';

interface TextFieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange'> {
  label: string;
  help?: ReactNode;
  fault?: string | undefined;
  onEdit: (value: string) => void;
}

export function TextField({
  label,
  help,
  fault,
  onEdit,
  className = '',
  ...rest
}: TextFieldProps): ReactElement {
  const id = useId();
  return (
    <div className="field" data-field={rest.name}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className={`input ${className}`}
        spellCheck={false}
        {...rest}
        aria-invalid={fault !== undefined || undefined}
        aria-describedby={`${fault ? `${id}-fault ` : ''}${help ? `${id}-help` : ''}`.trim() || undefined}
        onChange={(event) => onEdit(event.target.value)}
      />
      <Words id={id} help={help} fault={fault} />
    </div>
  );
}
