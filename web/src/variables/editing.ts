/**
 * Variables while they are edited. What is typed stays, whatever is saved or changed elsewhere meanwhile; a
 * save that is wanted while one is under way follows it.
 */
import { useEffect, useRef, useState } from 'react';
import { BerthError } from '../../../client/berth-error.ts';
import { ask, useDo, type Input, type Path } from '../live/api.ts';
import { named, procedureOf, type Service } from '../service/service.ts';
import { differences, textOf, variablesOf, withKeysOf, type Difference, type Variable } from './env-text.ts';

/** Variables as Berth has them. */
interface Stored {
  env: string;
  revision: number;
}

export interface Editing {
  rows: readonly Variable[];
  setRows: (rows: Variable[]) => void;
  /** While they are edited as a text. */
  asText: string | undefined;
  setAsText: (text: string | undefined) => void;
  /** As they are on the screen. */
  text: string;
  changes: readonly Difference[];
  isEdited: boolean;
  /** Edited further than what is saved or on its way. */
  isUnsaved: boolean;
  isSaving: boolean;
  /** What somebody else saved since, while these are edited. */
  foreign: readonly Difference[] | undefined;
  error: unknown;
  save: (andDeploy: boolean) => void;
  saveOverTheirs: () => void;
  reset: () => void;
}

export function useEditing(service: Service, deploy: () => void): Editing {
  const { env, revision } = service;
  const [base, setBase] = useState<Stored>({ env, revision });
  const [rows, setRows] = useState(() => variablesOf(env));
  const [asText, setAsText] = useState<string | undefined>();
  const text = asText ?? textOf(base.env, rows);
  const { sent, save, error, forget } = useSaving(service, { text, asText }, { setBase, deploy });
  const changes = differences(base.env, text);
  const isEdited = isChanged(base.env, { text, asText });
  // What was sent comes back as our own; an answer that was asked for before the save is older than it.
  const isForeign = env !== base.env && env !== sent && revision >= base.revision;
  const take = (): void => {
    setBase({ env, revision });
    setRows((former) => withKeysOf(former, variablesOf(env)));
    setAsText((former) => (former === undefined ? undefined : env));
  };
  useEffect(() => {
    // Other settings that changed meanwhile are no conflict.
    if (!isForeign && revision > base.revision) setBase({ env, revision });
    else if (isForeign && !isEdited) take();
  });
  return {
    rows,
    setRows,
    asText,
    setAsText,
    text,
    changes,
    isEdited,
    isUnsaved: isEdited && text !== sent,
    isSaving: sent !== undefined,
    foreign: isForeign && isEdited ? differences(base.env, env) : undefined,
    error,
    save: (andDeploy) => save(andDeploy, base),
    saveOverTheirs: () => save(false, { env, revision }),
    reset() {
      take();
      setAsText(undefined);
      forget();
    },
  };
}

/** As they are on the screen; as a text, comments count as well. */
interface Shown {
  text: string;
  asText: string | undefined;
}

const isChanged = (base: string, { text, asText }: Shown): boolean =>
  differences(base, text).length > 0 || (asText !== undefined && asText !== base);

interface Saving {
  /** What is on its way to Berth. */
  sent: string | undefined;
  error: unknown;
  /** Over what is stored, as it was last seen. */
  save: (andDeploy: boolean, over: Stored) => void;
  forget: () => void;
}

function useSaving(
  service: Service,
  shown: Shown,
  { setBase, deploy }: { setBase: (base: Stored) => void; deploy: () => void },
): Saving {
  const [sent, setSent] = useState<string | undefined>();
  const change = useDo(procedureOf(service.kind, 'saveEnvironment'));
  const newest = useRef(shown);
  newest.current = shown;
  const wanted = useRef({ isUnderWay: false, saves: false, deploys: false });
  const keep = async (over: Stored): Promise<Stored | undefined> => {
    const { text } = newest.current;
    setSent(text);
    const kept = await store(service, change.mutateAsync, text, over);
    if (kept) setBase(kept);
    return kept;
  };
  const run = async (over: Stored): Promise<void> => {
    const { current } = wanted;
    current.isUnderWay = true;
    let kept: Stored | undefined = over;
    while (current.saves && kept) {
      current.saves = false;
      if (isChanged(kept.env, newest.current)) kept = await keep(kept);
    }
    setSent(undefined);
    if (kept && current.deploys) deploy();
    wanted.current = { isUnderWay: false, saves: false, deploys: false };
  };
  return {
    sent,
    error: change.error,
    forget: change.reset,
    save(andDeploy, over) {
      const { current } = wanted;
      current.saves = true;
      current.deploys ||= andDeploy;
      if (!current.isUnderWay) void run(over);
    },
  };
}

/** What is stored then; nothing when it was refused, which the change tells. */
async function store(
  service: Service,
  send: (input: Input<Path>) => Promise<unknown>,
  env: string,
  over: Stored,
): Promise<Stored | undefined> {
  const input = (revision: number): Input<Path> =>
    ({ ...named(service.kind, service.id), env, revision }) as Input<Path>;
  const said = (answer: unknown): Stored => {
    const revision: unknown = Reflect.get(Object(answer), 'revision');
    return { env, revision: typeof revision === 'number' ? revision : over.revision };
  };
  try {
    return said(await send(input(over.revision)));
  } catch (error) {
    if (!(error instanceof BerthError) || error.code !== 'CONFLICT') return undefined;
  }
  // Of another setting nobody needs to be asked.
  const now = await revisionOf(service, over.env).catch(() => undefined);
  if (now === undefined || now === over.revision) return undefined;
  return send(input(now)).then(said, () => undefined);
}

/** Of the service as it is now, if its variables are these still. */
async function revisionOf({ kind, id }: Service, env: string): Promise<number | undefined> {
  const now: unknown = await ask(procedureOf(kind, 'one'), named(kind, id) as Input<Path>);
  const revision: unknown = Reflect.get(Object(now), 'revision');
  return Reflect.get(Object(now), 'env') === env && typeof revision === 'number' ? revision : undefined;
}
