/** What a service of a compose file gets as its environment. */
import { badField } from '../../../domain/errors.ts';
import { lookUpIn, readEnvFile, readRawEnvFile } from '../../../domain/variables/env-expansion.ts';
import type { PlannedService } from './plan.ts';

export interface EnvironmentSource {
  /** Input that the file came from, for errors. */
  field: string;
  /** Variables of the compose, references put in. */
  variables: Readonly<Record<string, string>>;
  /** The text of an env file; undefined where there is none. `where` is its key in the compose file. */
  textOf(path: string, where: string): Promise<string | undefined>;
  /** Ends the sentence about a file that is not there. */
  missing(path: string): string;
}

/**
 * Reads the env files first, where a later one wins, and then `environment`, which wins over all of them.
 * BAD_REQUEST for a file that has to be there and is not, and for what no program can be given.
 */
export async function environmentOf(
  { name, envFiles, environment }: Pick<PlannedService, 'name' | 'envFiles' | 'environment'>,
  { field, variables, textOf, missing }: EnvironmentSource,
): Promise<Record<string, string>> {
  const env: Record<string, string> = {};
  for (const { path, required, format } of envFiles) {
    const where = `services.${name}.env_file`;
    const text = await textOf(path, where);
    if (text === undefined && required) throw badField(field, `${where}: ${missing(path)}`);
    if (text === undefined) continue;
    const at = `${where}: ${path}`;
    const found =
      format === 'raw' ? readRawEnvFile(text, at) : readEnvFile(text, at, lookUpIn(variables), lookUpIn(env));
    Object.assign(env, Object.fromEntries(found));
  }
  for (const [key, value] of environment) {
    const given = value ?? variables[key];
    if (given === undefined) delete env[key];
    else env[key] = given;
  }
  for (const [key, value] of Object.entries(env))
    if (/[=\0]/.test(key) || key === '' || value.includes('\0'))
      throw badField(
        field,
        `services.${name}.environment: ${JSON.stringify(key.slice(0, 60))} cannot be given to a program`,
      );
  return env;
}
