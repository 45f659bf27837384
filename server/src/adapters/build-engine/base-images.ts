/**
 * The images that a Dockerfile seems to begin from, so that those which only this host has can be brought to
 * the builder. Nothing depends on it but the build's success: what is not found here is pulled by the
 * builder, or missing.
 */

/**
 * References as they stand in FROM, COPY --from and mounts, arguments put in, stages left out; and the image
 * of the frontend, which reads the Dockerfile in BuildKit's place.
 */
export function baseImages(dockerfile: string, given: Readonly<Record<string, string>>): string[] {
  const stages = new Set<string>();
  const values: Record<string, string> = {};
  const found = new Set<string>();
  const note = (text: string): void => {
    const reference = substituted(text.replaceAll(/^["']|["']$/g, ''), values);
    const isStage = stages.has(reference.toLowerCase()) || /^\d+$/.test(reference);
    if (reference !== '' && reference !== 'scratch' && !isStage) found.add(reference);
  };
  for (const frontend of frontends(dockerfile, given)) found.add(frontend);
  for (const line of dockerfile.replaceAll(/\\[ \t]*\r?\n/g, ' ').split(/\r?\n/)) {
    const [, word = '', rest = ''] = /^\s*([A-Za-z]+)\s+(.*)$/.exec(line) ?? [];
    const instruction = word.toUpperCase();
    if (instruction === 'ARG') takeArguments(rest, given, values);
    if (instruction === 'FROM') {
      const [image = '', , stage] = rest
        .replaceAll(/--\S+\s+/g, '')
        .trim()
        .split(/\s+/);
      note(image);
      if (stage !== undefined) stages.add(stage.toLowerCase());
    }
    if (instruction === 'COPY' || instruction === 'ADD' || instruction === 'RUN')
      for (const [, image = ''] of rest.matchAll(/(?:^|\s)--(?:from=|mount=\S*\bfrom=)([^\s,]+)/g))
        note(image);
  }
  return [...found];
}

/** One comes before another; which, depends on BuildKit's version, so both count. */
function frontends(dockerfile: string, given: Readonly<Record<string, string>>): string[] {
  const named = [given['BUILDKIT_SYNTAX'], directive(dockerfile)];
  // What follows the image is its command line.
  return named.flatMap((text) => text?.trim().split(/\s+/)[0] || []);
}

/**
 * `syntax` among the directives, the comments that a Dockerfile begins with; also as newer frontends take it
 * (BuildKit, frontend/dockerfile/parser/directives.go): after a shebang, behind `//`, or of a JSON file.
 */
function directive(dockerfile: string): string | undefined {
  const lines = dockerfile.replace(/^\uFEFF/, '').split(/\r?\n/);
  if (lines[0]?.startsWith('#!')) lines.shift();
  for (const line of lines) {
    const [, name = '', value] = /^\s*(?:#|\/\/)\s*([A-Za-z][A-Za-z0-9]*)\s*=\s*(.+?)\s*$/.exec(line) ?? [];
    if (value === undefined) break;
    if (name.toLowerCase() === 'syntax') return value;
  }
  return /^\s*\{[^]*?"syntax"\s*:\s*"([^"]+)"/.exec(dockerfile)?.[1];
}

function takeArguments(
  text: string,
  given: Readonly<Record<string, string>>,
  values: Record<string, string>,
): void {
  for (const [, name = '', value] of text.matchAll(/([A-Za-z_][A-Za-z0-9_]*)(?:=("[^"]*"|'[^']*'|\S*))?/g)) {
    const own = value?.replaceAll(/^["']|["']$/g, '');
    const chosen = given[name] ?? (own === undefined ? undefined : substituted(own, values));
    if (chosen !== undefined) values[name] = chosen;
  }
}

function substituted(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(
    /\$(?:\{([A-Za-z_][A-Za-z0-9_]*)(?::?-([^}]*))?\}|([A-Za-z_][A-Za-z0-9_]*))/g,
    (_all, braced: string | undefined, fallback: string | undefined, plain: string | undefined) =>
      values[braced ?? plain ?? ''] ?? fallback ?? '',
  );
}
