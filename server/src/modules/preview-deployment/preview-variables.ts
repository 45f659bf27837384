/** The variables of a preview: which of its service's own it gets, and those of previews. Pure. */
import { formatEnv, parseEnv } from '../../domain/variables/dotenv.ts';
import { changedSecrets, mergedSecrets, secretNames } from '../../domain/variables/secret-env.ts';

/** The settings of an application or compose service that decide it. */
export interface VariableSettings {
  env: string;
  secretEnv: string;
  previewEnv: string | null;
  previewSecretEnv: string;
  previewInherits: string[];
}

/**
 * Of the service's own variables only those come along that `previewInherits` names; these and those of
 * previews only to pull requests whose author may write to the repository, so that no stranger's commit can
 * read them.
 */
export function previewVariables(
  settings: VariableSettings,
  { isTrusted, domain }: { isTrusted: boolean; domain: string },
): Pick<VariableSettings, 'env' | 'secretEnv'> {
  return {
    env: [
      domain === '' ? '' : formatEnv({ BERTH_PREVIEW_URL: domain }),
      isTrusted ? inheritedEnv(settings) : '',
      isTrusted ? (settings.previewEnv ?? '') : '',
    ].join(''),
    secretEnv: isTrusted ? inheritedSecrets(settings) : '',
  };
}

/** What a preview takes of its service's own variables, and names in the list that are none. */
export function inheritedNames({
  env,
  secretEnv,
  previewInherits,
}: Pick<VariableSettings, 'env' | 'secretEnv' | 'previewInherits'>): { taken: string[]; missing: string[] } {
  const own = new Set([...parseEnv(env), ...secretNames(secretEnv)].map(({ name }) => name));
  const wanted = [...new Set(previewInherits)];
  return { taken: wanted.filter((name) => own.has(name)), missing: wanted.filter((name) => !own.has(name)) };
}

/** With their references as they are written: those give what they give to the preview. */
function inheritedEnv({ env, previewInherits }: VariableSettings): string {
  const wanted = new Set(previewInherits);
  return formatEnv(
    Object.fromEntries(
      parseEnv(env)
        .filter(({ name }) => wanted.has(name))
        .map(({ name, value }) => [name, value]),
    ),
  );
}

/** Those of the service that it names, and over them those of previews. */
function inheritedSecrets({ secretEnv, previewSecretEnv, previewInherits }: VariableSettings): string {
  const wanted = new Set(previewInherits);
  const others = secretNames(secretEnv).flatMap(({ name }) => (wanted.has(name) ? [] : [name]));
  return mergedSecrets(
    changedSecrets(secretEnv, { remove: others }, { field: 'secretEnv', now: '' }),
    previewSecretEnv,
  );
}
