/** Virtual time stands still while a PostgreSQL server is asked, whose answers come by a socket. */
import pg from 'pg';
import { holdTime } from './virtual-time.ts';

/** Until the function that it gives is called. */
export function holdTimeForPostgres(): () => void {
  const undo = (['query', 'connect'] as const).map((name) => {
    const former: (...given: unknown[]) => unknown = Reflect.get(pg.Client.prototype, name);
    const held = function (this: pg.Client, ...given: unknown[]): unknown {
      const release = holdTime();
      const told = given.at(-1);
      if (typeof told === 'function')
        return former.call(this, ...given.slice(0, -1), (...answer: unknown[]) => {
          release();
          return Reflect.apply(told, undefined, answer);
        });
      const answer = former.apply(this, given);
      void Promise.resolve(answer).then(release, release);
      return answer;
    };
    Reflect.set(pg.Client.prototype, name, held);
    return () => Reflect.set(pg.Client.prototype, name, former);
  });
  return () => {
    for (const back of undo) back();
  };
}
