/** A list of records of one kind, with forms from their descriptions to add, change, test and remove them. */
import { useEffect, useEffectEvent, useState, type ReactElement, type ReactNode } from 'react';
import { toast } from '../frame/toasts.tsx';
import { useAsk, useDo, type Input, type Path } from '../live/api.ts';
import { Button } from '../parts/button.tsx';
import { Confirm, Dialog } from '../parts/dialog.tsx';
import { Menu } from '../parts/menu.tsx';
import { Empty, Fault, SkeletonRows } from '../parts/notices.tsx';
import { Panel } from '../parts/page.tsx';
import type { FieldChange } from './form-field.tsx';
import { inLabels } from './faults.ts';
import { Form, labelsOf } from './form.tsx';

/** A record as its row shows it. */
export type Row = Readonly<Record<string, unknown>>;

export interface CollectionProps {
  title: string;
  /** What one of them is called: `registry`. */
  noun: string;
  about: string;
  /** Field that holds the id. */
  id: string;
  list: Path;
  input?: object;
  /** Procedures; one that is absent is not offered. */
  create?: Path | undefined;
  update?: Path | undefined;
  remove?: Path | undefined;
  test?: Path | undefined;
  /** A new one is tested as soon as it is there. */
  testsNew?: boolean;
  /** `test` takes the fields of one that is not saved yet, so it is tried before it is. */
  testsFirst?: boolean;
  show?: readonly string[];
  change?: Readonly<Record<string, FieldChange>>;
  /** Field by which `create` and `update` are told that the loss of something is meant. */
  asks?: string;
  /** Sent with `create`. */
  fixed?: object;
  name: (row: Row) => string;
  detail?: (row: Row) => ReactNode;
  /** Buttons of a row before its menu. */
  actions?: (row: Row) => ReactNode;
  /** What goes and what stays. */
  removal: string;
  command?: string;
  /** Instead of the form of `create`. */
  extra?: ReactNode;
  /** What an empty list offers where `create` is not. */
  start?: ReactNode;
}

type Over = { what: 'create' } | { what: 'update' | 'remove'; row: Row };

export function Collection(props: CollectionProps): ReactElement {
  const { title, noun, about, id, list, create, name, detail } = props;
  const { data, error } = useAsk(list, (props.input ?? {}) as Input<Path>);
  const rows = data as readonly Row[] | undefined;
  const [over, setOver] = useState<Over | undefined>();
  const [added, setAdded] = useState<string | undefined>();
  const add = create && (
    <Button small icon="plus" onClick={() => setOver({ what: 'create' })}>
      Add {noun}
    </Button>
  );
  return (
    <Panel
      title={title}
      actions={
        <>
          {props.extra}
          {rows && rows.length > 0 && add}
        </>
      }
    >
      {error && (
        <div className="p-3">
          <Fault error={error} />
        </div>
      )}
      {!rows && !error && <SkeletonRows rows={2} />}
      {rows?.length === 0 && (
        <Empty
          title={`No ${noun} yet`}
          action={add ?? props.start}
          {...(props.command ? { command: props.command } : {})}
        >
          {about}
        </Empty>
      )}
      <ul className="rows text-13">
        {rows?.map((row) => (
          <li
            key={String(row[id])}
            className="flex min-h-(--row) flex-wrap items-center gap-x-4 py-1 pr-2 pl-4"
          >
            <span className="cut basis-40 font-medium sm:flex-1" title={name(row)}>
              {name(row)}
            </span>
            <span className="cut flex-1 text-faint">{detail?.(row)}</span>
            {props.actions?.(row)}
            <RowActions
              {...props}
              row={row}
              isTestedAtOnce={props.testsNew === true && added === String(row[id])}
              onOver={(what) => setOver({ what, row })}
            />
          </li>
        ))}
      </ul>
      {over && <Overs {...props} over={over} onAdded={setAdded} onClose={() => setOver(undefined)} />}
    </Panel>
  );
}

