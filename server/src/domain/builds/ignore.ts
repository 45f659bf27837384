/** What of a source no build needs to see. */
import type { Folder } from './source-files.ts';

const always = ['**/.git', '**/.DS_Store', '**/.env.local', '**/.env.*.local'];

/** The source's own rules, then what is made again by the build. */
export function dockerignoreOf(root: Folder, made: readonly string[]): string {
  const own = (root.text('.dockerignore') ?? '').trim();
  return `${[...(own === '' ? [] : [own]), ...always, ...made].join('\n')}\n`;
}
