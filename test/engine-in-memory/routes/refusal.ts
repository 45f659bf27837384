/** An answer of the engine that is no success. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, words: string) {
    super(words);
    this.status = status;
  }
}

/** A refusal of the swarm's manager, in the form in which Docker passes it on. */
export function swarmRefusal(status: number, code: string, words: string): Refusal {
  return new Refusal(status, `rpc error: code = ${code} desc = ${words}`);
}
