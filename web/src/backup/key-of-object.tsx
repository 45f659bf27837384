import type { ReactElement } from 'react';
import { TextField } from '../form/text-field.tsx';
import { texts } from './texts.ts';

interface PrivateKeyProps {
  value: string;
  onEdit: (value: string) => void;
}

export const PrivateKey = ({ value, onEdit }: PrivateKeyProps): ReactElement => (
  <TextField label={texts.askKey} type="password" autoComplete="off" value={value} onEdit={onEdit} />
);

/** Asked for with names that encrypted backups have. */
export const KeyOfObject = ({ path, ...field }: PrivateKeyProps & { path: string }): ReactElement | null =>
  path.endsWith('.age') ? <PrivateKey {...field} /> : null;

export const givenKey = (identity: string): { identity?: string } =>
  identity.trim() === '' ? {} : { identity: identity.trim() };
