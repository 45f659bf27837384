import type { ReactElement } from 'react';
import { Go } from '../frame/link.tsx';

/** Stands where backups have nowhere to go yet. */
export const AddDestination = (): ReactElement => (
  <Go to="/settings/destinations" className="button">
    Add a destination
  </Go>
);
