/**
 * Builds by programs that find out by themselves how a source is built. They get the variables, and find
 * docker first in their PATH.
 */
import { dirname } from 'node:path';
import { standardPath } from '../../shell/command.ts';
import { dockerOf, labelArguments } from './docker-step.ts';
import { engineEnvironment, isProgramSetting, passVariables } from './step.ts';
import type { BuildPlan, BuildStep } from './step.ts';

/** nixpacks build, which runs `docker build` in the end. */
export function nixpacksStep(plan: BuildPlan): BuildStep {
  const { args, env } = passVariables('--env', plan.env, isProgramSetting);
  return {
    argv: [
      programOf(plan, 'nixpacks'),
      'build',
      plan.directory.path,
      `--name=${plan.image}`,
      ...labelArguments(plan.labels),
      ...args,
      ...(plan.noCache ? ['--no-cache'] : []),
    ],
    env: { ...env, ...environment(plan) },
  };
}

/**
 * The BuildKit that Railpack speaks to: a container of the builder, within its walls and limits. It may be
 * there already.
 */
export function buildKitSteps(plan: BuildPlan): BuildStep[] {
  const env = engineEnvironment(plan);
  const create = ['create', '--name=buildkit', '--privileged', '--userns=host', 'moby/buildkit:latest'];
  return [
    { argv: [dockerOf(plan), ...create], env, mayFail: true },
    { argv: [dockerOf(plan), 'start', 'buildkit'], env },
  ];
}

/** railpack build, which needs a BuildKit daemon of its own. */
export function railpackStep(plan: BuildPlan): BuildStep {
  const { args, env } = passVariables('--env', plan.env, isProgramSetting);
  return {
    argv: [
      programOf(plan, 'railpack'),
      'build',
      `--name=${plan.image}`,
      '--progress=plain',
      ...args,
      ...(plan.noCache ? [`--cache-key=${plan.image}`] : []),
      plan.directory.path,
    ],
    env: { ...env, ...environment(plan), BUILDKIT_HOST: 'docker-container://buildkit' },
  };
}

/** pack build with this builder image, which runs each phase as a container. */
export function buildpacksStep(plan: BuildPlan, builder: string): BuildStep {
  const { args, env } = passVariables('--env', plan.env, isProgramSetting);
  return {
    argv: [
      programOf(plan, 'pack'),
      'build',
      plan.image,
      `--path=${plan.directory.path}`,
      `--builder=${builder}`,
      '--pull-policy=if-not-present',
      ...args,
      ...(plan.noCache ? ['--clear-cache'] : []),
    ],
    env: { ...env, ...environment(plan) },
  };
}

/** Adds the labels to the image that was just built; it copies nothing. */
export function labelStep(plan: BuildPlan): BuildStep {
  return {
    argv: [
      dockerOf(plan),
      'build',
      '--progress=plain',
      `--file=${plan.scratch}/Dockerfile.label`,
      `--tag=${plan.image}`,
      ...labelArguments(plan.labels),
      `${plan.scratch}/empty`,
    ],
    env: engineEnvironment(plan),
  };
}

function programOf(plan: BuildPlan, name: string): string {
  return plan.programs[name] ?? name;
}

function environment(plan: BuildPlan): Record<string, string> {
  return { ...engineEnvironment(plan), PATH: `${dirname(dockerOf(plan))}:${standardPath}` };
}
