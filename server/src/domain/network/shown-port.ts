/** The port of a service that no domain names (decisions 5). */

/** Before a build has shown another. */
export const usualPort = 3000;

/**
 * What an image shows by the TCP ports that it exposes: a static site 80. Of several the usual one, else the
 * lowest; an image that exposes none is meant to listen where `PORT` says.
 */
export function portShownBy(exposed: readonly number[]): number {
  return exposed.length === 0 || exposed.includes(usualPort) ? usualPort : Math.min(...exposed);
}
