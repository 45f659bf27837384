/** What the program ends with; docs/guide/command-line.md lists them. */
export const exitCodes = { done: 0, refused: 1, wrongUsage: 2, unreachable: 3, interrupted: 130 } as const;
