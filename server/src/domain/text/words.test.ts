import { describe, expect, it } from 'vitest';
import { splitWords } from './words.ts';

describe('splitWords', () => {
  it.each([
    ['node server.js', ['node', 'server.js']],
    ['  sh  -c "echo $HOME; id" ', ['sh', '-c', 'echo $HOME; id']],
    [`a 'b c' d\\ e "f\\"g" ''`, ['a', 'b c', 'd e', 'f"g', '']],
    ['x;y && $(z) > /w', ['x;y', '&&', '$(z)', '>', '/w']],
    ['"a"b\'c\'', ['abc']],
    ['"\\n"', ['\\n']],
    ['', []],
  ])('%j', (text, words) => {
    expect(splitWords(text, 'command')).toEqual(words);
  });

  it('refuses an open quote', () => {
    expect(() => splitWords('echo "a', 'command')).toThrow(/command: has a " that does not end/);
  });
});
