/** The kinds of a new thing as cards, each with what it is for: one is chosen before its fields are shown. */
import { useId, type ReactElement } from 'react';

export interface KindOption {
  value: string;
  label: string;
  about?: string | undefined;
}

export function KindCards({
  name,
  label,
  options,
  value,
  onEdit,
}: {
  name: string;
  label: string;
  options: readonly KindOption[];
  value: string;
  onEdit: (value: string) => void;
}): ReactElement {
  const id = useId();
  return (
    <fieldset className="field" data-field={name}>
      <legend className="mb-1.5 text-13 font-medium">{label}</legend>
      <div className="kinds">
        {options.map((one) => (
          <label key={one.value} className="kind">
            <input
              type="radio"
              name={id}
              value={one.value}
              aria-label={one.label}
              aria-describedby={one.about ? `${id}-${one.value}` : undefined}
              checked={value === one.value}
              onChange={() => onEdit(one.value)}
            />
            <span className="min-w-0">
              <span className="block font-medium">{one.label}</span>
              {one.about && (
                <span id={`${id}-${one.value}`} className="block text-12 text-faint">
                  {one.about}
                </span>
              )}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
