/** Changes the environment file that starts Berth. */
import { formatEnvironment, parseEnvironment } from './environment-file.ts';
import type { Layout } from '../layout.ts';
import { readText, writePrivate } from '../record.ts';

/** Variables kept from last time; an empty table on a machine without Berth. */
export function keptEnvironment(layout: Layout): Record<string, string> {
  return parseEnvironment(readText(layout.environment) ?? '');
}

export function keepEnvironment(layout: Layout, variables: Readonly<Record<string, string>>): void {
  writePrivate(layout.environment, formatEnvironment(variables));
}
