/** Start commands: of a Procfile, of scripts, in the form that an image starts. */
import { splitWords } from '../text/words.ts';
import type { Procfile } from './own-build.ts';

/** The lines `name: command` of a Procfile (Heroku, The Procfile). */
export function parseProcfile(text: string | undefined): Procfile {
  const entries = (text ?? '')
    .split(/\r?\n/)
    .map((line) => /^([A-Za-z0-9_-]+):\s*(.+?)\s*$/.exec(line))
    .flatMap((found) => (found ? [{ name: found[1] ?? '', command: found[2] ?? '' }] : []));
  const named = (wanted: string): string | undefined => entries.find(({ name }) => name === wanted)?.command;
  return {
    web: named('web'),
    release: named('release'),
    workers: entries.filter(({ name }) => name !== 'web' && name !== 'release'),
  };
}

/** Signs that only a shell understands. */
const ofShell = /[|&;<>$`(){}*?~#!\n]|(?:^|\s)[A-Za-z_]\w*=/;

/** A command line as words where it needs no shell; undefined where it does. */
export function wordsOf(command: string): string[] | undefined {
  if (ofShell.test(command)) return undefined;
  try {
    const words = splitWords(command, 'command');
    return words.length === 0 ? undefined : words;
  } catch {
    return undefined;
  }
}

/** The exec form of any command line; a single command replaces the shell that reads its variables. */
export function execForm(command: string): string[] {
  const isSingle = !/[|&;<>`(\n]/.test(command) && !/^\s*[A-Za-z_]\w*=/.test(command);
  return wordsOf(command) ?? ['sh', '-c', isSingle ? `exec ${command.trim()}` : command.trim()];
}

const portInCommand = new RegExp(
  [
    /(?:(?:^|\s)(?:-p|--port|--listen|-l)[ =]|(?:^|\s)PORT=|(?:0\.0\.0\.0|\[::\]):|--bind[ =]:)/.source,
    /(\d{2,5})(?=$|[\s"'/])/.source,
  ].join(''),
);

/** The port that a command line names itself: `-p 4000`, `--port=4000`, `PORT=4000`, `0.0.0.0:4000`. */
export function portOf(command: string): number | undefined {
  const port = Number(portInCommand.exec(command)?.[1]);
  return port >= 1 && port <= 65_535 ? port : undefined;
}

/** Sentences for the log about what a Procfile asks for besides the web process. */
export function procfileNotes({ web, release, workers }: Procfile): string[] {
  return [
    ...(web === undefined ? [] : ['The start command is that of "web" in the Procfile.']),
    ...(release === undefined
      ? []
      : [
          `The Procfile has the release command "${release}". Set it as preReleaseCommand, and it runs ` +
            'before each release.',
        ]),
    ...workers.map(
      ({ name, command }) =>
        `The Procfile has the worker ${name}: "${command}". Create another application of the same source ` +
        'with this command to run it.',
    ),
  ];
}
