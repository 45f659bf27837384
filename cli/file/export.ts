/** A project as the text of a berth.yml; applying it changes nothing. */
import { stringify } from 'yaml';
import { canonical, defaultOf, listRows, type Fields } from './kinds.ts';
import type { Installed, InstalledEnvironment, InstalledService } from './installed.ts';

export interface Exported {
  text: string;
  /** What could not be written, a sentence each. */
  notes: string[];
}

/** `isWhole`: settings that nobody changed stand in it, too. */
export function exportFile(installed: Installed, schema: string, isWhole: boolean): Exported {
  const notes: string[] = [];
  const { name, description, baseDomain, variables, environments } = installed;
  const note = (what: string): void =>
    void notes.push(`The variables of ${what} are not in the form NAME=value; they are left out.`);
  if (!variables) note(`the project ${name}`);
  const content = {
    project: name,
    ...(description === '' ? {} : { description }),
    ...(baseDomain === null ? {} : { baseDomain }),
    ...variablesField(variables),
    environments: Object.fromEntries(
      environments
        .toSorted((one, other) => Number(other.isDefault) - Number(one.isDefault))
        .map((environment) => [environment.name, environmentFields(environment, isWhole, note)]),
    ),
  };
  return {
    text: `# yaml-language-server: $schema=${schema}\n${stringify(content, { lineWidth: 0 })}`,
    notes,
  };
}

function environmentFields(
  { name, description, variables, services }: InstalledEnvironment,
  isWhole: boolean,
  note: (what: string) => void,
): Fields {
  if (!variables) note(`the environment ${name}`);
  return {
    ...(description === '' ? {} : { description }),
    ...variablesField(variables),
    services: Object.fromEntries(
      services.toReversed().map((service) => {
        if (!service.variables) note(`${name}/${service.key}`);
        return [service.key, serviceFields(service, isWhole)];
      }),
    ),
  };
}

function serviceFields(service: InstalledService, isWhole: boolean): Fields {
  const { kind, key, name, appName, settings, variables, secretNames, lists, run } = service;
  const isUsual = (field: string, value: unknown): boolean =>
    !isWhole && canonical(value) === canonical(defaultOf(kind, field) ?? (value === false ? false : null));
  return {
    kind,
    ...(key === name ? {} : { name }),
    ...(isWhole ? { appName } : {}),
    ...(run.isReleased && !run.isStopped ? {} : { deploy: false }),
    ...Object.fromEntries(Object.entries(settings).filter(([field, value]) => !isUsual(field, value))),
    ...variablesField(variables, secretNames),
    ...Object.fromEntries(
      listRows.flatMap((row) => {
        const entries = lists.get(row.list) ?? [];
        if (entries.length === 0) return [];
        const written = entries.map(({ fields }) =>
          Object.fromEntries(
            Object.entries(fields).filter(
              ([field, value]) =>
                canonical(value) !== canonical(row.usual[field] ?? null) &&
                (field !== 'certificateType' || fields['https'] === true) &&
                // Another database under the same name begins in a folder of its own.
                (row.list !== 'recovery' || field !== 'prefix' || value !== appName),
            ),
          ),
        );
        return [[row.list, row.single ? written[0] : written]];
      }),
    ),
  };
}

function variablesField(
  variables: ReadonlyMap<string, string> | undefined,
  secretNames: readonly string[] = [],
): Fields {
  if (!variables || variables.size + secretNames.length === 0) return {};
  return {
    variables: Object.fromEntries([
      ...variables,
      ...secretNames.map((name) => [name, { secret: true }] as const),
    ]),
  };
}
