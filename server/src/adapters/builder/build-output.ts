/**
 * The output of a build, split into what the builder itself said and what the programs of its steps printed.
 * Only the first decides why a build failed: a program may print anything. Pure.
 */

export interface BuildOutput {
  /** The builder's own lines, without the marks that BuildKit puts before them. */
  ownLines: string[];
  /** The step that ended with an exit code, if one did. */
  failedStep: FailedStep | undefined;
}

export interface FailedStep {
  /** As BuildKit names it, such as `RUN npm ci`; undefined where it did not. */
  name: string | undefined;
  exitCode: number;
  /** Lines of this step's programs, oldest first. */
  output: string[];
}

const lastLines = 200;
const longestLine = 2000;

/** `#7 1.284 text`: a program's line, with the seconds since its step began. */
const programLine = /^#(\d{1,6}) \d{1,8}\.\d{1,6}(?: (.*))?$/;
/** `#7 ERROR: text`: the builder's line about a step. */
const stepLine = /^#(\d{1,6}) (.*)$/;
/** BuildKit 0.8 to 0.10, then 0.11 and later; neither is a program's line. */
const exitOfStep = /^(?=.{0,80}(?:executor failed running \[|process ")).*: exit code: (\d{1,10})/;
/** `   4 | >>> RUN npm ci`: the excerpt of the Dockerfile that newer builders end with. */
const excerptLine = /^ *\d+ \| /;
const repeatedStep = /^ > \[[^\]]*\] (.*)$/;
const rule = /^-{3,}$/;

export function readBuildOutput(lines: readonly string[]): BuildOutput {
  const recent = lines.slice(-lastLines).map((line) => line.slice(0, longestLine));
  // A program that is not BuildKit marks nothing, so only its last lines count as its own.
  const isMarked = recent.some((line) => stepLine.test(line));
  const parts = isMarked ? splitMarked(recent) : { ownLines: recent.filter(isText).slice(-3), programs: [] };
  const exit = parts.ownLines.findLast((line) => exitOfStep.test(line));
  return {
    ownLines: parts.ownLines,
    failedStep:
      exit === undefined
        ? undefined
        : {
            name: stepName(recent),
            exitCode: Number(exitOfStep.exec(exit)?.[1] ?? 1),
            output: outputOf(failedNumber(recent), parts.programs),
          },
  };
}

/** The step that failed, as ` > [2/3] RUN …:` repeats it after the build. */
export function stepName(lines: readonly string[]): string | undefined {
  const name = lines.map((line) => repeatedStep.exec(line)?.[1]).findLast((found) => found !== undefined);
  return name?.replace(/:\s*$/, '').slice(0, 200);
}

interface ProgramLine {
  step: string;
  text: string;
}

function splitMarked(lines: readonly string[]): { ownLines: string[]; programs: ProgramLine[] } {
  const ownLines: string[] = [];
  const programs: ProgramLine[] = [];
  let isRepeat = false;
  // Unmarked lines before BuildKit's last mark are a program's too: a carriage return took their mark away.
  const lastMark = lines.findLastIndex((line) => stepLine.test(line));
  for (const [index, line] of lines.entries()) {
    const [isProgram, step = '', text = ''] = programLine.exec(line) ?? [];
    if (isProgram !== undefined) programs.push({ step, text });
    else if (repeatedStep.test(line)) isRepeat = true;
    else if (rule.test(line)) isRepeat = false;
    else if (!isRepeat && !excerptLine.test(line) && (index > lastMark || stepLine.test(line)))
      ownLines.push(line.replace(/^#\d{1,6} /, ''));
  }
  return { ownLines, programs };
}

/** BuildKit's number of the step that ended with an exit code. */
function failedNumber(lines: readonly string[]): string | undefined {
  return lines
    .map((line) => stepLine.exec(line))
    .findLast((found) => exitOfStep.test((found?.[2] ?? '').replace(/^ERROR: /, '')))?.[1];
}

function outputOf(step: string | undefined, programs: readonly ProgramLine[]): string[] {
  const wanted = step ?? programs.at(-1)?.step;
  return programs.filter(({ step: of }) => of === wanted).map(({ text }) => text);
}

const isText = (line: string): boolean => line.trim() !== '';
