/** Ending of an object that is incomplete or not verified yet; such an object is never listed as a backup. */
export const unfinishedEnding = '.part';
