/**
 * Attacks as they were made, and what came of each: with the program as it is built, and composed without
 * the wall that holds it, so that no attack is one that cannot succeed.
 */

/** What an attacker got; `said` is what was answered instead, or a piece of the loot. */
export interface Outcome {
  succeeded: boolean;
  said: string;
}

interface Row extends Outcome {
  attack: string;
  walls: 'as built' | 'left out';
}

export interface AttackTable {
  note(attack: string, walls: Row['walls'], outcome: Outcome): void;
  print(title: string): void;
}

const shownWidth = 150;

export function attackTable(): AttackTable {
  const rows: Row[] = [];
  return {
    note: (attack, walls, outcome) => void rows.push({ attack, walls, ...outcome }),
    print(title) {
      const lines = rows.map(({ attack, walls, succeeded, said }) => {
        const outcome = succeeded ? 'SUCCEEDED' : 'held     ';
        const line = [outcome, `wall ${walls}`, attack, said.replaceAll(/\s+/g, ' ')].join(' | ');
        return line.slice(0, shownWidth);
      });
      console.log([`attacks: ${title}`, ...lines].join('\n'));
    },
  };
}
