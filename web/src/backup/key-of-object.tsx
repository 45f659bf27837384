import type { ReactElement } from 'react';
import { TextField } from '../form/text-field.tsx';
import { texts } from './texts.ts';

interface KeyOfObjectProps {
  path: string;
  value: string;
  onEdit: (value: string) => void;
}

/** Asked for with names that encrypted backups have. */
export const KeyOfObject = ({ path, value, onEdit }: KeyOfObjectProps): ReactElement | null =>
  path.endsWith('.age') ? (
    <TextField label={texts.askKey} type="password" autoComplete="off" value={value} onEdit={onEdit} />
  ) : null;

export const givenKey = (identity: string): { identity?: string } =>
  identity.trim() === '' ? {} : { identity: identity.trim() };
