/**
 * How each bundle is made: an import that leads nowhere stops it. Rolldown would leave the import in the
 * bundle and succeed, and the program would not start where it is installed.
 */
import type { InputOptions } from 'rolldown';

export const strict = {
  logLevel: 'warn',
  onLog: (level, log, handle) => handle(log.code === 'UNRESOLVED_IMPORT' ? 'error' : level, log),
} satisfies InputOptions;