function RowActions({
  row,
  id,
  name,
  change,
  update,
  remove,
  test,
  isTestedAtOnce,
  onOver,
}: CollectionProps & {
  row: Row;
  isTestedAtOnce: boolean;
  onOver: (what: 'update' | 'remove') => void;
}): ReactElement {
  const tried = useDo(test ?? ('registry.test' as Path));
  const [said, setSaid] = useState<unknown>(null);
  const isFine = tried.isSuccess;
  const of = update ?? ('registry.update' as Path);
  const begin = (): void => {
    setSaid(null);
    tried.mutate({ [id]: row[id] } as Input<Path>, { onError: setSaid });
  };
  const atOnce = useEffectEvent(begin);
  useEffect(() => {
    if (isTestedAtOnce) atOnce();
  }, [isTestedAtOnce]);
  return (
    <>
      {test && (
        <Button small look="quiet" isBusy={tried.isPending} icon={isFine ? 'check' : 'play'} onClick={begin}>
          {isFine ? 'It works' : tried.isPending ? 'Testing …' : 'Test'}
        </Button>
      )}
      {(update || remove) && (
        <Menu
          label={`More for ${name(row)}`}
          className="button quiet small icon"
          items={[
            ...(update
              ? [{ label: 'Change', icon: 'settings' as const, onPick: () => onOver('update') }]
              : []),
            ...(remove
              ? [{ label: 'Remove', icon: 'close' as const, isDanger: true, onPick: () => onOver('remove') }]
              : []),
          ]}
        />
      )}
      {said != null && (
        <div className="basis-full py-1">
          <Fault error={said} words={(sentence) => inLabels(sentence, labelsOf({ of, change }, row))} />
        </div>
      )}
    </>
  );
}

/** A field of an answer, such as `notice`: what the server decided otherwise than it was asked. */
function textAt(answer: unknown, field: string): string | undefined {
  const value: unknown =
    answer !== null && typeof answer === 'object' ? Reflect.get(answer, field) : undefined;
  return typeof value === 'string' ? value : undefined;
}

function Overs(
  props: CollectionProps & { over: Over; onAdded: (id: string) => void; onClose: () => void },
): ReactElement | null {
  const { over, onAdded, onClose, noun, id, name, show, change, fixed, asks } = props;
  const remove = useDo(props.remove ?? ('registry.remove' as Path));
  const shared = {
    ...(show ? { show: show as never } : {}),
    ...(change ? { change: change as never } : {}),
    ...(asks ? { asks: asks as never } : {}),
    ...(props.testsFirst ? { trial: props.test } : {}),
    onDone: (answer: unknown) => {
      const said = textAt(answer, 'notice');
      if (said !== undefined) toast(said);
      const addedId = textAt(answer, id);
      if (over.what === 'create' && addedId !== undefined) onAdded(addedId);
      onClose();
    },
    onCancel: onClose,
  };
  if (over.what === 'create')
    return props.create ? (
      <Dialog title={`Add ${noun}`} onClose={onClose}>
        <Form
          of={props.create}
          {...(fixed ? { fixed: fixed as never } : {})}
          verb={`Add ${noun}`}
          {...shared}
        />
      </Dialog>
    ) : null;
  if (over.what === 'update')
    return props.update ? (
      <Dialog title={name(over.row)} onClose={onClose}>
        <Form
          of={props.update}
          fixed={{ [id]: over.row[id] } as never}
          stored={over.row}
          verb="Save"
          {...shared}
        />
      </Dialog>
    ) : null;
  return (
    <Confirm
      title={`Remove ${name(over.row)}?`}
      verb="Remove"
      onClose={onClose}
      onConfirm={() => remove.mutateAsync({ [id]: over.row[id] } as Input<Path>)}
    >
      <p>{props.removal}</p>
    </Confirm>
  );
}
