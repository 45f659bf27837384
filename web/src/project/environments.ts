/** The environments of a project as its pages show them: production first, and the one the address names. */
export function environmentsOf<E extends { environmentId: string; name: string }>(
  all: readonly E[],
  wanted: string | undefined,
): { environments: readonly E[]; environment: E | undefined } {
  const environments = all.toSorted((left, right) => rank(left) - rank(right));
  const named = environments.find(({ environmentId }) => environmentId === wanted);
  return { environments, environment: named ?? environments[0] };
}

const rank = ({ name }: { name: string }): number => (name === 'production' ? 0 : 1);
