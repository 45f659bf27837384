import { engineEnvironment, isDockerSetting, passVariables } from './step.ts';
import type { BuildPlan, BuildStep } from './step.ts';

/**
 * `docker build` with BuildKit. Every value stands behind `=` or is an absolute path, so that none can be an
 * option.
 */
export function dockerStep(plan: BuildPlan): BuildStep {
  const { args, env } = passVariables('--build-arg', plan.buildArguments, isDockerSetting);
  return {
    argv: [
      dockerOf(plan),
      'build',
      '--progress=plain',
      `--file=${plan.dockerfile?.path ?? `${plan.scratch}/Dockerfile`}`,
      `--tag=${plan.image}`,
      ...(plan.stage === undefined ? [] : [`--target=${plan.stage}`]),
      ...labelArguments(plan.labels),
      ...args,
      ...Object.entries(plan.secretFiles).map(
        ([name, file]) => `--secret=id=${name},${commaField(`src=${file}`)}`,
      ),
      ...(plan.noCache ? ['--no-cache'] : []),
      plan.context.path,
    ],
    env: { ...env, ...engineEnvironment(plan) },
  };
}

export function labelArguments(labels: Readonly<Record<string, string>>): string[] {
  return Object.entries(labels).map(([name, value]) => `--label=${name}=${value}`);
}

export function dockerOf(plan: BuildPlan): string {
  return plan.programs['docker'] ?? 'docker';
}

/** `--secret` reads its value as one line of comma-separated fields (RFC 4180). */
function commaField(text: string): string {
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
