import { useId, type ReactElement } from 'react';
import { TextField } from '../form/text-field.tsx';
import type { Values } from './make.ts';

/** Where it stands; who has no project yet names the first. */
export function Place({
  places,
  values,
  onEdit,
}: {
  places: readonly { value: string; label: string }[];
  values: Values;
  onEdit: (change: Partial<Values>) => void;
}): ReactElement {
  const id = useId();
  if (places.length === 0)
    return (
      <TextField label="Project" required value={values.project} onEdit={(project) => onEdit({ project })} />
    );
  return (
    <div className="field">
      <label htmlFor={id}>Environment</label>
      <select
        id={id}
        className="input"
        value={values.environmentId}
        onChange={(event) => onEdit({ environmentId: event.target.value })}
      >
        {places.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </div>
  );
}
