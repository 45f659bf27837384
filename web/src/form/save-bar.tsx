/**
 * One bar for all forms of a page that change something stored: what was changed, when it takes effect, and
 * Save or Discard for all of it. Leaving with something unsaved asks.
 */
import { useBlocker } from '@tanstack/react-router';
import {
  createContext,
  useCallback,
  useContext,
  useEffect,
  useEffectEvent,
  useMemo,
  useState,
  type ReactElement,
  type ReactNode,
} from 'react';
import { Button } from '../parts/button.tsx';

/** A form with something unsaved in it. */
export interface UnsavedForm {
  /** What was changed, as its fields are called. */
  changed: readonly { name: string; label: string }[];
  isBusy: boolean;
  /** Resolves to whether it was saved; what was wrong stands in the form. */
  save: () => Promise<boolean>;
  discard: () => void;
}

type Register = (id: string, form: UnsavedForm | undefined) => void;

const Bar = createContext<Register | undefined>(undefined);

/** Whether a bar saves the forms of this page, so that they have no buttons of their own. */
export const useHasSaveBar = (): boolean => useContext(Bar) !== undefined;

/** Tells the bar what is unsaved in a form; `undefined`: nothing. */
export function useUnsaved(id: string, form: UnsavedForm | undefined): void {
  const register = useContext(Bar);
  const save = useEffectEvent(() => form?.save() ?? Promise.resolve(true));
  const discard = useEffectEvent(() => form?.discard());
  const words = JSON.stringify(form?.changed);
  const isBusy = form?.isBusy ?? false;
  useEffect(() => {
    register?.(
      id,
      words === undefined
        ? undefined
        : {
            changed: JSON.parse(words) as UnsavedForm['changed'],
            isBusy,
            save: () => save(),
            discard: () => discard(),
          },
    );
  }, [register, id, words, isBusy]);
  useEffect(() => () => register?.(id, undefined), [register, id]);
}

interface SaveBarProps {
  children: ReactNode;
  /** When changes of these fields take effect, in a sentence. */
  effectOf: (names: readonly string[]) => string;
  /** Whether saving alone leaves something to be deployed. */
  needsDeployment: (names: readonly string[]) => boolean;
  /** Deploys what was saved; absent where that is not offered. */
  onDeploy?: (() => void) | undefined;
}

export function SaveBar({ children, effectOf, needsDeployment, onDeploy }: SaveBarProps): ReactElement {
  const [forms, setForms] = useState<ReadonlyMap<string, UnsavedForm>>(new Map());
  const [isSaving, setSaving] = useState(false);
  const register = useCallback<Register>((id, form) => {
    setForms((former) => {
      if (!form && !former.has(id)) return former;
      const next = new Map(former);
      if (form) next.set(id, form);
      else next.delete(id);
      return next;
    });
  }, []);
  const isUnsaved = forms.size > 0;
  useBlocker({
    shouldBlockFn: () => isUnsaved && !isSaving && !confirm('Leave without saving what you changed?'),
    enableBeforeUnload: () => isUnsaved,
  });
  const changed = useMemo(() => [...forms.values()].flatMap((form) => form.changed), [forms]);
  const names = changed.map(({ name }) => name);
  const save = async (andDeploy: boolean): Promise<void> => {
    setSaving(true);
    // One after another: each writes the same record.
    let isWhole = true;
    for (const form of forms.values()) isWhole = (await form.save()) && isWhole;
    setSaving(false);
    if (andDeploy && isWhole) onDeploy?.();
  };
  const isBusy = isSaving || [...forms.values()].some((form) => form.isBusy);
  return (
    <Bar.Provider value={register}>
      {children}
      {isUnsaved && (
        <div
          data-save-bar
          role="region"
          aria-label="Unsaved changes"
          className={
            'sticky bottom-16 z-20 mb-4 flex flex-wrap items-center gap-2 rounded-lg border ' +
            'border-edge bg-raised p-2 pl-4 shadow-raised md:bottom-3'
          }
        >
          <p className="min-w-0 flex-1 basis-60 text-13">
            <span className="font-medium">
              Unsaved: {[...new Set(changed.map(({ label }) => label))].join(', ')}.
            </span>{' '}
            <span className="text-muted">{effectOf(names)}</span>
          </p>
          <Button look="quiet" onClick={() => forms.forEach((form) => form.discard())}>
            Discard
          </Button>
          <Button
            look={onDeploy && needsDeployment(names) ? '' : 'primary'}
            data-save
            isBusy={isBusy}
            onClick={() => void save(false)}
          >
            Save
          </Button>
          {onDeploy && needsDeployment(names) && (
            <Button look="primary" isBusy={isBusy} onClick={() => void save(true)}>
              Save and deploy
            </Button>
          )}
        </div>
      )}
    </Bar.Provider>
  );
}
