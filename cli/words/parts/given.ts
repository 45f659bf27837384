/** What was given to a word, taken apart. */

export type OptionValue = string | boolean | readonly string[] | undefined;

export interface Given {
  args: readonly string[];
  /** What stood behind `--`; undefined without one. */
  rest: readonly string[] | undefined;
  options: Readonly<Record<string, OptionValue>>;
}
