/** Which service of a berth.yml `berth deploy` means. */
import { nameFromFolder } from '../folder/what-it-is.ts';
import { UsageError } from '../usage-error.ts';
import { defaultEnvironment, type WholeFile } from './read-file.ts';

export interface OfFile {
  /** `project/environment/service`. */
  name: string;
  environment: string;
  /** As the file has it. */
  key: string;
  /** Its fields in the file. */
  fields: Readonly<Record<string, unknown>>;
}

/**
 * The one that was named, that the folder is linked to, the only one, the one called like the folder, or the
 * only one that says no source, which is thus the folder. Undefined for a name that is none of the file's;
 * throws UsageError where none was named and several may be meant.
 */
export function meantService(
  file: WholeFile,
  { written, linked, folder }: { written: string | undefined; linked: string | undefined; folder: string },
): OfFile | undefined {
  const all = deployable(file);
  const named = (text: string): OfFile | undefined => {
    const whole = all.find(({ name }) => name === text);
    const short = all.filter(({ key }) => text === key || text === `${file.project}/${key}`);
    return whole ?? short.find(({ environment }) => environment === defaultEnvironment) ?? short[0];
  };
  if (written !== undefined) return named(written);
  const usual = all.filter(({ environment }) => environment === defaultEnvironment);
  const candidates = usual.length > 0 ? usual : all;
  const called = nameFromFolder(folder);
  const meant =
    (linked === undefined ? undefined : named(linked)) ??
    only(candidates) ??
    candidates.find(({ key }) => key === called) ??
    only(candidates.filter(({ fields }) => fields['sourceType'] === undefined));
  if (meant) return meant;
  throw new UsageError(
    candidates.length === 0
      ? 'berth.yml has no application or compose service to deploy. `berth apply` does what it says.'
      : `Which service of berth.yml? Give one of ${candidates.map(({ key }) => key).join(', ')}. ` +
          '`berth apply` deploys all that differ.',
  );
}

function deployable({ project, environments }: WholeFile): OfFile[] {
  return Object.entries(environments).flatMap(([environment, { services = {} }]) =>
    Object.entries(services).flatMap(([key, fields]) => {
      const isDeployed = fields.kind === 'application' || fields.kind === 'compose';
      return isDeployed && fields['deploy'] !== false
        ? [{ name: `${project}/${environment}/${key}`, environment, key, fields }]
        : [];
    }),
  );
}

function only<T>(items: readonly T[]): T | undefined {
  return items.length === 1 ? items[0] : undefined;
}
