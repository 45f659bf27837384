/** Names of the engine that a compose service holds: nobody else is given one (decisions 4). */
import { composeServiceName } from '../../domain/names/names.ts';
import type { ComposeRecord } from '../../db/tables.ts';

export interface HeldNames {
  names: (string | null)[];
  /** Whatever begins with one of these and `_` is its, too. */
  stems: (string | null)[];
}

type Named = Pick<
  ComposeRecord,
  'appName' | 'releasedAppName' | 'releasedServices' | 'sourceType' | 'composeFile' | 'randomize' | 'suffix'
>;

/**
 * Its own name, what is released of it, and what its next release will be called: the services of a file in
 * its record, or these, which a deployment found in a repository.
 */
export async function heldNames(compose: Named, found: readonly string[] = []): Promise<HeldNames> {
  const { appName, releasedAppName, releasedServices, sourceType, composeFile } = compose;
  const own = sourceType === 'raw' && composeFile !== '' ? await servicesIn(composeFile) : [];
  const stems = [appName, releasedAppName];
  return {
    stems,
    names: [
      ...stems,
      ...Object.values(releasedServices ?? {}),
      ...[...own, ...found].map((service) => nextName(compose, service)),
    ],
  };
}

async function servicesIn(composeFile: string): Promise<string[]> {
  // The parser is loaded where a file is read: it costs 6 MB.
  const { parseComposeFile } = await import('./compose-file.ts');
  return [...parseComposeFile(composeFile).services.keys()];
}

/** What the engine will call a service at the next release. */
export function nextName(
  { appName, randomize, suffix }: Pick<ComposeRecord, 'appName' | 'randomize' | 'suffix'>,
  service: string,
): string {
  return composeServiceName(appName, service, randomize ? suffix : '');
}
