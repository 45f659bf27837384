/** Which lines of a file ran, from what V8 says of its functions and blocks. */
import { z } from 'zod';

const range = z.object({ startOffset: z.number(), endOffset: z.number(), count: z.number() });
const script = z.object({
  url: z.string(),
  functions: z.array(z.object({ ranges: z.array(range) })),
});
/** What Node writes to NODE_V8_COVERAGE. */
export const coverageFile = z.looseObject({ result: z.array(script) });
export type Script = z.infer<typeof script>;

/**
 * For each line with code on it, whether any process ran it. Types are taken out of our files in place, so
 * V8's offsets are the file's own.
 */
export function linesRun(source: string, runs: readonly Script[]): boolean[] {
  const starts = lineStarts(source);
  const ran = starts.map(() => false);
  for (const { functions } of runs) {
    const counts = new Int32Array(source.length);
    // An inner range says more than the outer one before it.
    for (const { ranges } of functions)
      for (const { startOffset, endOffset, count } of ranges) counts.fill(count, startOffset, endOffset);
    for (const [line, from] of starts.entries()) {
      const at = firstCode(source, from, starts[line + 1] ?? source.length);
      if (at !== undefined && (counts[at] ?? 0) > 0) ran[line] = true;
    }
  }
  return codeLines(source, starts).map((line) => ran[line] ?? false);
}

function lineStarts(source: string): number[] {
  const starts = [0];
  for (let at = source.indexOf('\n'); at >= 0; at = source.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

const firstCode = (source: string, from: number, to: number): number | undefined => {
  const offset = source.slice(from, to).search(/\S/);
  return offset < 0 ? undefined : from + offset;
};

/** Lines inside of functions and constants, without comments, brackets alone, imports and types. */
function codeLines(source: string, starts: readonly number[]): number[] {
  const lines = source.split('\n');
  let isSkipped = '';
  return starts.flatMap((_, index) => {
    const text = lines[index] ?? '';
    const line = text.trim();
    if (isSkipped === '') {
      if (line.startsWith('/*')) isSkipped = '*/';
      else if (/^(?:export )?(?:interface|type) /.test(text)) isSkipped = line.endsWith(';') ? '' : '}';
      else if (text.startsWith('import ')) isSkipped = line.endsWith(';') ? '' : ';';
      else return /^(?:\/\/.*|[\])}>;,(]*|else|\} else \{)$/.test(line) ? [] : [index];
    }
    const isEnd =
      isSkipped === '*/'
        ? line.endsWith('*/')
        : isSkipped === '}'
          ? /^\}|^[^ ].*;$/.test(text)
          : line.endsWith(';');
    if (isEnd) isSkipped = '';
    return [];
  });
}
