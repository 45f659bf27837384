/** Variables that a build of Berth's own builder gets as build arguments. */
import { argumentNamePattern } from '../../domain/names/names.ts';
import type { BuildRequest } from '../../ports/engine/builder.ts';
import { isDockerSetting } from './step.ts';

/** Those that the Dockerfile sets itself, or that mean something else while it builds. */
const ofTheDockerfile = new Set(['NODE_ENV', 'PORT', 'HOST', 'HOSTNAME', 'CI']);

/**
 * The build arguments of the service, and its variables whose names a build can take: a Vite or Next.js build
 * puts them into its pages. Secret variables are not among them.
 */
export function variablesOf({
  env,
  buildArguments,
}: Pick<BuildRequest, 'env' | 'buildArguments'>): Record<string, string> {
  const taken = Object.entries(env).filter(
    ([name]) => argumentNamePattern.test(name) && !isDockerSetting(name) && !ofTheDockerfile.has(name),
  );
  return { ...Object.fromEntries(taken), ...buildArguments };
}
