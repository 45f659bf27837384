/** A folder served by Caddy: the Dockerfile and the settings are Berth's own. */
import { staticStage } from '../../domain/builds/static-server.ts';
import type { BuildPlan } from './step.ts';

export const staticSite = {
  files: (plan: BuildPlan): Record<string, string> => ({
    Dockerfile: `${staticStage(plan.staticImage, { singlePage: plan.singlePage }).join('\n')}\n`,
    'Dockerfile.dockerignore': ignored,
  }),
  /** The build of that Dockerfile; nothing of the source's own Dockerfile settings applies. */
  plan: (plan: BuildPlan): BuildPlan => ({
    ...plan,
    dockerfile: undefined,
    stage: undefined,
    buildArguments: {},
    secretFiles: {},
  }),
};

/** Never published, also when the whole repository is. */
const ignored = [
  '**/.git',
  '**/.gitignore',
  '**/.env',
  '**/.env.*',
  '**/.dockerignore',
  '**/.DS_Store',
  '',
].join('\n');
