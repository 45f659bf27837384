/**
 * How the server of a kind runs: what its image is told, how its health is asked, what a client in the same
 * image says to it. Pure: texts and values, run elsewhere.
 */

/** What a record says of who may come in. */
export interface Credentials {
  databaseName: string | null;
  databaseUser: string | null;
  databasePassword: string;
  databaseRootPassword: string | null;
}

/** Who speaks to the server, with the image's own defaults where the record names nobody. */
export interface Login {
  user: string;
  password: string;
  database: string;
}

/**
 * A fixed text for `sh` in the server's container. Values come in as variables of it, never as a part of the
 * text, so that none is code and none stands in a list of processes.
 */
export interface Script {
  script: string;
  env: Record<string, string>;
}

/** What is started besides what the image does by itself. */
export interface StartInputs {
  args: readonly string[];
  replicaSets: boolean;
}

/** A password that is to be changed: of the database's user, or of the server's root. */
export type PasswordField = 'databasePassword' | 'databaseRootPassword';

export interface DatabaseServer {
  login(record: Credentials): Login;
  /** Variables from which the image makes the data at its first start; later starts keep the data's own. */
  env(record: Credentials): Record<string, string>;
  /**
   * Where the image keeps its data: the folder that the volume stands at. `major` is undefined when the image
   * does not tell it.
   */
  dataPath(major: number | undefined): string;
  /** Variables of the image that name its version, the first one that is there counts. */
  versionVariables: readonly string[];
  /** Arguments for the image's entrypoint; undefined: the image's own. */
  args(inputs: StartInputs): string[] | undefined;
  /** Asks whether the server takes requests. Run often, so no more than a ping. */
  probe: {
    /** The program that asks. */
    client: string;
    /** Lines for `sh` that succeed when it does. */
    look: string;
    /** Between two looks once the server was seen healthy. */
    everySeconds: number;
  };
  /**
   * Asks the server something as the record's user over the network, so that the password is really checked;
   * `name` is the service's own. Succeeds with an output that `version` understands.
   */
  query(record: Credentials & { replicaSets: boolean }, name: string): Script;
  /** The server's version in what `query` printed; undefined: it did not answer. */
  version(output: string): string | undefined;
  /**
   * Whether the server keeps this password at all: one of a user that the record does not name is the
   * record's alone.
   */
  keepsPassword(record: Credentials, field: PasswordField): boolean;
  /**
   * Copies everything of the server it runs beside into an empty server of a newer version, and compares
   * both; they are services of one network and have the same names and passwords. Prints what it copied as
   * its last line; any difference is a failure.
   */
  copyTo(record: Credentials, between: { source: string; target: string }): Script;
  /** Changes the password inside the running server. `record` has the present ones. */
  setPassword(record: Credentials, field: PasswordField, password: string): Script;
}

/** The server's own address on its network, where it asks everybody for a password. */
export const ownAddress = '"$(cat /etc/hostname)"';

/** A text of several lines. */
export const lines = (...text: string[]): string => text.join('\n');

/**
 * Ends a copy: `count` lists what a server has, each line with its number at the end; both servers must have
 * the same. Needs nothing but the shell, since images differ in what else they have.
 */
export const compare = (things: string, parts: string): string =>
  lines(
    'old=$(count "$source") && new=$(count "$TARGET") || exit 1',
    '[ "$old" = "$new" ] || { echo "The copy differs from its source." >&2; exit 1; }',
    'things=0; parts=0',
    'while IFS= read -r line; do [ -n "$line" ] || continue; things=$((things + 1)); parts=$((parts + ' +
      '${line##*[!0-9]})); done <<END',
    '$old',
    'END',
    `echo "$things ${things}, $parts ${parts}"; rm -rf "$work"`,
  );
