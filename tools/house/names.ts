import { basename } from 'node:path';

/** Words that say nothing about what a file holds (style: names). */
const empty = /(^|[-./])(utils?|helpers?|common|managers?|misc)(?=[-./]|$)/i;
/** Files whose name others decide. */
const given = /^(\.[a-z].*|[A-Z]+\.md|LICENSE|Dockerfile)$/;
const kebabCase = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)*$/;
/** A decision record is numbered, a router's page carries the router's name, which is the interface's. */
const namedByContent = /^docs\/reference\//;

/** One sentence per path that breaks the rules for names. */
export function nameFaults(paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    const name = basename(path);
    const [, , word] = empty.exec(path) ?? [];
    if (word !== undefined)
      return [`${path} is called "${word}", which says nothing. Name it for the one thing it holds.`];
    if (given.test(name) || namedByContent.test(path) || kebabCase.test(name)) return [];
    return [`${path} is not in kebab-case. Use small letters, digits and "-".`];
  });
}
