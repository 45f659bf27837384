import { AppError } from './errors.ts';

/** Refusal of what needs a release of a service that has none. */
export const notDeployedYet = (name: string): AppError =>
  new AppError('PRECONDITION_FAILED', `${name} has not been deployed yet: deploy first.`);
