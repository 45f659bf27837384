/** `${NAME}` in texts of templates. Pure. */
export const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Names that a text refers to. */
export const references = (text: string): string[] =>
  [...text.matchAll(reference)].map(([, name = '']) => name);
