/** The build types: what each needs and which commands make the image. A further one is a further row. */
import type { BuildType } from '../../domain/build-type.ts';
import { buildKitSteps, buildpacksStep, labelStep, nixpacksStep, railpackStep } from './buildpack-steps.ts';
import { dockerStep } from './docker-step.ts';
import { staticSite } from './static-site.ts';
import type { BuildPlan, BuildStep } from './step.ts';

export interface BuilderRow {
  /** Program beside docker; undefined when docker alone does it. */
  program: { name: string; install: string } | undefined;
  /** Files put into the build's private folder before it begins: name → text. */
  files(plan: BuildPlan): Record<string, string>;
  /** The commands, in their order. */
  steps(plan: BuildPlan): readonly BuildStep[];
}

const noFiles = () => ({});
/** Buildpacks and Railpack cannot label an image; a second build that only adds labels does. */
const labelFile = (plan: BuildPlan) => ({ 'Dockerfile.label': `FROM ${plan.image}\n` });
const pack = {
  name: 'pack',
  install: 'install the pack CLI of Cloud Native Buildpacks (buildpacks.io) into /usr/local/bin',
};

export const builders = {
  dockerfile: { program: undefined, files: noFiles, steps: (plan) => [dockerStep(plan)] },
  static: {
    program: undefined,
    files: staticSite.files,
    steps: (plan) => [dockerStep(staticSite.plan(plan))],
  },
  own: {
    program: undefined,
    files: ({ own }) => ({
      Dockerfile: own?.dockerfile ?? '',
      'Dockerfile.dockerignore': own?.dockerignore ?? '',
    }),
    steps: (plan) => [dockerStep({ ...plan, dockerfile: undefined, stage: undefined })],
  },
  nixpacks: {
    program: { name: 'nixpacks', install: 'install it from nixpacks.com into /usr/local/bin' },
    files: noFiles,
    steps: (plan) => [nixpacksStep(plan)],
  },
  railpack: {
    program: {
      name: 'railpack',
      install:
        'install it from railpack.com into /usr/local/bin; it also needs the image moby/buildkit:latest',
    },
    files: labelFile,
    steps: (plan) => [...buildKitSteps(plan), railpackStep(plan), labelStep(plan)],
  },
  heroku_buildpacks: {
    program: pack,
    files: labelFile,
    steps: (plan) => [buildpacksStep(plan, 'heroku/builder:24'), labelStep(plan)],
  },
  paketo_buildpacks: {
    program: pack,
    files: labelFile,
    steps: (plan) => [buildpacksStep(plan, 'paketobuildpacks/builder-jammy-full'), labelStep(plan)],
  },
} satisfies Record<ChosenType, BuilderRow>;

/** What builds in the end: one of the build types, or Berth's own builder, which `auto` leads to. */
export type ChosenType = Exclude<BuildType, 'auto'> | 'own';
