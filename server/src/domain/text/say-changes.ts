/** The same words once in a row: a server that refuses does so every few seconds. */
export function sayChanges(say: (words: string) => void): (words: string) => void {
  let last = '';
  return (words) => {
    if (words !== last) say(words);
    last = words;
  };
}
