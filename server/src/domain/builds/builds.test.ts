import { describe, expect, test } from 'vitest';
import { samples } from '../../../../test/sample-apps/samples.ts';
import type { Sample } from '../../../../test/sample-apps/sample.ts';
import { isRead, planOwnBuild } from './builds.ts';
import type { OwnBuild } from './own-build.ts';

const staticImage = 'caddy:2';

function planOf(sample: Omit<Sample, 'name' | 'dockerfile' | 'port'>): ReturnType<typeof planOwnBuild> {
  const entries = Object.entries(sample.files);
  return planOwnBuild({
    files: {
      paths: new Set(Object.keys(sample.files)),
      texts: new Map(entries.filter(([path]) => isRead(path))),
    },
    folder: sample.folder ?? '',
    publishDirectory: sample.publishDirectory,
    isSinglePage: sample.isSinglePage ?? false,
    variables: sample.variables ?? [],
    secrets: sample.secrets ?? [],
    staticImage,
  });
}

function ownOf(sample: Parameters<typeof planOf>[0]): OwnBuild {
  const plan = planOf(sample);
  if (plan === undefined || 'refusal' in plan) throw new Error(plan?.refusal ?? 'no language');
  return plan;
}

/** Without the settings of the static server, which are the same for every site. */
const shown = (dockerfile: string): string =>
  dockerfile.replaceAll(/printf '%s\\n' .* > \/etc\/caddy\/Caddyfile/g, '… > /etc/caddy/Caddyfile');

describe('each sample gets the Dockerfile that a person approved', () => {
  test.each(samples)('$name', (sample) => {
    const plan = ownOf(sample);
    expect(shown(plan.dockerfile)).toBe(sample.dockerfile);
    expect(plan.port).toBe(sample.port);
    expect(plan.framework).toBe(sample.framework);
    expect(plan.watchPaths).toEqual(sample.watchPaths ?? []);
  });
});
