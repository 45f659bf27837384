/** The command line is not right; the sentence says how it should be. Exit code 2. */
export class UsageError extends Error {}
