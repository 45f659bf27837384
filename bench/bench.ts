/** What a group has to measure with. */
export interface Bench {
  /** The repository. */
  root: string;
  /** A folder of this run's own, removed at its end. */
  folder: string;
  /** Tells on standard error what is under way. */
  say(text: string): void;
}
