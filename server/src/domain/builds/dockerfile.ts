/** Lines of Dockerfiles: what the BuildKit of Docker 20.10 knows, so that no frontend has to be fetched. */

export interface RunOptions {
  /** Folders that stay in the builder's cache from one build to the next. */
  caches?: readonly string[] | undefined;
  /** Names of build secrets, which the command finds as variables. */
  secrets?: readonly string[] | undefined;
}

/** A RUN instruction; `command` is shell text of Berth's own tables, `quoted` where it holds a name. */
export function runLine(command: string, { caches = [], secrets = [] }: RunOptions = {}): string {
  const mounts = [
    ...caches.map((target) => `--mount=type=cache,target=${target}`),
    ...secrets.map((name) => `--mount=type=secret,id=${name}`),
  ];
  const variables = secrets.map((name) => `export ${name}="$(cat /run/secrets/${name})"`);
  const parts = [...mounts, [...variables, command].join(' && ')];
  return `RUN ${parts.join(mounts.length > 1 || secrets.length > 0 ? ' \\\n    ' : ' ')}`;
}

/** CMD in the exec form: no shell stands between the engine's signals and the program. */
export const cmdLine = (words: readonly string[]): string => `CMD [${words.map(inJson).join(', ')}]`;

/** COPY; in the JSON form where a path has a space. */
export function copyLine(paths: readonly string[], target: string, options = ''): string {
  const words = [...paths, target];
  const list = words.some((word) => /[\s"\\$[\]]/.test(word))
    ? `[${words.map(inJson).join(', ')}]`
    : words.join(' ');
  return `COPY ${options === '' ? '' : `${options} `}${list}`;
}

/** Debian packages, without the lists that brought them. */
export function aptLine(packages: readonly string[]): string {
  return (
    'RUN apt-get update \\\n' +
    ` && apt-get install --yes --no-install-recommends ${packages.join(' ')} \\\n` +
    ' && rm -rf /var/lib/apt/lists/*'
  );
}

/** A user without rights, for images that bring none. */
export const userLine = 'RUN useradd --system --create-home --uid 10001 app';

/**
 * The folder that the program begins in, which its user may write to, such as for a database in a file: the
 * builder makes it as root, and COPY with an owner leaves a folder as it is.
 */
export function workFolder(folder: string, user: string, root = folder): string {
  const folders = root === folder ? folder : `${root} ${quoted(folder)}`;
  return `WORKDIR ${folder}\nRUN chown ${user}:${user} ${folders}`;
}

/** A word of a shell, whatever it holds. */
export const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

/** Variables of the build, which reach every RUN after them. */
export const argLines = (names: readonly string[]): string[] => names.map((name) => `ARG ${name}`);

/** The text of a Dockerfile; an empty list between two stages is an empty line. */
export function dockerfileOf(title: string, ...stages: readonly (readonly (string | undefined)[])[]): string {
  const texts = stages.map((lines) => lines.filter((line) => line !== undefined).join('\n'));
  return `# ${title.replaceAll(/\s+/g, ' ')}\n${texts.join('\n\n')}\n`;
}

/** The Dockerfile with other base images. */
export function withImages(dockerfile: string, images: ReadonlyMap<string, string>): string {
  return dockerfile.replaceAll(
    /^FROM (\S+)/gm,
    (_line, image: string) => `FROM ${images.get(image) ?? image}`,
  );
}

/** Dollar signs stay as they are in a JSON form of CMD and COPY. */
function inJson(word: string): string {
  return JSON.stringify(word);
}
