/** Syntax of Dockerfiles that an older BuildKit, such as that of Docker 20.10, lacks. Pure. */

const newer = [
  { what: 'a here-document', pattern: /^\s*(?:RUN|COPY|ADD)\s.*(?<!<)<<-?["']?[A-Za-z_]/i },
  { what: 'RUN --network', pattern: /^\s*RUN\s(?:.*\s)?--network=/i },
  { what: 'a secret in a variable', pattern: /^\s*RUN\s(?:.*\s)?--mount=\S*type=secret\S*,env=/i },
] as const;

/** Lines that patterns look at, and how long each may be. */
const mostLines = 5000;
const longestLine = 1000;

/**
 * Sentence of the first use, with its line and the way out; undefined where there is none, and where the
 * Dockerfile names its own frontend.
 */
export function newerSyntax(dockerfile: string): string | undefined {
  const lines = dockerfile.split('\n', mostLines).map((line) => line.slice(0, longestLine));
  const head = lines.slice(0, 20);
  if (head.some((line) => /^\uFEFF?#\s*syntax\s*=/i.test(line))) return undefined;
  for (const [index, line] of lines.entries())
    for (const { what, pattern } of newer)
      if (pattern.test(line))
        return (
          `Line ${index + 1} of the Dockerfile uses ${what}, which an engine like Docker 20.10 does not ` +
          'know by itself: write "# syntax=docker/dockerfile:1" as the first line, for which a registry ' +
          'has to answer, or write it without.'
        );
  return undefined;
}
