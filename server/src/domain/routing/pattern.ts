/** One regular expression out of alternatives; their own flags do not count. */
export function anyOf(alternatives: readonly RegExp[], flags = ''): RegExp {
  return new RegExp(alternatives.map(({ source }) => source).join('|'), flags);
}
