/**
 * Paths of a compose file. Apart from the services, so that whoever needs only these does not load YAML with
 * them. Pure.
 */
import { posix } from 'node:path';
import { fault, type Place } from './values.ts';

/** A path of the file as one below the root of the repository; out of it leads none. */
export function inFolder(folder: string, path: string, place: Place): string {
  const whole = posix.join(folder, path);
  if (posix.isAbsolute(path) || whole === '..' || whole.startsWith('../'))
    throw fault(place, `leads to ${path.slice(0, 100)}, out of the repository`);
  return whole === '.' ? '' : whole;
}
