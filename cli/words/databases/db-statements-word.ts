/** `berth db statements`: what a database does now, and what took it longest. */
import { exitCodes } from '../../exit-codes.ts';
import { databaseOf } from '../parts/database-of.ts';
import { nameOf } from '../parts/services.ts';
import type { Word } from '../parts/word.ts';

interface Line {
  when: string;
  calls: string;
  each: string;
  statement: string;
}

/** On a terminal a statement is one line. */
const oneLine = (statement: string): string => statement.replaceAll(/\s+/g, ' ').trim();

export const statementsWord: Word = {
  name: 'db statements',
  usage: 'service',
  summary: 'shows what a database does now, and what took it longest',
  description:
    'Of PostgreSQL, MySQL and MariaDB the statements that run, then those with the most time in all, where ' +
    'the server counts them; of Redis the commands of its slow log. Members need the grant canReadSecrets.',
  most: 1,
  calls: ['project.all', 'database.statements'],
  async run(context) {
    const { client } = await context.berth();
    const service = await databaseOf(context);
    const answer = await client.database.statements({ databaseId: service.id });
    const running = answer.running.map(({ seconds, statement }) => ({
      when: `runs for ${seconds} s`,
      calls: '',
      each: '',
      statement: oneLine(statement),
    }));
    const slowest = answer.slowest.map(({ at, calls, meanMs, totalMs, statement }) => ({
      when: at ?? `${(totalMs / 1000).toFixed(1)} s in all`,
      calls: String(calls),
      each: `${meanMs} ms`,
      statement: oneLine(statement),
    }));
    context.list<Line>(
      [
        { title: 'when', value: ({ when }) => when },
        { title: 'calls', value: ({ calls }) => calls },
        { title: 'each', value: ({ each }) => each },
        { title: 'statement', value: ({ statement }) => statement },
      ],
      [...running, ...slowest],
      `Nothing runs in ${nameOf(service)} now, and no statement is known that took long.`,
      answer,
    );
    if (answer.missing !== null) context.say(answer.missing);
    return exitCodes.done;
  },
};
