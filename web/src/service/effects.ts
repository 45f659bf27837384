/** When a changed setting of a service takes effect. */

/** No part of a release: Berth itself goes by them. */
const atOnce: ReadonlySet<string> = new Set([
  'name',
  'description',
  'autoDeploy',
  'triggerType',
  'watchPaths',
]);

const isAtOnce = (name: string): boolean => atOnce.has(name);

export const needsDeployment = (names: readonly string[]): boolean => names.some((name) => !isAtOnce(name));

/** `isReleased`: something of it runs that a change could reach. */
export function effectOf(names: readonly string[], isReleased: boolean): string {
  if (!needsDeployment(names)) return 'Takes effect at once.';
  const deployed = isReleased ? 'the next deployment, which restarts what runs' : 'the first deployment';
  return names.some(isAtOnce)
    ? `Part of it takes effect at once, the rest with ${deployed}.`
    : `Takes effect with ${deployed}.`;
}
